// Text of many threads that comes in any order, put together thread after thread; little of it in memory.
#pragma once

#include "formats/ti/temporary_file.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace orrery::dimemas {

class ThreadSpill {
  public:
    explicit ThreadSpill(std::size_t threads);
    std::string& text(std::size_t thread) { return threads_[thread].text; } // append to it, then call check
    void check(std::size_t thread) {
        if (threads_[thread].text.size() >= piece_) spill(thread);
    }
    // Appends the text of one thread to `to`.
    void give(std::size_t thread, ti::TemporaryFile& to);

  private:
    struct Piece {
        std::uint64_t offset = 0;
        std::uint64_t bytes = 0;
    };
    struct Thread {
        std::string text;
        std::vector<Piece> pieces;
    };
    void spill(std::size_t thread);

    std::vector<Thread> threads_;
    std::size_t piece_;
    ti::TemporaryFile file_;
};

} // namespace orrery::dimemas
