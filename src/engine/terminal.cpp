#include "engine/terminal.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

namespace orrery {

namespace {

std::string_view escape_sequence(Tone tone) {
    switch (tone) {
    case Tone::strong: return "\x1b[1m";
    case Tone::good: return "\x1b[32m";
    case Tone::warning: return "\x1b[33m";
    case Tone::error: return "\x1b[1;31m";
    }
    return {};
}

std::string_view environment_text(const char* name) {
    const char* const value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): nobody changes it
    return value == nullptr ? std::string_view() : value;
}

// The width of a character in UTF-8: continuation bytes have none.
std::size_t text_width(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

void wrap_line(std::string_view line, std::size_t width, std::size_t indent, std::string& out) {
    const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
    const std::string margin(indent + first, ' ');
    out.append(line.substr(0, first));
    std::size_t column = margin.size();
    bool begun = false;
    for (std::size_t at = first; at < line.size();) {
        const std::size_t end = std::min(line.find(' ', at), line.size());
        const std::string_view word = line.substr(at, end - at);
        const std::size_t next = std::min(line.find_first_not_of(' ', end), line.size());
        const std::size_t length = text_width(word);
        if (begun && column + length > width) {
            while (out.ends_with(' ')) out.pop_back();
            out.append("\n").append(margin);
            column = margin.size();
        }
        out.append(word);
        begun = true;
        if (next < line.size()) out.append(next - end, ' ');
        column += length + (next - end);
        at = next;
    }
}

} // namespace

bool shows_colour(std::FILE* stream) {
    if (!environment_text("NO_COLOR").empty()) return false;
    const std::string_view kind = environment_text("TERM");
    if (kind.empty() || kind == "dumb") return false;
    return ::isatty(::fileno(stream)) == 1;
}

std::string paint(std::string_view text, Tone tone, bool colour) {
    if (!colour) return std::string(text);
    return std::string(escape_sequence(tone)).append(text).append("\x1b[0m");
}

std::string paint(std::string_view text, Tone tone, std::FILE* stream) {
    return paint(text, tone, shows_colour(stream));
}

std::size_t terminal_width(std::FILE* stream, std::size_t piped) {
    constexpr std::size_t least = 40;
    const std::string_view columns = environment_text("COLUMNS");
    std::size_t width = 0;
    const auto read = std::from_chars(columns.data(), columns.data() + columns.size(), width);
    if (read.ec == std::errc() && width > 0) return std::max(width, least);
    winsize size{};
    if (::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return std::max<std::size_t>(size.ws_col, least);
    return piped;
}

std::string wrap_text(std::string_view text, std::size_t width, std::size_t indent) {
    std::string out;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if (at > 0) out.append("\n");
        if (at > 0 && end > at) out.append(indent, ' ');
        wrap_line(text.substr(at, end - at), width, indent, out);
        at = end + 1;
    }
    return out;
}

} // namespace orrery
