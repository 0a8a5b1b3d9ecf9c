// What the rows of several kinds of topologies share: keys, cables by level, names of hosts, and the platform.
#pragma once

#include "engine/error.h"
#include "machine/topology_kinds.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery {

inline constexpr std::uint32_t most_levels = 64; // of a tree, or dimensions that have cables of their own kind

inline constexpr Parameter limiter_key{"limiter.bandwidth", "bandwidth", "none",
                                       "what a host's interface (and a switch) carries both ways together"};
inline constexpr Parameter hosts_per_router_key{
    "topology.hosts_per_router", "count", "1",
    "hosts on a router, with cables of their own ([link.node]) where there are several"};

// With the keys of kinds whose hosts are numbered.
template <std::size_t count>
constexpr std::array<Parameter, count + 3> with_host_names(const std::array<Parameter, count>& keys) {
    std::array<Parameter, count + 3> all{
        Parameter{"host.prefix", "word", "n", "what the names of hosts begin with"},
        Parameter{"host.suffix", "word", "", "what the names of hosts end with"},
        Parameter{"host.numbers", "list", "0 to n-1", "the numbers in their names, such as 1-39,58"}};
    std::copy(keys.begin(), keys.end(), all.begin() + 3);
    return all;
}

// "level1", "level2", ...: as many as count() says; none if it throws UsageError, as the maker then does, too.
template <typename Count> std::vector<std::string> numbered_cables(std::string_view word, Count&& count) {
    std::vector<std::string> names;
    try {
        const std::size_t all = std::min<std::size_t>(count(), most_levels);
        for (std::size_t i = 1; i <= all; ++i) names.push_back(fmt::format("{}{}", word, i));
    } catch (const UsageError&) {
        names.clear();
    }
    return names;
}
// "node", and "dimension1", ... by topology.dimensions.
std::vector<std::string> cables_of_dimensions(const Settings& hardware);

// [link] with the changes of [link.level1], [link.level2], ...
std::vector<Cable> cables_by_number(const MachineValues& values, std::string_view word, std::size_t count);
std::optional<double> limiter_of(const MachineValues& values);
bool has_simgrid_quirks(const MachineValues& values);
// Hosts sit on their router, unless there are several or the file says what their cables are like.
std::optional<Cable> node_cable_of(const MachineValues& values, std::uint32_t hosts_per_router);

// Names for `count` hosts, which `key` implies.
HostNames host_names_of(const MachineValues& values, std::uint64_t count, const std::string& key);

// Of so many equal hosts. `make(names, links)` makes the topology and adds its links.
template <typename Make>
std::unique_ptr<Platform> regular_platform(const TopologyInput& input, std::uint64_t hosts,
                                           const std::string& key, Make&& make) {
    HostNames names = host_names_of(input.values, hosts, key);
    std::vector<Link> links;
    auto topology = make(std::move(names), links);
    return std::make_unique<Platform>(std::vector<Host>(hosts, input.host), std::move(links),
                                      std::move(topology));
}

} // namespace orrery
