// A collective among some of the ranks, as a part of a larger one.
#pragma once

#include "collectives/call.h"
#include "collectives/selection.h"
#include "collectives/step.h"

#include <span>

namespace orrery::coll {

// The call as a member of the group sees it; nobody knows of nodes there.
inline CollectiveCall within(const CollectiveCall& call, Collective operation, std::uint32_t rank,
                             std::uint32_t size, std::uint32_t root) {
    CollectiveCall part = call;
    part.operation = operation;
    part.rank = rank;
    part.size = size;
    part.root = root;
    part.node_of = {};
    return part;
}

// A step of it as a step of the whole: the peers are members, and the receive buffer may be another one.
inline Step outside(const Step& step, std::span<const std::uint32_t> members,
                    std::uint8_t receive = receive_buffer) {
    Step moved = step;
    if (!members.empty()) {
        moved.peer = members[step.peer];
        moved.source = members[step.source];
    }
    if (moved.from.buffer == receive_buffer) moved.from.buffer = receive;
    if (moved.to.buffer == receive_buffer) moved.to.buffer = receive;
    return moved;
}

} // namespace orrery::coll
