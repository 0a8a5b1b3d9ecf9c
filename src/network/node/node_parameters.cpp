#include "network/node/node_parameters.h"

#include "engine/units.h"

#include <array>
#include <fmt/format.h>

namespace orrery {

namespace {

constexpr std::array<Parameter, 6> table{{
    {"node.memory_bandwidth", "bandwidth", "",
     "of a host's memory, reads and writes together; all messages within the host share it. Not set: they take "
     "the loopback"},
    {"node.copy_bandwidth", "bandwidth", "10 GB/s", "what one core copies from memory to memory"},
    {"node.cache", "bytes", "0", "largest message that is copied within a core's caches"},
    {"node.cache_bandwidth", "bandwidth", "node.copy_bandwidth", "what one core copies within its caches"},
    {"node.single_copy_from", "bytes", "unlimited",
     "messages of this size and larger are copied once, not twice: with kernel assistance (CMA, KNEM, XPMEM)"},
    {"node.latency", "time", "0", "of a message within a host, besides its copies"},
}};

double positive_bandwidth(const Settings& settings, std::string_view key, double otherwise) {
    const double value = settings.bandwidth(key, otherwise);
    if (!(value > 0)) settings.complain(key, "expected a bandwidth above 0, such as 10 GB/s");
    return value;
}

} // namespace

std::span<const Parameter> node_parameters() { return table; }

std::optional<NodeParameters> read_node_parameters(const Settings& settings) {
    if (settings.find("node.memory_bandwidth") == nullptr) {
        for (const Parameter& each : table) {
            if (settings.find(each.key) != nullptr)
                settings.complain(each.key,
                                  "expected node.memory_bandwidth as well, which all messages within a "
                                  "host share");
        }
        return std::nullopt;
    }
    constexpr double usual_copy = 10e9;
    NodeParameters read;
    read.memory_bandwidth = positive_bandwidth(settings, "node.memory_bandwidth", 0);
    read.copy_bandwidth = positive_bandwidth(settings, "node.copy_bandwidth", usual_copy);
    read.cache = settings.bytes("node.cache", read.cache);
    read.cache_bandwidth = positive_bandwidth(settings, "node.cache_bandwidth", read.copy_bandwidth);
    read.single_copy_from = settings.bytes("node.single_copy_from", read.single_copy_from);
    read.latency = settings.time("node.latency", read.latency);
    return read;
}

std::string describe(const NodeParameters& parameters) {
    return fmt::format("within a host copies of {} each, {} of memory",
                       format_bandwidth(parameters.copy_bandwidth),
                       format_bandwidth(parameters.memory_bandwidth));
}

} // namespace orrery
