#include "engine/too_long.h"

#include "engine/time_text.h"

#include <fmt/format.h>

namespace orrery {

namespace {

constexpr double ps_per_second = 1e12;

} // namespace

TooLong::TooLong(const std::string& what)
    : SimulationError(fmt::format("{} takes longer than {}, the longest time that can be simulated", what,
                                  longest_in_words())) {}

void throw_run_too_long() { throw TooLong("the run"); }

void throw_too_long(const char* what, double picoseconds) {
    throw TooLong(fmt::format("{} ({:.6g} s)", what, picoseconds / ps_per_second));
}

Time transfer_time(double bytes, double bytes_per_second, const char* what) {
    const double ps = bytes / bytes_per_second * ps_per_second;
    if (!(ps < Time::longest().picoseconds())) [[unlikely]]
        throw TooLong(fmt::format("{} of {:.6g} B at {:.6g} B/s ({:.6g} s)", what, bytes, bytes_per_second,
                                  ps / ps_per_second));
    return Time::from_ps(ps, what);
}

} // namespace orrery
