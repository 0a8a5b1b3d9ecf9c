// Fat trees: generalised XGFT(h; m1..mh; w1..wh) with p_i parallel cables, SimGrid's "h; m; w; p".
//
// Level 0 are the hosts. A node of level i-1 has w_i parents, a switch of level i has m_i children, and p_i
// cables join each such pair. A node is named by one digit per level: digit i counts the m_i below level i, the
// w_i from it on. Two nodes of adjacent levels are joined if all digits but the one between them agree.
//
// Routes are D-mod-k (Zahavi 2010): going up from level i, the port is (d / (w1...wi)) mod (w_{i+1} p_{i+1}), d
// being the destination; ports 0..w-1 are the first cables to each parent, the next w the second ones. Going
// down there is one path, and of parallel cables the one of number (source mod p).
//
// Wiring: the switches of level 1 first, then those of level 2, ..., within a level by their numbers. At a
// switch of level i, cable j of the child whose digit is c has port c p_i + j; behind these m_i p_i ports come
// w_{i+1} p_{i+1} to the parents, in the order of the ports above. A host has the latter only. Limiters are
// left out.
#pragma once

#include "machine/topologies/regular.h"

#include <string_view>

namespace orrery {

struct FatTreeShape {
    std::vector<std::uint32_t> down;     // m: children per switch, level 1 first
    std::vector<std::uint32_t> up;       // w: parents per node
    std::vector<std::uint32_t> parallel; // p: cables between a child and a parent
    std::vector<Cable> cables;           // one kind per level
    std::optional<double> limiter;       // bytes per second that pass each host and each switch
    std::optional<Link> loopback;
    std::uint32_t first_position = 0; // of host 0 in "mod": SimGrid counts over all fat trees of a platform
    bool simgrid = false;             // choose among parallel cables on the way down as SimGrid 3.32 does
};

// Reads "2; 20,320; 1,8; 1,2", "2; 20,320; 1,8" or "XGFT(2; 20,320; 1,8)". Throws UsageError.
void parse_fat_tree(std::string_view text, FatTreeShape& shape);

// Switches of a level from 1 on; hosts for level 0.
std::uint32_t fat_tree_nodes(const FatTreeShape& shape, std::size_t level);

// The number of hosts, m1 * ... * mh.
std::uint64_t fat_tree_hosts(const FatTreeShape& shape);

std::unique_ptr<Topology> make_fat_tree(const FatTreeShape& shape, HostNames names, std::vector<Link>& links);

} // namespace orrery
