// The load-latency curve of a network under random traffic, and the load at which it saturates.
#pragma once

#include "engine/in_threads.h"
#include "machine/fabric/fabric.h"
#include "tools/traffic/run.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace orrery {

// A network without traffic, for one run. Called by several threads at a time.
using NetworkMaker = std::function<std::unique_ptr<Network>()>;

struct CurveOptions {
    TrafficOptions traffic;       // warm-up and duration are taken from the two below where they are 0
    std::uint64_t messages = 400; // per host, counted, at the offered load
    std::uint64_t warm_up = 200;  // per host, before that
    std::vector<double> loads;    // ascending
    bool search = true;           // for the saturation throughput
    double kept_up = 0.97;        // a network keeps up with a load if it accepts this share of what is offered
    double resolution = 0.01;     // of the load, in the search
    std::uint32_t threads = 1;
    TaskCounter progress; // of the loads that were asked for
};

struct TrafficCurve {
    std::vector<TrafficPoint> points; // one for each load
    double zero_load_latency = 0;     // ps, mean over messages that meet nobody
    // The highest load with which the network keeps up, and what it accepts when hosts offer all they can.
    std::optional<double> saturation;
    std::optional<double> at_full_load;
};

// The same result for every number of threads.
TrafficCurve measure_curve(const NetworkMaker& make, const TrafficPattern& pattern, std::uint32_t hosts,
                           const CurveOptions& options);

// What offered load is relative to: the bandwidth of the first link of a message from host 0. Where hosts sit
// on routers that is packet.injection_bandwidth if it is set (`fabric` knows), otherwise that of a link of the
// router.
double injection_bandwidth(const Platform& platform, const Fabric* fabric);

// "0.1,0.2,0.5" or "0.1..1.0" (by 0.1) or "0.05..0.9:0.05". Throws UsageError unless all are in (0, 1].
std::vector<double> parse_loads(const std::string& text);

} // namespace orrery
