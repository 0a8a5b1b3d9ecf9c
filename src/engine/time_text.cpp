#include "engine/time_text.h"

#include "engine/error.h"
#include "engine/units.h"

#include <bit>
#include <charconv>
#include <fmt/format.h>

namespace orrery {

namespace {

__extension__ using ExactPs = unsigned __int128;

} // namespace

std::string exact_ps(Time time) {
    const auto ticks = static_cast<std::uint64_t>(time.ticks() < 0 ? -time.ticks() : time.ticks());
    const ExactPs ps = ExactPs{ticks} << Time::tick_bits();
    constexpr std::uint64_t group = 1'000'000'000'000'000'000;
    const auto upper = static_cast<std::uint64_t>(ps / group);
    const auto lower = static_cast<std::uint64_t>(ps % group);
    const char* const sign = time < Time::zero() ? "-" : "";
    return upper == 0 ? fmt::format("{}{}", sign, lower) : fmt::format("{}{}{:018}", sign, upper, lower);
}

std::string longest_in_words() {
    constexpr double seconds_of_a_day = 86400;
    return fmt::format("{} days", static_cast<std::int64_t>(Time::longest().seconds() / seconds_of_a_day));
}

void set_resolution(std::string_view text) {
    const std::int64_t ps = parse_time(text).ps();
    const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(ps))) - 1;
    double number = 0;
    const char* const unit = std::from_chars(text.data(), text.data() + text.size(), number).ptr;
    const Time one = parse_time(fmt::format("1{}", text.substr(static_cast<std::size_t>(unit - text.data()))));
    const bool whole = number * one.picoseconds() == static_cast<double>(ps); // before it was rounded
    if (ps < 1 || !whole || !std::has_single_bit(static_cast<std::uint64_t>(ps)) ||
        bits > Time::most_tick_bits) {
        throw UsageError(
            fmt::format("--resolution {}: expected a power of two in picoseconds, such as 1ps, 32ps or "
                        "1024ps, up to {}ps",
                        text, std::int64_t{1} << Time::most_tick_bits));
    }
    Time::set_tick_bits(bits);
}

} // namespace orrery
