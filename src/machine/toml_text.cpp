#include "machine/toml_text.h"

#include "engine/error.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>

namespace orrery {

namespace {

// toml++ bounds how deep values are nested (256), but not the parts of a key. Each part is a table within a
// table, and tables are destroyed one within the other.
constexpr std::size_t most_key_parts = 32;

// Where a string that begins at `at` ends: behind its closing quotes, or at the end of an unfinished one.
std::size_t end_of_string(std::string_view text, std::size_t at) {
    const char quote = text[at];
    const std::string_view three = text.substr(at, 3);
    const bool long_one = three.size() == 3 && three[1] == quote && three[2] == quote;
    const std::string closing(long_one ? 3 : 1, quote);
    for (at += closing.size(); at < text.size(); ++at) {
        if (text[at] == '\\' && quote == '"') {
            ++at;
        } else if (text[at] == '\n' && !long_one) {
            return at; // the parser says what is wrong
        } else if (text.substr(at).starts_with(closing)) {
            return at + closing.size();
        }
    }
    return std::min(at, text.size());
}

// Dots between two signs that end a key. Those in strings and comments do not count.
void check_key_parts(std::string_view text, const std::string& file) {
    std::uint64_t line = 1;
    std::size_t dots = 0;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == '"' || c == '\'') {
            const std::size_t end = end_of_string(text, at);
            line +=
                static_cast<std::uint64_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                                                      text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
            at = end;
            continue;
        }
        if (c == '#') {
            at = std::min(text.find('\n', at), text.size());
            continue;
        }
        if (c == '\n') ++line;
        if (c == '.') {
            if (++dots >= most_key_parts)
                throw InputError(
                    Error{file, line, 0, fmt::format("a key of more than {} parts", most_key_parts)});
        } else if (c == '\n' || c == '=' || c == ',' || c == '[' || c == ']' || c == '{' || c == '}') {
            dots = 0;
        }
        ++at;
    }
}

} // namespace

toml::table parse_toml(std::string_view text, const std::string& file) {
    check_key_parts(text, file);
    try {
        return toml::parse(text, file);
    } catch (const toml::parse_error& error) {
        const auto& at = error.source().begin;
        throw InputError(Error{file, at.line, at.column, std::string(error.description())});
    }
}

} // namespace orrery
