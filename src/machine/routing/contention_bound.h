// How little contention the best routing of a fat tree could have for a pattern.
//
// The flows that leave the subtree below a block of hosts share U channels. The contention of a channel is at
// least the number of ends that cover all its flows, so the sum over the U channels is at least the number
// that cover all flows that leave, which is the size of the largest set of them with different senders and
// different receivers (König 1931). One of the U has at least that divided by U; the same for those that enter.
#pragma once

#include "machine/routing/colouring.h"
#include "machine/routing/fat_tree_paths.h"

namespace orrery {

std::uint32_t contention_bound(const FatTreePaths& tree, std::span<const ColourPair> pairs);

// The largest set of pairs with different senders and different receivers.
std::uint32_t largest_matching(std::span<const std::pair<HostId, HostId>> pairs);

} // namespace orrery
