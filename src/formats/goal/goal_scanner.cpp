#include "formats/goal/goal_scanner.h"

#include "engine/error.h"

#include <cstring>
#include <fmt/format.h>
#include <limits>

namespace orrery {

const char* GoalScanner::skip_to_word(const char* p) {
    for (;;) {
        if (input_.runs_short(p)) p = input_.refill(p);
        p = skip_blanks(p);
        if (*p != '\n') return p;
        count_line(p++);
    }
}

const char* GoalScanner::skip_many_blanks(const char* p) {
    for (;;) {
        if (input_.runs_short(p)) p = input_.refill(p);
        switch (*p) {
        case ' ':
        case '\t':
        case '\r':
        case '\v':
        case '\f': ++p; continue;
        case '#': p = skip_line_comment(p); continue;
        case '/':
            if (p[1] == '/') {
                p = skip_line_comment(p);
                continue;
            }
            if (p[1] == '*') {
                p = skip_block_comment(p);
                continue;
            }
            return p;
        default: return p;
        }
    }
}

const char* GoalScanner::skip_line_comment(const char* p) {
    for (;;) {
        const auto rest = static_cast<std::size_t>(input_.window_end() - p);
        if (const void* newline = std::memchr(p, '\n', rest)) return static_cast<const char*>(newline);
        p = input_.refill(input_.window_end());
        if (input_.at_end(p)) return p;
    }
}

const char* GoalScanner::skip_block_comment(const char* p) {
    const TextPosition opened = position(p);
    p += 2;
    for (;;) {
        if (input_.runs_short(p)) p = input_.refill(p);
        if (input_.at_end(p)) fail(opened, "this comment is not closed: \"*/\" is missing");
        if (*p == '*' && p[1] == '/') return p + 2;
        if (*p == '\n') count_line(p);
        ++p;
    }
}

std::uint64_t GoalScanner::long_number(const char* start, const char* end) const {
    if (static_cast<std::size_t>(end - start) > longest_number) {
        fail(start, fmt::format("a number of more than {} digits", longest_number));
    }
    std::uint64_t value = 0;
    for (const char* p = start; p < end; ++p) {
        if (__builtin_mul_overflow(value, std::uint64_t{10}, &value) ||
            __builtin_add_overflow(value, static_cast<std::uint64_t>(*p - '0'), &value)) {
            return std::numeric_limits<std::uint64_t>::max();
        }
    }
    return value;
}

std::string GoalScanner::found(const char* p) const {
    constexpr std::size_t shown = 24;
    if (input_.at_end(p)) return "the end of the file";
    if (*p == '\n') return "the end of the line";
    const char* end = p;
    if (continues_name(*p)) {
        while (continues_name(*end) && static_cast<std::size_t>(end - p) < shown) ++end;
        return fmt::format("\"{}{}\"", std::string_view(p, static_cast<std::size_t>(end - p)),
                           continues_name(*end) ? "..." : "");
    }
    if (*p == '-' && is_digit(p[1])) {
        for (++end; is_digit(*end) && static_cast<std::size_t>(end - p) < shown; ++end) {
        }
        return fmt::format("\"{}\"", std::string_view(p, static_cast<std::size_t>(end - p)));
    }
    const auto byte = static_cast<unsigned char>(*p);
    return byte > 0x20 && byte < 0x7F ? fmt::format("\"{}\"", *p) : fmt::format("the byte 0x{:02x}", byte);
}

void GoalScanner::fail(TextPosition at, const std::string& reason) const {
    throw InputError(Error{input_.name(), at.line, at.column, reason});
}

void GoalScanner::fail_expected(const char* p, const std::string& what) const {
    fail(p, fmt::format("expected {}, found {}", what, found(p)));
}

void GoalScanner::fail_long_name(const char* start) const {
    fail(start, fmt::format("a name of more than {} characters", longest_name));
}

} // namespace orrery
