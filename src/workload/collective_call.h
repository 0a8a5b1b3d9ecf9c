// From a collective action of a trace to the call that an algorithm wants.
#pragma once

#include "collectives/call.h"
#include "workload/action.h"
#include "workload/communicators.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace orrery {

bool is_neighbourhood(Collective operation);

// The counts and neighbours of a call that outlives the window of its trace: a nonblocking one.
struct KeptCall {
    std::vector<Bytes> counts;
    std::shared_ptr<const Neighbours> neighbours;
};

// Fills in what `action` (a collective, comm_split, comm_dup or fence of a window) means on its communicator of
// `size` ranks, but not node_of. The call points into `counts` and into the neighbours of `member`. Returns
// what does not fit, if anything.
std::optional<std::string> make_call(const Action& action, std::span<const Bytes> counts,
                                     const Membership& member, std::uint32_t size, CollectiveCall& call);

// Moves what `call` points to into `kept`, and lets it point there.
void keep(CollectiveCall& call, const Membership& member, KeptCall& kept);

// The neighbours that an action of that kind names. Throws nothing; see `fault_of_neighbours`.
Neighbours neighbours_of(const Action& action, std::span<const Bytes> counts);
// What is wrong with them in a communicator of `size` ranks.
std::optional<std::string> fault_of_neighbours(const Action& action, std::span<const Bytes> counts,
                                               std::uint32_t size);

} // namespace orrery
