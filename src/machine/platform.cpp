#include "machine/platform.h"

#include <utility>

namespace orrery {

Platform::Platform(std::vector<Host> hosts, std::vector<Link> links, std::unique_ptr<Topology> topology)
    : hosts_(std::move(hosts)), links_(std::move(links)), topology_(std::move(topology)) {}

double Platform::speed(HostId host, double burst) const {
    const Host& which = hosts_[host.index()];
    double speed = which.speed;
    if (which.bursts == 0) return speed;
    for (const SpeedByBurst& each : bursts[which.bursts - 1]) { // few, in ascending order
        if (each.from > burst) break;
        speed = each.speed;
    }
    return speed;
}

} // namespace orrery
