#include "attacks/damage.h"

#include <array>
#include <cctype>
#include <utility>
#include <vector>

namespace orrery::attacks {

namespace {

constexpr std::array surprising_words = {
    "0",
    "-1",
    "1",
    "-0",
    "1e308",
    "1e-308",
    "1e400",
    "-1e30",
    "nan",
    "inf",
    "0x10",
    "1e9",
    "1e-9",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999",
    "0.1",
    "1k",
    "1EiB",
    "1e-12B/s",
    "1e30s",
    "",
    " ",
    "\n",
    "\t",
    "\"",
    "'",
    "[",
    "]]]]",
    "{",
    "#",
    "\\",
    "/dev/null",
    "../../..",
    "\xff\xfe",
    "\xc3\x28",
};

// Where the digits of a number begin and end, each number of the text.
std::vector<std::pair<std::size_t, std::size_t>> numbers_in(const std::string& text) {
    std::vector<std::pair<std::size_t, std::size_t>> found;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i;
        while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
        if (end > i) found.emplace_back(i, end);
        i = end + 1;
    }
    return found;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
        lines.push_back(text.substr(at, end - at));
        at = end;
    }
    return lines;
}

void replace_number(std::string& text, Chance& chance) {
    const auto numbers = numbers_in(text);
    if (numbers.empty()) return;
    const auto [begin, end] = numbers[pick(chance, numbers.size())];
    text.replace(begin, end - begin, surprising_word(chance));
}

void move_line(std::string& text, Chance& chance) {
    std::vector<std::string> lines = lines_of(text);
    if (lines.size() < 2) return;
    const std::size_t from = pick(chance, lines.size());
    const std::size_t to = pick(chance, lines.size());
    if (chance() % 2 == 0) {
        std::swap(lines[from], lines[to]);
    } else {
        lines[to] = lines[from];
    }
    text.clear();
    for (const std::string& line : lines) text += line;
}

void damage_once(std::string& text, Chance& chance) {
    const std::size_t at = pick(chance, text.size());
    const std::size_t length = 1 + pick(chance, std::min<std::size_t>(64, text.size() - at));
    switch (pick(chance, 9)) {
    case 0: text[at] = static_cast<char>(text[at] ^ (1 << pick(chance, 8))); return;
    case 1: text[at] = static_cast<char>(chance()); return;
    case 2: text.erase(at, length); return;
    case 3: text.insert(at, text.substr(at, length)); return;
    case 4: text.insert(at, surprising_word(chance)); return;
    case 5: text.resize(at); return;
    case 6: move_line(text, chance); return;
    default: replace_number(text, chance); return; // most often
    }
}

} // namespace

std::string surprising_word(Chance& chance) { return surprising_words[pick(chance, surprising_words.size())]; }

std::string damaged(std::string text, Chance& chance) {
    const std::size_t times = pick(chance, 2) == 0 ? 1 : 1 + pick(chance, 4);
    for (std::size_t i = 0; i < times && !text.empty(); ++i) damage_once(text, chance);
    return text;
}

} // namespace orrery::attacks
