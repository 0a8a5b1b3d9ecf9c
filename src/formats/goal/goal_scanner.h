// The words of GOAL text: blanks, comments, numbers and names, each with its line and column.
//
// Everything takes a cursor into the window of a TextInput and returns the cursor behind what it read. Names
// and numbers are limited in length, so a whole statement without comments fits within the lookahead and the
// window needs to move only between statements, in comments and in long lists.
#pragma once

#include "formats/text/text_input.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace orrery {

struct GoalCharacters {
    enum Class : std::uint8_t { letter = 1, digit = 2, stops_blanks = 4 };
    static const std::array<std::uint8_t, 256> table;

  private:
    static constexpr std::array<std::uint8_t, 256> make() {
        std::array<std::uint8_t, 256> classes{};
        for (auto& entry : classes) entry = stops_blanks;
        for (const char c : {' ', '\t', '\r', '\v', '\f', '/', '#', '\0'})
            classes[static_cast<unsigned char>(c)] = 0;
        for (unsigned c = 'a'; c <= 'z'; ++c) classes[c] |= letter;
        for (unsigned c = 'A'; c <= 'Z'; ++c) classes[c] |= letter;
        classes['_'] |= letter;
        for (unsigned c = '0'; c <= '9'; ++c) classes[c] |= digit;
        return classes;
    }
};
inline constexpr std::array<std::uint8_t, 256> GoalCharacters::table = GoalCharacters::make();

struct TextPosition {
    std::uint64_t line = 0;
    std::uint64_t column = 0; // in bytes
};

class GoalScanner {
  public:
    static constexpr std::size_t longest_name = 1000;
    static constexpr std::size_t longest_number = 64; // digits, leading zeros included

    explicit GoalScanner(TextInput& input) : input_(input) {}

    // Skips blanks and comments, but not the end of a line.
    const char* skip_blanks(const char* p) {
        if (*p == ' ') ++p; // the usual case: one blank between two words
        return is(*p, stops_blanks) ? p : skip_many_blanks(p);
    }
    // Skips blanks, comments and ends of lines, and has the next statement in the window.
    const char* skip_to_word(const char* p);
    void count_line(const char* newline) {
        ++line_;
        line_start_ = input_.offset(newline) + 1;
    }

    // Whether skip_blanks would have something to skip, and might move the window.
    static bool starts_blank(char c) { return !is(c, stops_blanks); }
    static bool starts_name(char c) { return is(c, letter); }
    static bool continues_name(char c) { return is(c, letter | digit); }
    static bool is_digit(char c) { return is(c, digit); }
    // A name starts at `p`; it ends where the returned cursor is.
    const char* name(const char* p) {
        const char* start = p;
        while (continues_name(*p)) ++p;
        if (static_cast<std::size_t>(p - start) > longest_name) fail_long_name(start);
        return p;
    }
    // A number that does not fit is read as the largest there is, so that any limit refuses it.
    const char* number(const char* p, std::uint64_t& value) {
        const char* start = p;
        if (!is_digit(*p)) fail_expected(p, "a number");
        value = 0;
        do value = value * 10 + static_cast<std::uint64_t>(*p++ - '0');
        while (is_digit(*p));
        if (p - start > 18) value = long_number(start, p);
        return p;
    }

    [[nodiscard]] TextPosition position(const char* p) const {
        return {line_, input_.offset(p) - line_start_ + 1};
    }

    [[noreturn]] void fail(TextPosition at, const std::string& reason) const;
    [[noreturn]] void fail(const char* p, const std::string& reason) const { fail(position(p), reason); }
    // "expected <what>, found <the word at p>"
    [[noreturn]] void fail_expected(const char* p, const std::string& what) const;
    // The word or character at `p` for messages: quoted, or "the end of the line".
    [[nodiscard]] std::string found(const char* p) const;

  private:
    using enum GoalCharacters::Class;
    static bool is(char c, unsigned kinds) {
        return (GoalCharacters::table[static_cast<unsigned char>(c)] & kinds) != 0;
    }

    const char* skip_many_blanks(const char* p);
    const char* skip_line_comment(const char* p);
    const char* skip_block_comment(const char* p);
    std::uint64_t long_number(const char* start, const char* end) const;
    [[noreturn]] void fail_long_name(const char* start) const;

    TextInput& input_;
    std::uint64_t line_ = 1;
    std::uint64_t line_start_ = 0; // offset of the line's first byte in the input
};

} // namespace orrery
