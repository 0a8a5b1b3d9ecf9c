#include "engine/units.h"

#include "engine/error.h"
#include "engine/time_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace orrery {

namespace {

struct Unit {
    std::string_view name;
    double factor;
};

constexpr std::array time_units{Unit{"ps", 1},   Unit{"ns", 1e3},   Unit{"us", 1e6},   Unit{"ms", 1e9},
                                Unit{"s", 1e12}, Unit{"min", 6e13}, Unit{"h", 3600e12}};

constexpr double ki = 1024;
constexpr std::array byte_units{Unit{"", 1},
                                Unit{"B", 1},
                                Unit{"b", 1},
                                Unit{"kB", 1e3},
                                Unit{"MB", 1e6},
                                Unit{"GB", 1e9},
                                Unit{"TB", 1e12},
                                Unit{"KiB", ki},
                                Unit{"MiB", ki* ki},
                                Unit{"GiB", ki* ki* ki},
                                Unit{"TiB", ki* ki* ki* ki}};

constexpr std::array bit_units{Unit{"bit", 1}, Unit{"kbit", 1e3}, Unit{"Mbit", 1e6}, Unit{"Gbit", 1e9},
                               Unit{"Tbit", 1e12}};

constexpr std::array count_units{Unit{"", 1},           Unit{"k", ki},         Unit{"K", ki},
                                 Unit{"Ki", ki},        Unit{"M", ki* ki},     Unit{"Mi", ki* ki},
                                 Unit{"G", ki* ki* ki}, Unit{"Gi", ki* ki* ki}};

std::string_view trim(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

const Unit* find_unit(std::span<const Unit> units, std::string_view name) {
    const auto found =
        std::find_if(units.begin(), units.end(), [&](const Unit& unit) { return unit.name == name; });
    return found == units.end() ? nullptr : &*found;
}

[[noreturn]] void fail(std::string_view text, std::string_view expected) {
    throw UsageError(fmt::format("'{}' is not {}", text, expected));
}

bool same_letters(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
        return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
    });
}

// "; did you mean 1kB or 1KiB?": capital and small letters in a unit differ, and often go wrong.
std::string unit_hint(double value, std::string_view unit, std::span<const Unit> units) {
    std::vector<std::string> meant;
    if (unit.empty()) return {};
    const auto first = unit.substr(0, 1);
    for (const Unit& each : units) {
        const bool binary = unit.size() == 2 && each.name.size() == 3 && each.name[1] == 'i' &&
                            same_letters(each.name.substr(0, 1), first) &&
                            same_letters(each.name.substr(2), unit.substr(1)); // kb: KiB
        if (binary || same_letters(each.name, unit)) meant.push_back(fmt::format("{:g}{}", value, each.name));
    }
    const bool beginning = meant.empty(); // k: kB, KiB; Gb: Gbit/s, GB/s
    for (const Unit& each : units) {
        if (beginning && same_letters(each.name.substr(0, unit.size()), unit))
            meant.push_back(fmt::format("{:g}{}", value, each.name));
    }
    return meant.empty() ? "" : fmt::format("; did you mean {}?", fmt::join(meant, " or "));
}

// The unit of time that goes by another name elsewhere; empty: none.
std::string_view usual_time_unit(std::string_view unit) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 11> others{{
        {"\u00B5s", "us"}, // micro sign
        {"\u03BCs", "us"}, // Greek mu
        {"usec", "us"},
        {"msec", "ms"},
        {"nsec", "ns"},
        {"sec", "s"},
        {"second", "s"},
        {"seconds", "s"},
        {"minutes", "min"},
        {"hours", "h"},
        {"hour", "h"},
    }};
    for (const auto& [other, ours] : others) {
        if (same_letters(other, unit)) return ours;
    }
    return unit;
}

struct Quantity {
    double value;
    std::string_view unit;
};

// A finite, non-negative number followed by a unit.
Quantity split(std::string_view text, std::string_view expected) {
    const std::string_view trimmed = trim(text);
    double value = 0;
    const auto result = std::from_chars(trimmed.data(), trimmed.data() + trimmed.size(), value);
    if (result.ec != std::errc() || !std::isfinite(value) || value < 0) fail(text, expected);
    return {value, trim(trimmed.substr(static_cast<std::size_t>(result.ptr - trimmed.data())))};
}

