// The words of one line of text: numbers, names and options, with errors that say where and what was expected.
//
// A line must end in '\n', so that a pointer walks through it without looking for its end. Plain integers are
// read digit by digit; whatever else is a number ("1e6", "1000000.0") goes through fast_float.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace orrery::ti {

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

class LineWords {
  public:
    // All errors are about this file and, until the next call of begin_line, that line.
    void begin_file(const std::string& name) { file_ = &name; }
    void begin_line(const char* start, std::uint64_t number) {
        start_ = start;
        at_ = start;
        number_ = number;
    }
    [[nodiscard]] const std::string& file() const { return *file_; }
    [[nodiscard]] std::uint64_t number() const { return number_; }

    // Whether there is anything but blanks and a comment.
    bool anything() {
        skip_blanks();
        return *at_ != '\n' && *at_ != '#';
    }
    // Goes to the end of the line; returns the start of the next.
    const char* skip_line() {
        while (*at_ != '\n') ++at_;
        return at_ + 1;
    }
    // "3" or "p3".
    std::uint32_t rank();

    [[noreturn]] void fail(const std::string& reason) const { fail_at(start_, reason); }
    [[noreturn]] void fail_at(const char* where, const std::string& reason) const;

  protected:
    void skip_blanks() {
        while (is_blank(*at_)) ++at_;
    }
    [[nodiscard]] bool at_end() const { return *at_ == '\n'; }
    [[nodiscard]] static bool ends_word(char c) { return is_blank(c) || c == '\n'; }
    // The word from `from` up to a blank.
    [[nodiscard]] static std::string_view word_from(const char* from);
    // Whether another number follows, and not an option ("comm=3") or the end.
    bool number_follows() {
        skip_blanks();
        const char c = *at_;
        return static_cast<unsigned char>(c - '0') < 10 || c == '-' || c == '+' || c == '.';
    }

    // The next word. `what` says in messages what was expected there.
    double real(const char* what) {
        skip_blanks();
        std::uint64_t digits = 0;
        if (read_digits(digits)) return static_cast<double>(digits);
        return slow_real(what);
    }
    double volume(const char* what) { // not negative
        const char* const from = at_;
        const double value = real(what);
        if (value < 0) refuse_negative(from, what);
        return value;
    }
    std::int64_t integer(const char* what) {
        skip_blanks();
        std::uint64_t digits = 0;
        if (read_digits(digits)) return static_cast<std::int64_t>(digits);
        return slow_integer(what);
    }
    std::uint64_t count(const char* what) { // not negative
        const char* const from = at_;
        const std::int64_t value = integer(what);
        if (value < 0) refuse_negative(from, what);
        return static_cast<std::uint64_t>(value);
    }
    [[noreturn]] void missing(const char* what) const;
    [[noreturn]] void refuse_negative(const char* from, const char* what) const;

    const char* at_ = nullptr;

  private:
    // Up to 15 digits that end the word; otherwise nothing is taken.
    bool read_digits(std::uint64_t& value) {
        const char* p = at_;
        std::uint64_t sum = 0;
        for (unsigned digit = 0; (digit = static_cast<unsigned>(*p - '0')) < 10; ++p) sum = 10 * sum + digit;
        if (p == at_ || p - at_ > 15 || !ends_word(*p)) return false;
        value = sum;
        at_ = p;
        return true;
    }
    double slow_real(const char* what);
    std::int64_t slow_integer(const char* what);

    const std::string* file_ = nullptr;
    const char* start_ = nullptr;
    std::uint64_t number_ = 0;
};

} // namespace orrery::ti
