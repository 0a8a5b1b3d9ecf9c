#include "observe/quantity.h"

#include "engine/units.h"

#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace orrery {

namespace {

struct Unit {
    std::string_view name;
    Measure measure;
    double factor;
};

constexpr double ki = 1024;
constexpr std::array quantity_units{
    Unit{"", Measure::plain, 1},
    Unit{"k", Measure::count, ki},
    Unit{"K", Measure::count, ki},
    Unit{"Ki", Measure::count, ki},
    Unit{"M", Measure::count, ki* ki},
    Unit{"Mi", Measure::count, ki* ki},
    Unit{"ps", Measure::time, 1e-12},
    Unit{"ns", Measure::time, 1e-9},
    Unit{"us", Measure::time, 1e-6},
    Unit{"ms", Measure::time, 1e-3},
    Unit{"s", Measure::time, 1},
    Unit{"min", Measure::time, 60},
    Unit{"h", Measure::time, 3600},
    Unit{"B", Measure::size, 1},
    Unit{"b", Measure::size, 1},
    Unit{"kB", Measure::size, 1e3},
    Unit{"MB", Measure::size, 1e6},
    Unit{"GB", Measure::size, 1e9},
    Unit{"TB", Measure::size, 1e12},
    Unit{"KiB", Measure::size, ki},
    Unit{"MiB", Measure::size, ki* ki},
    Unit{"GiB", Measure::size, ki* ki* ki},
    Unit{"TiB", Measure::size, ki* ki* ki* ki},
};

// Prefix and ending of compound units: "Gbit/s", "MB/s", "KiBps", "Gf".
struct Ending {
    std::string_view name;
    Measure measure;
    double factor;
};
constexpr std::array endings{
    Ending{"bit/s", Measure::bandwidth, 0.125},
    Ending{"bps", Measure::bandwidth, 0.125},
    Ending{"B/s", Measure::bandwidth, 1},
    Ending{"Bps", Measure::bandwidth, 1},
    Ending{"flop/s", Measure::rate, 1},
    Ending{"instr/s", Measure::rate, 1},
    Ending{"f", Measure::rate, 1},
};
constexpr std::array prefixes{
    Unit{"", Measure::plain, 1},    Unit{"k", Measure::plain, 1e3},     Unit{"M", Measure::plain, 1e6},
    Unit{"G", Measure::plain, 1e9}, Unit{"T", Measure::plain, 1e12},    Unit{"P", Measure::plain, 1e15},
    Unit{"Ki", Measure::plain, ki}, Unit{"Mi", Measure::plain, ki* ki}, Unit{"Gi", Measure::plain, ki* ki* ki}};

const Unit* find(std::string_view name) {
    for (const Unit& unit : quantity_units) {
        if (unit.name == name) return &unit;
    }
    return nullptr;
}

std::optional<Unit> find_unit(std::string_view name) {
    if (const Unit* const unit = find(name); unit != nullptr) return *unit;
    for (const Ending& ending : endings) {
        if (!name.ends_with(ending.name)) continue;
        const std::string_view rest = name.substr(0, name.size() - ending.name.size());
        for (const Unit& prefix : prefixes) {
            if (prefix.name == rest) return Unit{name, ending.measure, prefix.factor * ending.factor};
        }
    }
    const auto slash = name.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    const Unit* const above = find(name.substr(0, slash));
    const Unit* const below = find(name.substr(slash + 1));
    if (above == nullptr || below == nullptr) return std::nullopt;
    if (above->measure != Measure::time || below->measure != Measure::size) return std::nullopt;
    return Unit{name, Measure::time_per_byte, above->factor / below->factor};
}

std::string_view trim(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// The largest of these units, which ascend, that leaves the number at least one.
DisplayUnit largest(double value, std::initializer_list<DisplayUnit> scale) {
    DisplayUnit best = *scale.begin();
    for (const DisplayUnit& unit : scale) {
        if (std::abs(value) >= unit.factor * (1 - 1e-9)) best = unit;
    }
    return best;
}

} // namespace

std::optional<Quantity> read_quantity(std::string_view text) {
    const std::string_view trimmed = trim(text);
    Quantity quantity;
    const char* const end = trimmed.data() + trimmed.size();
    const auto result = std::from_chars(trimmed.data(), end, quantity.number);
    if (result.ec != std::errc() || !std::isfinite(quantity.number)) return std::nullopt;
    const std::string_view name = trim({result.ptr, static_cast<std::size_t>(end - result.ptr)});
    const std::optional<Unit> unit = find_unit(name);
    if (!unit) return std::nullopt;
    quantity.unit = std::string(name);
    quantity.measure = unit->measure;
    quantity.base = quantity.number * unit->factor;
    return std::isfinite(quantity.base) ? std::optional(quantity) : std::nullopt;
}

std::optional<Measure> common_measure(const Quantity& a, const Quantity& b) {
    if (a.measure == b.measure) return a.measure;
    const auto goes_with = [](const Quantity& plain, Measure other) {
        return plain.measure == Measure::plain &&
               (plain.base == 0 || other == Measure::count || other == Measure::size);
    };
    if (goes_with(a, b.measure)) return b.measure;
    if (goes_with(b, a.measure)) return a.measure;
    return std::nullopt;
}

Measure written_measure(const Quantity& quantity) {
    const std::string_view unit = quantity.unit;
    if (quantity.measure == Measure::bandwidth && (unit.ends_with("bit/s") || unit.ends_with("bps")))
        return Measure::bit_rate;
    if (quantity.measure == Measure::rate && (unit.ends_with("flop/s") || unit.ends_with("f")))
        return Measure::flop_rate;
    return quantity.measure;
}

DisplayUnit display_unit(double base, Measure measure) {
    const bool binary = std::abs(base) >= ki && std::fmod(base, ki) == 0;
    switch (measure) {
    case Measure::time:
        return largest(base, {{"ps", 1e-12}, {"ns", 1e-9}, {"\u00B5s", 1e-6}, {"ms", 1e-3}, {"s", 1}});
    case Measure::size:
        return binary ? largest(base, {{"KiB", ki}, {"MiB", ki * ki}, {"GiB", ki * ki * ki}})
                      : largest(base, {{"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}});
    case Measure::bandwidth:
        return largest(base, {{"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}});
    case Measure::time_per_byte:
        return largest(base, {{"fs/B", 1e-15}, {"ps/B", 1e-12}, {"ns/B", 1e-9}, {"\u00B5s/B", 1e-6}});
    case Measure::rate:
        return largest(base, {{"/s", 1}, {"k/s", 1e3}, {"M/s", 1e6}, {"G/s", 1e9}, {"T/s", 1e12}});
    case Measure::bit_rate:
        return largest(base, {{"bit/s", 0.125},
                              {"kbit/s", 0.125e3},
                              {"Mbit/s", 0.125e6},
                              {"Gbit/s", 0.125e9},
                              {"Tbit/s", 0.125e12}});
    case Measure::flop_rate:
        return largest(base, {{"flop/s", 1},
                              {"kflop/s", 1e3},
                              {"Mflop/s", 1e6},
                              {"Gflop/s", 1e9},
                              {"Tflop/s", 1e12},
                              {"Pflop/s", 1e15}});
    case Measure::count:
    case Measure::plain: break;
    }
    return {};
}

std::string quantity_words(double base, Measure measure) {
    if (base == 0) return "0";
    const DisplayUnit unit = display_unit(base, measure);
    if (!unit.name.empty()) return fmt::format("{:.6g} {}", base / unit.factor, unit.name);
    const bool whole = base >= 1000 && base < 1e15 && base == std::floor(base);
    return whole ? format_count(static_cast<std::uint64_t>(base)) : fmt::format("{:.6g}", base);
}

} // namespace orrery
