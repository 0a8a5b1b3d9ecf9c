// The background thread of a rank: takes full buffers, encodes and compresses them and appends them to the
// file.
//
// A segment is cut every 64 KiB, 32,768 actions or two seconds; each is written as a whole block, so that a
// program killed at any moment leaves a readable file. What is lost then is what was in the two buffers and in
// the open segment: at most some seconds of the run.
#pragma once

#include "engine/cpu/clock.h"
#include "formats/ort/block_writer.h"
#include "formats/ort/encoder.h"
#include "trace/buffer.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <pthread.h>
#include <string>
#include <string_view>

namespace orrery::trace {

struct WriterTarget {
    std::string path;
    std::uint64_t run = 0;
    std::uint32_t rank = 0;
    bool timed = false;
};

class Writer {
  public:
    // `recording` is cleared when writing fails: nothing can be kept from then on.
    Writer(WriterTarget target, Buffers& buffers, std::atomic<bool>& recording);
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    ~Writer(); // after finish(), or open() that failed

    // Creates the file with its begin block. Returns what is wrong, in words; empty: nothing. A file that
    // exists already is of another run and is left alone.
    std::string open(std::string_view begin);
    // False: the thread cannot be created.
    [[nodiscard]] bool start() noexcept;
    // Closes the buffers and waits until what is left and the end block are written. Without an end block if
    // `end` is empty.
    void finish(std::string end) noexcept;
    [[nodiscard]] const std::string& path() const noexcept { return target_.path; }
    [[nodiscard]] bool finished() const noexcept { return descriptor_ < 0; }

  private:
    static void* main(void* self);
    void run();
    void encode(std::span<const std::byte> records);
    void cut();
    void append(recorded::BlockKind kind, std::string_view payload);
    void fail(const char* what) noexcept;

    WriterTarget target_;
    Buffers& buffers_;
    std::atomic<bool>& recording_;
    int descriptor_ = -1;
    std::uint64_t written_ = 0; // whole blocks
    bool failed_ = false;
    pthread_t thread_{};
    Timeline timeline_;
    recorded::SegmentEncoder encoder_;
    recorded::BlockWriter blocks_;
    std::string end_;
    std::string payload_;
    std::string block_;
    std::chrono::steady_clock::time_point last_cut_;
};

} // namespace orrery::trace
