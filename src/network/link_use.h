// What a link has carried, in a network that knows links.
#pragma once

#include "machine/platform.h"
#include "results/network_report.h"

#include <span>

namespace orrery {

struct LinkUse {
    double bytes = 0;    // of messages whose route holds the link
    double occupied = 0; // bytes that would have fitted meanwhile

    // The part of the link's capacity that was in use over a time, on average.
    [[nodiscard]] double mean_use(const Link& link, Time over) const {
        return over > Time::zero() ? occupied / (link.bandwidth * over.seconds()) : 0;
    }
};

// The report of a network that keeps this, by link of the platform.
NetworkReport link_report(std::span<const LinkUse> use, const Platform& platform, Time end);

} // namespace orrery
