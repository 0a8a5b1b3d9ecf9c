#include "formats/simgrid/element.h"

#include "engine/units.h"
#include "machine/topologies/lists.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <utility>

namespace orrery::simgrid {

namespace {

bool same_letters(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](char x, char y) { return lower(x) == lower(y); });
}

// SimGrid's minutes, days and weeks are m, d and w.
Time parse_simgrid_time(std::string_view text) {
    if (text.empty()) return parse_time(text);
    const char unit = text.back();
    const bool bare = text.size() >= 2 && ((text[text.size() - 2] >= '0' && text[text.size() - 2] <= '9') ||
                                           text[text.size() - 2] == '.' || text[text.size() - 2] == ' ');
    const std::string number(text.substr(0, text.size() - 1));
    if (bare && unit == 'm') return parse_time(number + "min");
    const std::int64_t hours = unit == 'd' ? 24 : 7 * 24;
    if (bare && (unit == 'd' || unit == 'w')) {
        const Time base = parse_time(number + "h");
        if (base.ps() > (std::int64_t{1} << 60) / hours)
            throw UsageError(fmt::format("'{}' is too long", text));
        return hours * base;
    }
    return parse_time(text);
}

} // namespace

Document::Document(std::string_view text, std::string file) : file_(std::move(file)) {
    lines_.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\n') lines_.push_back(static_cast<std::ptrdiff_t>(i) + 1);
    }
    const pugi::xml_parse_result result =
        document_.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
    if (!result) {
        throw InputError(
            Error{file_, line(result.offset), 0, fmt::format("not XML: {}", result.description())});
    }
}

std::uint64_t Document::line(std::ptrdiff_t offset) const {
    const auto after = std::upper_bound(lines_.begin(), lines_.end(), offset);
    return static_cast<std::uint64_t>(after - lines_.begin());
}

void Element::fail(const std::string& reason) const {
    throw InputError(Error{file(), line(), 0, fmt::format("<{}>: {}", tag(), reason)});
}

std::vector<Element> Element::children() const {
    std::vector<Element> out;
    for (const pugi::xml_node child : node_.children()) {
        if (child.type() == pugi::node_element) out.emplace_back(child, *document_);
    }
    return out;
}

void Element::allow(std::initializer_list<std::string_view> attributes) const {
    for (const pugi::xml_attribute attribute : node_.attributes()) {
        const std::string_view name = attribute.name();
        if (std::find(attributes.begin(), attributes.end(), name) != attributes.end()) continue;
        const std::string near = nearest_word(name, attributes);
        fail(fmt::format("unknown attribute '{}'{}", name,
                         near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
    }
}

bool Element::has(const char* attribute) const {
    return !std::string_view(node_.attribute(attribute).value()).empty();
}

std::string Element::text(const char* attribute) const {
    if (!node_.attribute(attribute)) fail(fmt::format("attribute '{}' is missing", attribute));
    return node_.attribute(attribute).value();
}

std::string Element::text(const char* attribute, std::string_view otherwise) const {
    return has(attribute) ? node_.attribute(attribute).value() : std::string(otherwise);
}

double Element::bandwidth(const char* attribute) const {
    const double value = parse(attribute, parse_bandwidth);
    if (value <= 0) fail(fmt::format("{}: a bandwidth must be more than zero", attribute));
    return value;
}

Time Element::time(const char* attribute) const { return parse(attribute, parse_simgrid_time); }

double Element::speed(const char* attribute, std::size_t state) const {
    const std::string list = text(attribute);
    const auto speeds = split_at(list, ',');
    if (state >= speeds.size()) {
        fail(fmt::format("pstate {} is asked for, but there {} only {}", state,
                         speeds.size() == 1 ? "is" : "are", speeds.size()));
    }
    try {
        const double value = parse_rate(speeds[state]);
        if (value <= 0) fail(fmt::format("{}: a speed must be more than zero", attribute));
        return value;
    } catch (const UsageError& error) {
        fail(fmt::format("{}: {}", attribute, error.what()));
    }
}

std::uint32_t Element::count(const char* attribute, std::uint32_t otherwise) const {
    if (!has(attribute)) return otherwise;
    const std::string words = text(attribute);
    std::uint32_t value = 0;
    const auto result = std::from_chars(words.data(), words.data() + words.size(), value);
    constexpr std::uint32_t most = 1'000'000;
    if (result.ec != std::errc() || result.ptr != words.data() + words.size() || value > most) {
        fail(fmt::format("{}: '{}' is not a whole number up to {}", attribute, words, most));
    }
    return value;
}

std::size_t Element::choice(const char* attribute, std::initializer_list<std::string_view> words,
                            std::size_t otherwise) const {
    if (!has(attribute)) return otherwise;
    const std::string given = text(attribute);
    const auto found = std::find_if(words.begin(), words.end(),
                                    [&](std::string_view word) { return same_letters(word, given); });
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    fail(fmt::format("{}: '{}' is not one of {}", attribute, given, fmt::join(words, ", ")));
}

} // namespace orrery::simgrid
