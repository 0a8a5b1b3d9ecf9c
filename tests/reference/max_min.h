// The slow obvious twins of the flow network: progressive filling over everything, and a network that does it
// anew at every instant and moves every flow by every step.
#pragma once

#include "machine/platform.h"
#include "network/flow/flow_network.h"
#include "network/flow/max_min.h"
#include "network/flow/parameters.h"

#include <string>
#include <vector>

namespace orrery::reference {

struct Flow {
    std::vector<LinkShare> route;
    double weight = 1;
    double bound = 0;
};

// The rates, by raising the common level of all flows until a link or a bound stops some of them, over and
// over.
std::vector<double> max_min_rates(const std::vector<Link>& links, const std::vector<Flow>& flows);

// Empty if these rates are feasible and max-min fair to a relative precision; otherwise what is wrong.
std::string why_not_max_min(const std::vector<Link>& links, const std::vector<Flow>& flows,
                            const std::vector<double>& rates, double precision);

struct Message {
    HostId from;
    HostId to;
    Bytes bytes = 0;
    Time start;
};
// The instants at which they arrive, in seconds.
std::vector<double> arrivals(const Platform& platform, const FlowParameters& parameters,
                             const std::vector<Message>& messages);

} // namespace orrery::reference
