// What a network has to report at the end of a run: what passed its links, and what else it knows.
#pragma once

#include "engine/time.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

struct LinkLoad {
    std::string name;
    double bytes = 0;
    double use = 0; // mean over the run, of its bandwidth
    Time blocked{}; // packet: head-of-line blocking in the buffer at its end
};

// What only a network of packets knows.
struct PacketFigures {
    std::uint64_t segment_hops = 0;               // segments times channels passed
    std::vector<std::uint64_t> latency_histogram; // [k]: messages that took 2^(k-1) to 2^k - 1 ns
    std::vector<LinkLoad> blocked;                // the ten with the most head-of-line blocking
};

struct NetworkReport {
    static constexpr std::size_t most_links = 10; // in a list of links
    std::vector<LinkLoad> busiest;                // the one of the greatest use first
    std::optional<PacketFigures> packets;         // of a network of packets
    // [rail][link]: whether bytes passed it; empty of networks without links.
    std::vector<std::vector<bool>> crossed;
    std::vector<std::string> notes; // what the user should know
};

} // namespace orrery
