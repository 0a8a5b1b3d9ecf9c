#include "formats/dimemas_machine/record_fields.h"

#include "engine/error.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace orrery::dimemas {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

template <typename Number> bool read(std::string_view text, Number& value) {
    const char* const end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    return !text.empty() && result.ec == std::errc() && result.ptr == end;
}

} // namespace

RecordFields::RecordFields(std::string_view text, const std::string& file, std::uint64_t line)
    : file_(file), line_(line) {
    std::size_t at = 0;
    const auto skip = [&] {
        while (at < text.size() && is_space(text[at])) ++at;
    };
    const auto until = [&](char stop, std::string_view what) {
        const std::size_t end = text.find(stop, at);
        if (end == std::string_view::npos) fail(fmt::format("{} does not end; expected {}", what, stop));
        const std::string_view part = text.substr(at, end - at);
        at = end + 1;
        return part;
    };
    while (true) {
        skip();
        Field field;
        if (at < text.size() && text[at] == '"') {
            ++at;
            field.quoted = true;
            field.text = until('"', "a text in quotes");
        } else if (at < text.size() && text[at] == '[') {
            ++at;
            field.is_list = true;
            field.text = trimmed(until(']', "the length of a list"));
            skip();
            if (at == text.size() || text[at] != '{') fail("expected { after the length of a list");
            ++at;
            std::string_view items = until('}', "a list");
            while (!trimmed(items).empty()) {
                const std::size_t comma = items.find(',');
                field.items.emplace_back(trimmed(items.substr(0, comma)));
                items = comma == std::string_view::npos ? std::string_view() : items.substr(comma + 1);
            }
        } else {
            const std::size_t comma = text.find(',', at);
            const std::size_t end = comma == std::string_view::npos ? text.size() : comma;
            field.text = trimmed(text.substr(at, end - at));
            at = end;
        }
        fields_.push_back(std::move(field));
        skip();
        if (at == text.size()) break;
        if (text[at] != ',') fail(fmt::format("expected a comma before \"{}\"", text.substr(at, 20)));
        ++at;
    }
}

void RecordFields::expect(std::size_t fields, std::string_view what) const {
    if (count() != fields) fail(fmt::format("{} has {} fields; expected {}", what, count(), fields));
}

double RecordFields::any_number(std::size_t index, std::string_view what) const {
    double value = 0;
    if (!read(std::string_view(fields_[index].text), value) || !std::isfinite(value))
        fail(fmt::format("{} is \"{}\"; expected a number", what, fields_[index].text));
    return value;
}

double RecordFields::number(std::size_t index, std::string_view what) const {
    const double value = any_number(index, what);
    if (value < 0) fail(fmt::format("{} is {}; expected no negative number", what, value));
    return value;
}

std::uint64_t RecordFields::large(std::size_t index, std::string_view what) const {
    std::uint64_t value = 0;
    if (!read(std::string_view(fields_[index].text), value))
        fail(fmt::format("{} is \"{}\"; expected a whole number", what, fields_[index].text));
    return value;
}

std::uint32_t RecordFields::whole(std::size_t index, std::string_view what) const {
    const std::uint64_t value = large(index, what);
    if (value > std::numeric_limits<std::int32_t>::max()) fail(fmt::format("{} is {}: too large", what, value));
    return static_cast<std::uint32_t>(value);
}

char RecordFields::sign(std::size_t index, std::string_view allowed, std::string_view what) const {
    const std::string& text = fields_[index].text;
    if (text.size() != 1 || allowed.find(text.front()) == std::string_view::npos)
        fail(fmt::format("{} is \"{}\"; expected one of {}", what, text, allowed));
    return text.front();
}

std::vector<std::int64_t> RecordFields::list(std::size_t index, std::string_view what) const {
    const Field& field = fields_[index];
    std::uint64_t length = 0;
    if (!field.is_list || !read(std::string_view(field.text), length))
        fail(fmt::format("{} is \"{}\"; expected a list such as [2] {{0,1}}", what, field.text));
    if (length != field.items.size())
        fail(fmt::format("{} is said to have {} entries and has {}", what, length, field.items.size()));
    std::vector<std::int64_t> values;
    for (const std::string& item : field.items) {
        std::int64_t value = 0;
        if (!read(std::string_view(item), value))
            fail(fmt::format("{} holds \"{}\"; expected whole numbers", what, item));
        values.push_back(value);
    }
    return values;
}

void RecordFields::fail(const std::string& reason) const { throw InputError(Error{file_, line_, 0, reason}); }

} // namespace orrery::dimemas
