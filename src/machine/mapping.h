// Which rank runs on which host: from a hostfile, by a rule, or rank by rank.
#pragma once

#include "machine/platform.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

// A host and how many ranks it takes before the next one is used.
struct HostSlots {
    HostId host;
    std::uint32_t slots = 1;
    bool operator==(const HostSlots&) const = default;
};

// Hostfiles as mpirun and smpirun read them: a host per line, "host", "host:4" or "host slots=4" (max_slots is
// passed over); `#` begins a comment; a host may occur again. Throws InputError for an unknown host ("did you
// mean"), with its line.
std::vector<HostSlots> read_hostfile(const std::string& file, const Platform& platform);
std::vector<HostSlots> parse_hostfile(std::string_view text, const std::string& file, const Platform& platform);

// All hosts in natural order (n0 n1 n2 ... n10), each with as many slots as it has cores.
std::vector<HostSlots> natural_hosts(const Platform& platform);
// As smpirun takes them without a hostfile: in the order of their names as strings (n0 n1 n10 n11 ... n2), one
// slot each.
std::vector<HostSlots> simgrid_hosts(const Platform& platform);

// Rank i gets slot i, the slots of a host one after another; after the last slot from the first one on.
std::vector<HostId> map_block(const std::vector<HostSlots>& hosts, std::uint32_t ranks);
// One rank on each host in turn; a host whose slots are used is left out until all are, then from the first one
// on.
std::vector<HostId> map_round_robin(const std::vector<HostSlots>& hosts, std::uint32_t ranks);
// The slots of all hosts, shuffled: rank i gets slot i of the shuffled ones; more ranks than slots begin again.
std::vector<HostId> map_random(const std::vector<HostSlots>& hosts, std::uint32_t ranks, std::uint64_t seed);
// Rank by rank: a line "RANK HOST" for each rank, in any order; or a line "HOST" for each rank, rank 0 first, a
// host as often as it has ranks. In the latter a number is that of a host if none has it for its name. Throws
// InputError.
std::vector<HostId> read_rank_map(const std::string& file, const Platform& platform, std::uint32_t ranks);
std::vector<HostId> parse_rank_map(std::string_view text, const std::string& file, const Platform& platform,
                                   std::uint32_t ranks);

// What the command line says.
struct MappingOptions {
    std::string hostfile; // empty: all hosts
    // block, roundrobin, random, random:SEED, or file:PATH (rank by rank; no hostfile then)
    std::string map_by = "block";
    bool simgrid_order = false; // without a hostfile: simgrid_hosts instead of natural_hosts
};
// Throws UsageError for an unknown rule of `map_by`; an empty one is the usual one.
void check_map_rule(const std::string& rule);
std::vector<HostId> map_ranks(const Platform& platform, std::uint32_t ranks, const MappingOptions& options);
// The hosts that the options name, with their slots.
std::vector<HostSlots> hosts_of(const Platform& platform, const MappingOptions& options);

// As read_rank_map reads it: a line per rank.
std::string rank_map_text(const std::vector<HostId>& hosts, const Platform& platform);

} // namespace orrery
