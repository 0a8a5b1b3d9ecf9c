#include "engine/settings.h"

#include "engine/error.h"
#include "engine/units.h"

#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace orrery {

namespace {

std::string dotted(std::string_view key) {
    std::string out(key);
    for (char& each : out) {
        if (each == '/') each = '.';
    }
    return out;
}

std::string_view without_spaces(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// The value of `key` read by `parse`, whose complaint is turned into one that says where the value came from.
template <typename Value, typename Parse>
Value read(const Settings& settings, std::string_view key, Value otherwise, Parse&& parse) {
    const Setting* setting = settings.find(key);
    if (setting == nullptr) return otherwise;
    try {
        return parse(std::string_view(setting->value));
    } catch (const UsageError& error) {
        fail_setting(*setting, fmt::format("{}: {}", key, error.what()));
    }
}

double parse_number(std::string_view text) {
    const std::string_view trimmed = without_spaces(text);
    double value = 0;
    const auto result = std::from_chars(trimmed.data(), trimmed.data() + trimmed.size(), value);
    if (result.ec != std::errc() || result.ptr != trimmed.data() + trimmed.size() || !std::isfinite(value)) {
        throw UsageError(fmt::format("'{}' is not a number without unit, such as 0.97", text));
    }
    return value;
}

bool parse_flag(std::string_view text) {
    constexpr std::array<std::string_view, 4> yes{"yes", "true", "on", "1"};
    constexpr std::array<std::string_view, 4> no{"no", "false", "off", "0"};
    const std::string_view trimmed = without_spaces(text);
    for (const std::string_view word : yes) {
        if (trimmed == word) return true;
    }
    for (const std::string_view word : no) {
        if (trimmed == word) return false;
    }
    throw UsageError(fmt::format("'{}' is neither yes nor no (true/false, on/off and 1/0 do too)", text));
}

} // namespace

void fail_setting(const Setting& setting, const std::string& reason) {
    Error error{setting.file, setting.line, 0, reason};
    if (setting.file == "--set") throw UsageError(error.words());
    throw InputError(std::move(error));
}

void Settings::set(std::string_view key, std::string value, std::string file, std::uint64_t line) {
    settings_.insert_or_assign(dotted(key), Setting{std::move(value), std::move(file), line});
}

void Settings::set_from_option(std::string_view assignment) {
    const auto equals = assignment.find('=');
    const std::string_view key = without_spaces(assignment.substr(0, equals));
    if (equals == std::string_view::npos || key.empty()) {
        throw UsageError(fmt::format("--set {}: expected KEY=VALUE, such as network.latency=2us", assignment));
    }
    set(key, std::string(without_spaces(assignment.substr(equals + 1))), "--set");
}

const Setting* Settings::find(std::string_view key) const {
    const auto found =
        key.find('/') == std::string_view::npos ? settings_.find(key) : settings_.find(dotted(key));
    return found == settings_.end() ? nullptr : &found->second;
}

Time Settings::time(std::string_view key, Time otherwise) const {
    return read(*this, key, otherwise, parse_time);
}

Bytes Settings::bytes(std::string_view key, Bytes otherwise) const {
    return read(*this, key, otherwise, [](std::string_view text) {
        return without_spaces(text) == "unlimited" ? ~Bytes{0} : parse_bytes(text);
    });
}

double Settings::number(std::string_view key, double otherwise) const {
    return read(*this, key, otherwise, parse_number);
}

double Settings::bandwidth(std::string_view key, double otherwise) const {
    return read(*this, key, otherwise, parse_bandwidth);
}

bool Settings::flag(std::string_view key, bool otherwise) const {
    return read(*this, key, otherwise, parse_flag);
}

std::string Settings::word(std::string_view key, std::string_view otherwise) const {
    const Setting* setting = find(key);
    return std::string(setting == nullptr ? otherwise : without_spaces(setting->value));
}

void Settings::check_known(std::span<const std::span<const Parameter>> tables) const {
    std::vector<std::string_view> known;
    for (const auto table : tables) {
        for (const Parameter& row : table) known.push_back(row.key);
    }
    for (const auto& [key, setting] : settings_) {
        bool found = false;
        for (const std::string_view each : known) found = found || each == key;
        if (found) continue;
        const std::string near = nearest_word(key, known);
        fail_setting(setting, fmt::format("unknown key '{}'{}", key,
                                          near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
    }
}

void Settings::complain(std::string_view key, std::string_view expected) const {
    const std::string_view begin = expected.starts_with("expected") ? "" : "expected ";
    const Setting* setting = find(key);
    if (setting == nullptr) throw InputError(fmt::format("{} is not set; {}{}", key, begin, expected));
    fail_setting(*setting, fmt::format("{} = '{}'; {}{}", key, setting->value, begin, expected));
}

} // namespace orrery
