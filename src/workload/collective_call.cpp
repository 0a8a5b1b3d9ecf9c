#include "workload/collective_call.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery {

namespace {

// How many counts an operation has: for each rank (or neighbour), or none.
struct CountLists {
    std::size_t send = 0;
    std::size_t receive = 0;
};

CountLists lists_of(Collective operation, std::size_t destinations, std::size_t sources) {
    switch (operation) {
    case Collective::alltoallv:
    case Collective::alltoallw:
    case Collective::neighbor_alltoallv:
    case Collective::neighbor_alltoallw: return {destinations, sources};
    case Collective::scatterv: return {destinations, 0};
    case Collective::gatherv:
    case Collective::allgatherv:
    case Collective::reduce_scatter:
    case Collective::neighbor_allgatherv: return {0, sources};
    default: return {};
    }
}

} // namespace

bool is_neighbourhood(Collective operation) { return operation >= Collective::neighbor_allgather; }

std::optional<std::string> make_call(const Action& action, std::span<const Bytes> counts,
                                     const Membership& member, std::uint32_t size, CollectiveCall& call) {
    call = {};
    call.rank = member.rank;
    call.size = size;
    if (is_fence(action)) {
        call.operation = Collective::barrier;
        return std::nullopt;
    }
    if (action.kind != ActionKind::collective) { // the members tell each other, then each knows its group
        call.operation = action.kind == ActionKind::comm_dup ? Collective::allreduce : Collective::allgather;
        call.bytes = 8;
        call.element = 4;
        return std::nullopt;
    }
    call.operation = action.collective;
    call.bytes = action.bytes;
    call.element = action.element;
    call.commutative = action.commutative;
    if (has_root(call.operation)) {
        call.root = action.peer;
        if (call.root >= size) return fmt::format("root {} of a communicator of {} ranks", call.root, size);
    }
    std::size_t destinations = size;
    std::size_t sources = size;
    if (is_neighbourhood(call.operation)) {
        if (member.neighbours == nullptr) {
            return fmt::format("calls {}, but nothing says who its neighbours in communicator {} are",
                               name_of(call.operation), action.comm);
        }
        call.sources = member.neighbours->sources;
        call.destinations = member.neighbours->destinations;
        destinations = call.destinations.size();
        sources = call.sources.size();
    }
    const CountLists lists = lists_of(call.operation, destinations, sources);
    const bool may_lack = has_root(call.operation) || lists.send + lists.receive == 0;
    if (counts.empty() && may_lack) return std::nullopt;
    if (counts.size() != lists.send + lists.receive) {
        return is_neighbourhood(call.operation)
                   ? fmt::format("{} counts for a {} with {} sources and {} destinations", counts.size(),
                                 name_of(call.operation), sources, destinations)
                   : fmt::format("{} counts for a {} among {} ranks", counts.size(), name_of(call.operation),
                                 size);
    }
    call.send_counts = counts.first(lists.send);
    call.receive_counts = counts.subspan(lists.send);
    return std::nullopt;
}

void keep(CollectiveCall& call, const Membership& member, KeptCall& kept) {
    kept.neighbours = member.neighbours;
    kept.counts.assign(call.send_counts.begin(), call.send_counts.end());
    kept.counts.insert(kept.counts.end(), call.receive_counts.begin(), call.receive_counts.end());
    const std::span<const Bytes> all = kept.counts;
    call.receive_counts = all.subspan(call.send_counts.size());
    call.send_counts = all.first(call.send_counts.size());
}

Neighbours neighbours_of(const Action& action, std::span<const Bytes> counts) {
    Neighbours result;
    result.line = action.line;
    for (const Bytes each : counts.first(action.peer))
        result.sources.push_back(static_cast<std::uint32_t>(each));
    for (const Bytes each : counts.subspan(action.peer))
        result.destinations.push_back(static_cast<std::uint32_t>(each));
    return result;
}

std::optional<std::string> fault_of_neighbours(const Action& action, std::span<const Bytes> counts,
                                               std::uint32_t size) {
    if (action.peer > counts.size())
        return fmt::format("names {} sources, but only {} neighbours", action.peer, counts.size());
    const auto outside = std::find_if(counts.begin(), counts.end(), [&](Bytes each) { return each >= size; });
    if (outside == counts.end()) return std::nullopt;
    return fmt::format("names rank {} as a neighbour, but its communicator has {} ranks", *outside, size);
}

} // namespace orrery
