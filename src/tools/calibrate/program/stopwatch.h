// The clock of the measurements, its own cost, and waiting without giving up the core.
#pragma once

#include <algorithm>
#include <ctime>
#include <vector>

namespace orrery::calibrate {

inline double now_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// What lies between two readings that follow each other: taken off every duration.
inline double clock_cost_ns() {
    std::vector<double> costs(2001);
    for (double& cost : costs) {
        const double begin = now_ns();
        cost = now_ns() - begin;
    }
    std::nth_element(costs.begin(), costs.begin() + 1000, costs.end());
    return costs[1000];
}

// As a computing rank would: no MPI call is made meanwhile.
inline void spin_ns(double duration) {
    const double end = now_ns() + duration;
    while (now_ns() < end) {
    }
}

// How much longer than asked for that takes, as seen from outside: a matter of how often it looks at the clock.
inline double spin_excess_ns(double clock_ns) {
    std::vector<double> excesses(501);
    constexpr double asked = 2000;
    for (double& excess : excesses) {
        const double begin = now_ns();
        spin_ns(asked);
        excess = now_ns() - begin - clock_ns - asked;
    }
    std::nth_element(excesses.begin(), excesses.begin() + 250, excesses.end());
    return excesses[250];
}

} // namespace orrery::calibrate
