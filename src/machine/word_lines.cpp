#include "machine/word_lines.h"

#include "engine/error.h"

#include <charconv>
#include <fmt/format.h>
#include <utility>

namespace orrery {

bool take_line(std::string_view& text, std::string_view& line) {
    if (text.empty()) return false;
    const std::size_t end = text.find('\n');
    line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return true;
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n\f\v";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool WordLines::next() {
    words_.clear();
    std::string_view line;
    while (words_.empty() && take_line(rest_, line)) {
        ++line_;
        split(line);
    }
    return !words_.empty();
}

void WordLines::split(std::string_view line) {
    constexpr std::string_view blanks = " \t\f\v";
    for (std::size_t at = line.find_first_not_of(blanks); at != std::string_view::npos;
         at = line.find_first_not_of(blanks, at)) {
        if (line[at] == '#' || line.substr(at).starts_with("//")) return;
        if (line[at] == '"') {
            const std::size_t end = line.find('"', at + 1);
            if (end == std::string_view::npos) fail("a quote is opened here and not closed");
            words_.push_back({line.substr(at + 1, end - at - 1), true});
            at = end + 1;
            continue;
        }
        const std::size_t end = std::min(line.find_first_of(" \t\f\v\"", at), line.size());
        words_.push_back({line.substr(at, end - at), false});
        at = end;
    }
}

void WordLines::fail(std::string reason) const { throw InputError(Error{file_, line_, 0, std::move(reason)}); }

std::optional<std::int64_t> whole_number(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    std::int64_t value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
    return value;
}

std::string quoted_name(std::string_view name) {
    if (name.find_first_of("\"\n\r") != std::string_view::npos) {
        throw InputError(
            fmt::format("the name '{}' holds a quote or a line end, which this format cannot", name));
    }
    return fmt::format("\"{}\"", name);
}

} // namespace orrery
