// Replayer, part 3 of 4: communicators and who is whose neighbour in them.
#include "drivers/trace/replayer.h"

#include "collectives/comm_split.h"
#include "engine/error.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery {

Membership& Replayer::membership(TraceRank& rank, const Action& action) {
    if (Membership* const found = rank.communicators.find(action.comm)) return *found;
    fail(static_cast<std::uint32_t>(&rank - traces_.data()), action,
         fmt::format("communicator {} does not exist here", action.comm));
}

std::uint32_t Replayer::peer_of(TraceRank& rank, const Action& action, std::uint32_t peer) {
    if (peer == any_source) return any_source;
    const Membership& member = membership(rank, action);
    if (peer >= communicators_.size(member.index)) {
        fail(static_cast<std::uint32_t>(&rank - traces_.data()), action,
             fmt::format("names rank {}, but its communicator has {} ranks", peer,
                         communicators_.size(member.index)));
    }
    return communicators_.member(member.index, peer);
}

// Its number may be given to another one.
void Replayer::leave(TraceRank& rank, std::uint32_t name) {
    const Membership* const left = rank.communicators.find(name);
    if (left == nullptr || name == world) return;
    windows_.leave(*left);
    std::erase(rank.compared, left->index);
    rank.communicators.leave(name);
}

void Replayer::create_communicator(const Fiber& fiber, TraceRank& rank, const Action& action) {
    std::vector<std::uint32_t> members;
    for (const Bytes member : counts(fiber, action)) {
        if (member >= jobs_[rank.job].hosts.size())
            fail(fiber.rank, action, fmt::format("names rank {}, which does not exist", member));
        members.push_back(first_rank_[rank.job] + static_cast<std::uint32_t>(member));
    }
    if (std::find(members.begin(), members.end(), fiber.rank) == members.end()) return;
    const std::uint32_t index = communicators_.create(std::move(members), fiber.rank);
    leave(rank, action.request);
    rank.communicators.join(action.request, index, communicators_.rank_in(index, fiber.rank));
}

Replayer::Outcome Replayer::perform_communicator(Fiber& fiber, TraceRank& rank, const Action& action) {
    if (action.kind == ActionKind::comm_free) {
        leave(rank, action.comm);
        return Outcome::done;
    }
    if (action.kind == ActionKind::comm_create) {
        create_communicator(fiber, rank, action);
        return Outcome::done;
    }
    // Split and dup: the members tell each other, then each knows its group.
    Membership& parent = membership(rank, action);
    const bool dup = action.kind == ActionKind::comm_dup;
    const std::uint32_t colour = dup ? 0 : action.peer;
    if (fiber.phase == 0) {
        fiber.phase = 1;
        communicators_.offer(parent.index, parent.calls, colour, dup ? parent.rank : action.other, fiber.rank,
                             parent.rank);
        CollectiveCall call;
        (void)make_call(action, {}, parent, communicators_.size(parent.index), call);
        fiber.run = start_collective(fiber, parent, call, false, action.line,
                                     dup ? Steps() : split_steps(options_.collectives.selector(), call));
        return Outcome::again;
    }
    const auto index = communicators_.split(parent.index, parent.calls - 1, colour);
    if (!index) return Outcome::done;
    const std::shared_ptr<const Neighbours> inherited = dup ? parent.neighbours : nullptr;
    leave(rank, action.request);
    rank.communicators.join(action.request, *index, communicators_.rank_in(*index, fiber.rank)).neighbours =
        inherited;
    return Outcome::done;
}

void Replayer::perform_neighbours(const Fiber& fiber, TraceRank& rank, const Action& action) {
    Membership& member = membership(rank, action);
    const std::span<const Bytes> all = counts(fiber, action);
    if (const auto fault = fault_of_neighbours(action, all, communicators_.size(member.index)))
        fail(fiber.rank, action, *fault);
    member.neighbours = std::make_shared<const Neighbours>(neighbours_of(action, all));
    std::erase(rank.compared, member.index);
}

// Before the first collective among them: each sends as often as the other receives. Graphs that no collective
// uses need not be symmetric. O(degree) for each neighbour; a rank that names nobody is not asked.
void Replayer::check_neighbours(const Fiber& fiber, TraceRank& rank, const Membership& member) {
    if (std::find(rank.compared.begin(), rank.compared.end(), member.index) != rank.compared.end()) return;
    rank.compared.push_back(member.index);
    Action named; // where the own ones are
    named.line = member.neighbours->line;
    const auto times = [](const std::vector<std::uint32_t>& list, std::uint32_t who) {
        return std::count(list.begin(), list.end(), who);
    };
    const auto check = [&](std::uint32_t other) {
        const std::uint32_t peer = communicators_.member(member.index, other);
        const Neighbours* theirs = nullptr;
        traces_[peer].communicators.for_each([&](const Membership& each) {
            if (each.index == member.index) theirs = each.neighbours.get();
        });
        if (theirs == nullptr) return; // it compares when it calls
        const Neighbours& ours = *member.neighbours;
        for (const bool sends : {true, false}) {
            const auto own = times(sends ? ours.destinations : ours.sources, other);
            const auto expected = times(sends ? theirs->sources : theirs->destinations, member.rank);
            if (own == expected) continue;
            fail(fiber.rank, named,
                 fmt::format("names rank {} {} time{} as a {}, but that rank names it {} time{} as a {}, at {}",
                             other, own, own == 1 ? "" : "s", sends ? "destination" : "source", expected,
                             expected == 1 ? "" : "s", sends ? "source" : "destination",
                             place(peer, theirs->line)));
        }
    };
    for (const std::uint32_t other : member.neighbours->destinations) check(other);
    for (const std::uint32_t other : member.neighbours->sources) check(other);
}

} // namespace orrery
