// What a run is made with, whoever drives the ranks: endpoint, collective algorithms, noise, who watches.
#pragma once

#include "collectives/selection.h"
#include "engine/time.h"
#include "machine/noise.h"
#include "machine/start_skew.h"
#include "protocol/endpoint_parameters.h"
#include "results/event_log.h"
#include "results/replay_log.h"

#include <cstdint>
#include <functional>

namespace orrery {

struct ReplayOptions {
    EndpointParameters endpoint;
    CollectivePolicy collectives = CollectivePolicy(Selector::openmpi);
    Noise* noise = nullptr;
    ReplayObserver* observer = nullptr;
    std::function<void(std::uint64_t actions_done, Time now)> progress;
    StartSkew skew{};           // ranks are counted through over all jobs
    EventLog* events = nullptr; // null: nobody asks why it took so long
};

} // namespace orrery
