// The node of a machine: what a message between two ranks of one host costs.
//
// A message of n bytes is copied c times: twice (into a buffer that both ranks share, and out of it), or once
// from `single_copy_from` bytes on, where the system helps. One core copies at `copy_bandwidth`. Each byte that
// is copied crosses the memory twice (read, written), and all copies of a host share `memory_bandwidth` and its
// cores. A message that is not larger than `cache` is copied at `cache_bandwidth` and leaves the memory alone;
// such messages share the cores. Then `latency` passes. So a message that is alone takes
//
//     latency + c n / min(copy_bandwidth, memory_bandwidth / 2)
//
// Does not see: which rank a core copies for, which socket or memory a rank uses, what computations take of the
// memory, caches that are cold.
#pragma once

#include "engine/ids.h"
#include "engine/settings.h"
#include "engine/time.h"
#include "network/loggops/parameters.h"

#include <optional>
#include <span>
#include <string>

namespace orrery {

// Of copies that share something, in bytes per second.
struct CopyLimits {
    double all = 0;  // of them together
    double each = 0; // of one

    [[nodiscard]] double share(std::size_t copies) const {
        const double fair = all / static_cast<double>(copies);
        return fair < each ? fair : each;
    }
};

struct NodeParameters {
    double memory_bandwidth = 0; // bytes per second, of a host
    double copy_bandwidth = 0;   // bytes per second, of a core
    Bytes cache = 0;
    double cache_bandwidth = 0; // bytes per second, of a core
    Bytes single_copy_from = unlimited;
    Time latency;

    bool operator==(const NodeParameters&) const = default;

    [[nodiscard]] bool stays_in_cache(Bytes bytes) const { return bytes <= cache; }
    // Bytes that are copied for a message.
    [[nodiscard]] double copied(Bytes bytes) const {
        return static_cast<double>(bytes) * (bytes >= single_copy_from ? 1 : 2);
    }
    // Bytes that cross the memory for it.
    [[nodiscard]] double traffic(Bytes bytes) const { return 2 * copied(bytes); }
    // Of traffic in the memory of a host.
    [[nodiscard]] CopyLimits memory(std::uint32_t cores) const {
        const double of_cores = 2 * copy_bandwidth * cores;
        return {memory_bandwidth < of_cores ? memory_bandwidth : of_cores, 2 * copy_bandwidth};
    }
    // Of copies within the caches of a host.
    [[nodiscard]] CopyLimits caches(std::uint32_t cores) const {
        return {cache_bandwidth * cores, cache_bandwidth};
    }
};

std::span<const Parameter> node_parameters();

// Nothing if the machine does not say node.memory_bandwidth: then a host's loopback carries its messages.
// Throws as Settings do.
std::optional<NodeParameters> read_node_parameters(const Settings& settings);

// For the summary: "within a host copies of 10 GB/s each, 200 GB/s of memory".
std::string describe(const NodeParameters& parameters);

} // namespace orrery
