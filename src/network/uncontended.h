// What a message takes that has the network to itself, and how that time follows the links of its route: what
// the critical path (observe/event_path.h) knows of a network.
#pragma once

#include "engine/ids.h"
#include "engine/time.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace orrery {

// Whatever it takes longer, it waits for others.
struct Uncontended {
    static constexpr LinkId no_link{~std::uint32_t{0}};
    Time latency;                // whatever its size is
    Time transmission;           // of its bytes over the slowest part of its route
    LinkId bottleneck = no_link; // the slowest link
    std::uint32_t rail = 0;      // of which network this is a link, where there are several
    // All of `transmission` if no link bounds the rate but a window, or what a host can send or receive.
    Time limited;
};

// Numbers for classes of links, which the caller chooses.
using LinkClassOf = std::function<std::uint32_t(std::uint32_t rail, LinkId link)>;

// Derivatives with respect to the logarithm of a parameter: 1 % of it changes the time by 1 % of that.
struct RouteSlopes {
    struct OfLink {
        LinkId link;
        std::uint32_t rail = 0;
        Time latency; // its part of Uncontended::latency
    };
    // All links of a class together. What more bandwidth saves is less than what less bandwidth costs where a
    // link of another class is as slow.
    struct OfClass {
        std::uint32_t link_class = 0;
        Time more_bandwidth;
        Time less_bandwidth;
    };
    std::vector<OfLink> links;    // in the order of the route; twice if the route holds it twice
    std::vector<OfClass> classes; // each once
    Time window; // of Uncontended::limited: what follows the latency of the route, in equal proportion
};

// Of a message that goes at the least of several rates: what a link, or something else (no_link), lets pass.
struct RateBound {
    LinkId link;
    double rate = 0; // bytes per second
};
struct LeastRate {
    double rate = 0;                          // infinite if there are none
    LinkId bottleneck = Uncontended::no_link; // the first of the slowest links
    bool limited = false;                     // by something that is no link
};
LeastRate least_rate(std::span<const RateBound> bounds);
std::vector<RouteSlopes::OfClass> bandwidth_slopes(std::span<const RateBound> bounds, Time transmission,
                                                   const LinkClassOf& class_of);

} // namespace orrery
