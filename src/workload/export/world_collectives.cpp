// WorldActions: collectives, as words where the grammar has them, otherwise as messages.
#include "workload/collectives/algorithms.h"
#include "workload/export/world_actions_rank.h"

#include <utility>

namespace orrery {

// The world or a duplicate of it.
bool WorldActions::Rank::is_world(const Membership& member) const {
    if (member.index == 0) return true;
    if (communicators_.size(member) != all_.ranks()) return false;
    for (std::uint32_t rank = 0; rank < all_.ranks(); ++rank) {
        if (communicators_.world_rank(member, rank) != rank) return false;
    }
    return true;
}

bool WorldActions::Rank::has_word(const Action& action) const {
    if (action.nonblocking || !action.commutative) return false;
    switch (action.collective) {
    case Collective::barrier:
    case Collective::allreduce:
    case Collective::alltoall:
    case Collective::alltoallv:
    case Collective::allgatherv:
    case Collective::reduce_scatter: return true;
    case Collective::bcast:
    case Collective::reduce:
    case Collective::gather: return !older_ || action.peer == 0;
    case Collective::gatherv:
    case Collective::scatter:
    case Collective::scatterv:
    case Collective::allgather:
    case Collective::scan:
    case Collective::exscan: return !older_;
    default: return false;
    }
}

void WorldActions::Rank::collective(const Action& action, std::span<const Bytes> counts) {
    const CollectiveCall call = communicators_.call(action, counts);
    const Membership& member = communicators_.of(action);
    Action word = action;
    if (action.kind != ActionKind::collective) { // comm_split, comm_dup: what their members tell each other
        word.kind = ActionKind::collective;
        word.collective = call.operation;
        word.bytes = call.bytes;
        word.element = static_cast<std::uint32_t>(call.element);
        word.peer = word.other = word.request = 0;
        word.volume = 0;
        word.counts = 0;
    }
    if (!is_world(member) || !has_word(word)) {
        if (communicators_.size(member) > 1) ++all_.notes_.expanded;
        return expand(word, call, member);
    }
    word.comm = world;
    word.first_count = static_cast<std::uint32_t>(counts_.size());
    if (action.kind == ActionKind::collective) counts_.insert(counts_.end(), counts.begin(), counts.end());
    actions_.push_back(word);
}

void WorldActions::Rank::expand(const Action& action, const CollectiveCall& call, const Membership& member) {
    const Choice choice = action.nonblocking ? select_nonblocking(Selector::smpi_default, call)
                                             : all_.options_.collectives.choose(call);
    const std::uint32_t tagged = all_.tags_.collective(member.index, member.calls);
    const auto to_world = [&](std::uint32_t peer) { return communicators_.world_rank(member, peer); };
    std::vector<std::pair<std::uint32_t, std::uint32_t>> requests; // of the algorithm, and ours
    std::vector<std::uint32_t> posted;
    Steps steps = choice.run(call);
    while (const Step* const step = steps.next()) {
        switch (step->kind) {
        case Step::Kind::send:
            put_message(ActionKind::send, to_world(step->peer), tagged, step->from.bytes, action.line);
            break;
        case Step::Kind::recv:
            put_message(ActionKind::recv, to_world(step->peer), tagged, step->to.bytes, action.line);
            break;
        case Step::Kind::isend:
        case Step::Kind::irecv: {
            const bool sends = step->kind == Step::Kind::isend;
            Action& own = put_message(sends ? ActionKind::isend : ActionKind::irecv, to_world(step->peer),
                                      tagged, sends ? step->from.bytes : step->to.bytes, action.line);
            own.request = post(own);
            requests.emplace_back(step->request, own.request);
            break;
        }
        case Step::Kind::sendrecv: {
            const std::uint32_t to = to_world(step->peer);
            const std::uint32_t from = to_world(step->source);
            if (to == rank_.value && from == rank_.value) break; // a copy
            Action& sent = put_message(ActionKind::isend, to, tagged, step->from.bytes, action.line);
            const std::uint32_t first = sent.request = post(sent);
            Action& received = put_message(ActionKind::irecv, from, tagged, step->to.bytes, action.line);
            const std::uint32_t second = received.request = post(received);
            wait_for({first, second}, action.line);
            break;
        }
        case Step::Kind::wait:
        case Step::Kind::wait_all: {
            std::vector<std::uint32_t> own;
            std::erase_if(requests, [&](const auto& each) {
                if (step->kind == Step::Kind::wait && each.first != step->request) return false;
                own.push_back(each.second);
                return true;
            });
            if (action.nonblocking) {
                posted.insert(posted.end(), own.begin(), own.end());
            } else {
                wait_for(std::move(own), action.line);
            }
            break;
        }
        case Step::Kind::copy:
        case Step::Kind::reduce:
        case Step::Kind::reduce_after: break;
        }
    }
    if (action.nonblocking) slot(action.request) = std::move(posted);
    if (action.volume > 0) put(ActionKind::compute, action.line).volume = action.volume;
}

} // namespace orrery
