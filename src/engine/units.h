// Quantities as people write them ("2500ns", "1.3 us", "6 ns/B", "200 Gbit/s", "64 KiB") to and from numbers.
#pragma once

#include "engine/ids.h"
#include "engine/time.h"

#include <string>
#include <string_view>

namespace orrery {

// All throw UsageError with what was expected. A bare "0" needs no unit.
Time parse_time(std::string_view text); // ps ns us ms s min h
double
parse_time_per_byte(std::string_view text); // "6ns/B", or a bandwidth "1.25 GB/s", "10 Gbit/s"; in ps per byte
// In bytes per second: "10 Gbit/s", "1.25 GB/s", "4 GiB/s", and as SimGrid writes them "56Gbps", "125MBps",
// "1KiBps".
double parse_bandwidth(std::string_view text);
// Work per second: "3.5 Ginstr/s", "8 Gflop/s", and as SimGrid writes them "1Gf", "286.087kf", "1gigaflops".
double parse_rate(std::string_view text);
Bytes parse_bytes(std::string_view text); // B, kB MB GB TB (powers of 1000), KiB MiB GiB TiB; bare: bytes

// A count: 8M, 64k, 1Ki, 1Mi. As in the sizes of machines, k and M are 1024 and 1024^2 here, like Ki and Mi.
std::uint64_t parse_count(std::string_view text);

// With the unit that suits, three or more significant digits: "127.466 us", "42.283 s", "64 KiB", "1.83 GB".
std::string format_time(Time time);
std::string format_picoseconds(double picoseconds); // the same for what is no time of a run: it may be longer
std::string format_bytes(Bytes bytes);
std::string format_count(std::uint64_t count);         // "8,388,608"
std::string format_bandwidth(double bytes_per_second); // "12.5 GB/s"
std::string format_rate(double per_second);            // "3.5 G/s"

// The candidate most like `word`, or empty if none is close: for "did you mean".
template <typename Range> std::string nearest_word(std::string_view word, const Range& candidates);
std::size_t edit_distance(std::string_view a, std::string_view b);

template <typename Range> std::string nearest_word(std::string_view word, const Range& candidates) {
    std::string best;
    std::size_t best_distance = word.size() / 3 + 2; // further away is not a misspelling
    for (const auto& candidate : candidates) {
        const std::size_t distance = edit_distance(word, candidate);
        if (distance < best_distance) {
            best_distance = distance;
            best = std::string(candidate);
        }
    }
    return best;
}

} // namespace orrery
