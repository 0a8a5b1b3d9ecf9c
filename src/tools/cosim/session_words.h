// The words of a line of the co-simulation, taken one after the other. Whatever is wrong is a SessionError.
#pragma once

#include "tools/cosim/session_types.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace orrery {

// What a client sent, fit for a log: short, and without control characters.
std::string quoted_words(std::string_view text);

class SessionWords {
  public:
    explicit SessionWords(std::string_view line);
    [[nodiscard]] std::size_t left() const { return left_; }

    std::string_view word(const char* what);
    // Given back as it came: so it may not be long.
    std::string_view token(const char* what);
    double nanoseconds();
    std::uint64_t number(const char* what);
    std::uint32_t node(std::size_t count);
    Bytes size(Bytes most);
    // "<ev> <evres> <src> <dst>", as they stand.
    void append_tokens(std::string& to);

  private:
    std::string_view rest_;
    std::size_t left_ = 0;
};

} // namespace orrery
