#include "tools/cosim/session_words.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace orrery {

namespace {

constexpr std::size_t longest_token = 40;

} // namespace

std::string quoted_words(std::string_view text) {
    std::string out;
    for (const char c : text.substr(0, 60)) out += c >= ' ' && c < 127 ? c : '?';
    return fmt::format("'{}{}'", out, text.size() > 60 ? "..." : "");
}

SessionWords::SessionWords(std::string_view line) : rest_(line) {
    bool inside = false;
    for (const char c : line) {
        if (c != ' ' && !inside) ++left_;
        inside = c != ' ';
    }
}

std::string_view SessionWords::word(const char* what) {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size()));
    const std::string_view word = rest_.substr(0, rest_.find(' '));
    rest_.remove_prefix(word.size());
    if (word.empty()) throw SessionError(fmt::format("expected {} at the end of the line", what));
    --left_;
    return word;
}

std::string_view SessionWords::token(const char* what) {
    const std::string_view text = word(what);
    if (text.size() > longest_token) {
        throw SessionError(
            fmt::format("{} of {} characters; at most {} are allowed", what, text.size(), longest_token));
    }
    return text;
}

double SessionWords::nanoseconds() {
    const std::string_view text = word("a time");
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !(value >= 0))
        throw SessionError(fmt::format("{} is not a time in nanoseconds", quoted_words(text)));
    return value;
}

std::uint64_t SessionWords::number(const char* what) {
    const std::string_view text = token(what);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        throw SessionError(fmt::format("{} is not {}", quoted_words(text), what));
    return value;
}

std::uint32_t SessionWords::node(std::size_t count) {
    const std::uint64_t value = number("a node");
    if (value >= count) throw SessionError(fmt::format("node {} does not exist: there are {}", value, count));
    return static_cast<std::uint32_t>(value);
}

Bytes SessionWords::size(Bytes most) {
    const std::uint64_t value = number("a size");
    if (value > most)
        throw SessionError(fmt::format("a message of {} bytes: at most {} are allowed", value, most));
    return value;
}

void SessionWords::append_tokens(std::string& to) {
    for (const char* const what : {"an event", "an event", "a node", "a node"}) {
        to += ' ';
        to += token(what);
    }
}

} // namespace orrery
