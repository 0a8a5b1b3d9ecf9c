// A number with its unit, whatever it measures: enough to make ranges of values and to draw them on an axis.
//
// A study may vary any key, so its values cannot know which parser will read them. Here a value is a number and
// the text of a unit; units that measure the same thing are comparable. What a value means is left to the
// model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace orrery {

enum class Measure : std::uint8_t {
    plain,         // no unit
    count,         // k, Ki, M, Mi: powers of 1024, as in numbers of ranks
    time,          // base: seconds
    size,          // base: bytes
    bandwidth,     // base: bytes per second
    time_per_byte, // base: seconds per byte
    rate,          // base: operations per second
    bit_rate,      // base: bytes per second, shown in bits
    flop_rate,     // base: floating-point operations per second, shown as flop/s
};

struct Quantity {
    double number = 0; // as written
    std::string unit;  // as written, without blanks around it
    Measure measure = Measure::plain;
    double base = 0; // in the base unit of its measure
};

// Nothing if the text is not a finite number followed by a unit that is known here.
std::optional<Quantity> read_quantity(std::string_view text);

// The measure of both; nothing if they cannot be compared. A plain number goes with counts and bytes, a plain
// zero with everything.
std::optional<Measure> common_measure(const Quantity& a, const Quantity& b);

// How a quantity is to be shown: a bandwidth in bits or bytes, a rate in flop/s, as it was written.
Measure written_measure(const Quantity& quantity);

// The unit in which people would write a value of this size, and what it is in the base unit. Without a name:
// none.
struct DisplayUnit {
    std::string_view name;
    double factor = 1;
};
DisplayUnit display_unit(double base, Measure measure);

// "5 us", "64 KiB", "1,024", "12.5 GB/s": a value of the axis of a plot, in the unit that suits it.
std::string quantity_words(double base, Measure measure);

} // namespace orrery