std::uint64_t whole(double value, std::string_view text, std::string_view expected) {
    if (value >= 0x1p63 || value != std::floor(value)) fail(text, expected);
    return static_cast<std::uint64_t>(value);
}

// The prefix of a unit, such as G (1e9) or Gi (2^30); 0 if it is none.
double prefix_factor(std::string_view prefix) {
    constexpr std::string_view letters = "kMGTPE";
    if (prefix.empty()) return 1;
    const bool binary = prefix.size() == 2 && prefix[1] == 'i';
    if (prefix.size() > 1 && !binary) return 0;
    const auto at = letters.find(prefix[0] == 'K' ? 'k' : prefix[0]);
    if (at == std::string_view::npos) return 0;
    return std::pow(binary ? ki : 1000.0, static_cast<double>(at + 1));
}

// What is left of `text` before `ending`, if it ends so.
std::optional<std::string_view> before(std::string_view text, std::string_view ending) {
    if (!text.ends_with(ending)) return std::nullopt;
    return text.substr(0, text.size() - ending.size());
}

// The factor of a unit that is one of `endings` with a prefix; 0 if it is none.
double unit_factor(std::string_view unit, std::span<const Unit> endings) {
    for (const Unit& ending : endings) {
        if (const auto prefix = before(unit, ending.name)) {
            const double factor = prefix_factor(*prefix);
            if (factor != 0) return factor * ending.factor;
        }
    }
    return 0;
}

// "12.5 G" for 1.25e10: the number with the largest prefix that leaves it at least one.
std::string with_letter(double value) {
    std::string_view best;
    for (const std::string_view letter : {"k", "M", "G", "T", "P", "E"}) {
        if (std::abs(value) >= prefix_factor(letter)) best = letter;
    }
    return fmt::format("{:.6g} {}", value / prefix_factor(best), best);
}

} // namespace

Time parse_time(std::string_view text) {
    constexpr std::string_view expected = "a time such as 2500ns, 1.3us or 2s (units: ps ns us ms s min h)";
    const Quantity quantity = split(text, expected);
    if (quantity.value == 0 && quantity.unit.empty()) return Time::zero();
    const Unit* unit = find_unit(time_units, quantity.unit);
    if (unit == nullptr)
        fail(text, fmt::format("{}{}", expected,
                               unit_hint(quantity.value, usual_time_unit(quantity.unit), time_units)));
    if (!(quantity.value * unit->factor < Time::longest().picoseconds()))
        fail(text, fmt::format("a time below {}, the longest time that can be simulated", longest_in_words()));
    return Time::from_ps(quantity.value * unit->factor, "a time");
}

double parse_time_per_byte(std::string_view text) {
    constexpr std::string_view expected =
        "a time per byte such as 6ns/B or 40ps/B, or a bandwidth such as 1.25 GB/s or 10 Gbit/s";
    const Quantity quantity = split(text, expected);
    if (quantity.value == 0 && quantity.unit.empty()) return 0;
    const auto slash = quantity.unit.find('/');
    if (slash == std::string_view::npos) fail(text, expected);
    const std::string_view upper = trim(quantity.unit.substr(0, slash));
    const std::string_view lower = trim(quantity.unit.substr(slash + 1));
    if (const Unit* time = find_unit(time_units, upper); time != nullptr) {
        const Unit* bytes = find_unit(byte_units, lower);
        if (bytes == nullptr || lower.empty()) fail(text, expected);
        return quantity.value * time->factor / bytes->factor;
    }
    const Unit* bytes = find_unit(byte_units, upper);
    const Unit* bits = find_unit(bit_units, upper);
    if (lower != "s" || (bytes == nullptr && bits == nullptr) || upper.empty() || quantity.value == 0) {
        fail(text, expected);
    }
    const double bytes_per_second = quantity.value * (bytes != nullptr ? bytes->factor : bits->factor / 8);
    return 1e12 / bytes_per_second;
}

