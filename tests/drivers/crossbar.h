// Replays of scripts on a crossbar of 1 GB/s and 1 us per link, one rank per host of 1 Gflop/s: a message of B
// bytes takes 2 us + B ns if it is alone.
#pragma once

#include "drivers/action_script.h"
#include "drivers/trace/replay.h"
#include "engine/error.h"
#include "network/flow/flow_network.h"
#include "network/flow/test_platforms.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace orrery::test {

inline Platform crossbar(std::uint32_t hosts, std::uint32_t cores = 1) {
    std::vector<Host> all(hosts);
    for (Host& host : all) {
        host.speed = 1e9;
        host.cores = cores;
    }
    const Link link{1e9, Time::us(1), Sharing::shared};
    return {
        std::move(all), std::vector<Link>(2 * static_cast<std::size_t>(hosts), link),
        std::make_unique<RouteByFunction>([](std::uint32_t from, std::uint32_t to) {
            return from == to ? std::vector<std::uint32_t>{} : std::vector<std::uint32_t>{2 * from, 2 * to + 1};
        })};
}

inline std::vector<HostId> one_each(std::uint32_t ranks) {
    std::vector<HostId> hosts;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) hosts.push_back({rank});
    return hosts;
}

inline ReplayPrediction run_on_crossbar(ActionScript& script, const ReplayOptions& options = {}) {
    const Platform platform = crossbar(script.ranks());
    FlowNetwork network(platform, FlowParameters{});
    return replay({{&script, Time::zero(), one_each(script.ranks())}}, platform, network, options);
}

// What it fails with, in words.
inline std::string failure_on_crossbar(ActionScript& script, const ReplayOptions& options = {}) {
    try {
        (void)run_on_crossbar(script, options);
    } catch (const SimulationError& error) {
        return error.what();
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

inline ReplayOptions with_collectives(const char* words) {
    ReplayOptions options;
    options.collectives = CollectivePolicy::parse(words);
    return options;
}

} // namespace orrery::test
