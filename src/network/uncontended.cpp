#include "network/uncontended.h"

#include <algorithm>
#include <limits>

namespace orrery {

LeastRate least_rate(std::span<const RateBound> bounds) {
    constexpr double endless = std::numeric_limits<double>::infinity();
    double limit = endless;
    LeastRate least{endless};
    for (const RateBound& bound : bounds) {
        if (bound.link == Uncontended::no_link) {
            limit = std::min(limit, bound.rate);
        } else if (bound.rate < least.rate) {
            least.rate = bound.rate;
            least.bottleneck = bound.link;
        }
    }
    least.limited = limit < endless && limit <= least.rate;
    least.rate = std::min(limit, least.rate);
    return least;
}

std::vector<RouteSlopes::OfClass> bandwidth_slopes(std::span<const RateBound> bounds, Time transmission,
                                                   const LinkClassOf& class_of) {
    constexpr double rounding = 1e-12; // the same bandwidth may have been written in two units
    const double slowest = least_rate(bounds).rate * (1 + rounding);
    std::vector<RouteSlopes::OfClass> slopes;
    bool limited = false;
    for (const RateBound& bound : bounds) {
        if (bound.rate > slowest) continue;
        if (bound.link == Uncontended::no_link) {
            limited = true;
            continue;
        }
        const std::uint32_t of = class_of(0, bound.link);
        const bool known = std::any_of(slopes.begin(), slopes.end(),
                                       [&](const RouteSlopes::OfClass& each) { return each.link_class == of; });
        if (!known) slopes.push_back({of, Time::zero(), transmission});
    }
    if (slopes.size() == 1 && !limited) slopes.front().more_bandwidth = transmission;
    return slopes;
}

} // namespace orrery