double parse_bandwidth(std::string_view text) {
    constexpr std::string_view expected = "a bandwidth with its unit, such as 10 Gbit/s, 1.25 GB/s or 56Gbps";
    constexpr std::array endings{Unit{"bit/s", 0.125}, Unit{"B/s", 1}, Unit{"b/s", 0.125}, Unit{"Bps", 1},
                                 Unit{"bps", 0.125}};
    const Quantity quantity = split(text, expected);
    if (quantity.unit.empty()) fail(text, fmt::format("{}: the unit is missing", expected));
    const double factor = unit_factor(quantity.unit, endings);
    if (factor == 0) {
        constexpr std::array common{Unit{"Mbit/s", 0}, Unit{"Gbit/s", 0}, Unit{"Tbit/s", 0}, Unit{"kB/s", 0},
                                    Unit{"MB/s", 0},   Unit{"GB/s", 0},   Unit{"TB/s", 0}};
        fail(text, fmt::format("{}{}", expected, unit_hint(quantity.value, quantity.unit, common)));
    }
    if (!std::isfinite(quantity.value * factor)) fail(text, expected);
    return quantity.value * factor;
}

double parse_rate(std::string_view text) {
    constexpr std::string_view expected = "a rate with its unit, such as 3.5 Ginstr/s, 8 Gflop/s or 1Gf";
    constexpr std::array endings{Unit{"instr/s", 1}, Unit{"flop/s", 1}, Unit{"Flop/s", 1}, Unit{"flops", 1},
                                 Unit{"f", 1}};
    constexpr std::array words{Unit{"kiloflops", 1e3},  Unit{"megaflops", 1e6},  Unit{"gigaflops", 1e9},
                               Unit{"teraflops", 1e12}, Unit{"petaflops", 1e15}, Unit{"exaflops", 1e18}};
    const Quantity quantity = split(text, expected);
    if (quantity.unit.empty()) fail(text, fmt::format("{}: the unit is missing", expected));
    const Unit* word = find_unit(words, quantity.unit);
    const double factor = word != nullptr ? word->factor : unit_factor(quantity.unit, endings);
    if (factor == 0 || !std::isfinite(quantity.value * factor)) fail(text, expected);
    return quantity.value * factor;
}

Bytes parse_bytes(std::string_view text) {
    constexpr std::string_view expected = "a size such as 8, 64KiB (1,024-based) or 1.5MB (1,000-based)";
    const Quantity quantity = split(text, expected);
    const Unit* unit = find_unit(byte_units, quantity.unit);
    if (unit == nullptr)
        fail(text, fmt::format("{}{}", expected, unit_hint(quantity.value, quantity.unit, byte_units)));
    return whole(quantity.value * unit->factor, text, expected);
}

std::uint64_t parse_count(std::string_view text) {
    constexpr std::string_view expected = "a count such as 64, 4k, 1Mi or 8M (k and M are 1024 and 1024*1024)";
    const Quantity quantity = split(text, expected);
    const Unit* unit = find_unit(count_units, quantity.unit);
    if (unit == nullptr)
        fail(text, fmt::format("{}{}", expected, unit_hint(quantity.value, quantity.unit, count_units)));
    return whole(quantity.value * unit->factor, text, expected);
}

std::string format_picoseconds(double picoseconds) {
    const Unit* unit = &time_units[0];
    for (const Unit& larger : std::span(time_units).first(5)) {
        if (std::abs(picoseconds) >= larger.factor) unit = &larger;
    }
    if (unit->factor == 1) return fmt::format("{:.0f} ps", picoseconds);
    constexpr double in_figures = 1e15; // seconds: from there on all of them would be noise
    if (!(std::abs(picoseconds) < in_figures * unit->factor))
        return fmt::format("{:.4g} {}", picoseconds / unit->factor, unit->name);
    return fmt::format("{:.3f} {}", picoseconds / unit->factor, unit->name);
}

std::string format_time(Time time) { return format_picoseconds(time.picoseconds()); }

std::string format_bytes(Bytes bytes) {
    if (bytes < 10'000) return fmt::format("{} B", bytes);
    const auto value = static_cast<double>(bytes);
    for (const std::string_view name : {"TB", "GB", "MB", "kB"}) {
        const double factor = find_unit(byte_units, name)->factor;
        if (value >= factor) return fmt::format("{:.2f} {}", value / factor, name);
    }
    return fmt::format("{} B", bytes);
}

std::string format_bandwidth(double bytes_per_second) { return with_letter(bytes_per_second) + "B/s"; }

std::string format_rate(double per_second) { return with_letter(per_second) + "/s"; }

std::string format_count(std::uint64_t count) {
    std::string digits = std::to_string(count);
    for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
        digits.insert(static_cast<std::size_t>(at), 1, ',');
    }
    return digits;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
            diagonal = above;
        }
    }
    return row[b.size()];
}

} // namespace orrery
