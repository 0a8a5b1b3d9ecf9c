// WorldActions: collectives, as words where the grammar has them, otherwise as messages.
#include "collectives/comm_split.h"
#include "formats/export/world_actions_rank.h"

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
    if (action.kind != ActionKind::collective) { // what members of a new communicator tell each other; a fence
        word.kind = ActionKind::collective;
        word.collective = call.operation;
        word.bytes = call.bytes;
        word.element = static_cast<std::uint32_t>(call.element);
        word.peer = word.other = word.request = 0;
        word.volume = 0;
        word.counts = 0;
    }
    Steps split = action.kind == ActionKind::comm_split
                      ? split_steps(all_.options_.collectives.selector(), call)
                      : Steps();
    if (split || !is_world(member) || !has_word(word)) {
        if (communicators_.size(member) > 1) ++all_.notes_.expanded;
        return expand(word, call, member, std::move(split));
    }
    word.comm = world;
    word.first_count = static_cast<std::uint32_t>(counts_.size());
    if (action.kind == ActionKind::collective) counts_.insert(counts_.end(), counts.begin(), counts.end());
    actions_.push_back(word);
}

// A nonblocking call posts all its messages at once, whatever its steps say: SimGrid's algorithms for them need
// no other order.
void WorldActions::Rank::expand(const Action& action, const CollectiveCall& call, const Membership& member,
                                Steps steps) {
    const bool at_once = action.nonblocking;
    const Choice choice =
        at_once ? select_nonblocking(Selector::smpi_default, call) : all_.options_.collectives.choose(call);
    const std::uint32_t tagged = all_.tags_.collective(member.index, member.calls);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> requests; // of the algorithm, and ours
    std::vector<std::uint32_t> posted;                             // by a nonblocking call
    const auto put_nonblocking = [&](ActionKind kind, std::uint32_t peer, Bytes bytes) {
        Action& own = put_message(kind, communicators_.world_rank(member, peer), tagged, bytes, action.line);
        own.request = post(own);
        if (at_once) posted.push_back(own.request);
        return own.request;
    };
    const auto put_blocking = [&](ActionKind kind, std::uint32_t peer, Bytes bytes) {
        put_message(kind, communicators_.world_rank(member, peer), tagged, bytes, action.line);
    };
    if (!steps) steps = choice.run(call);
    while (const Step* const step = steps.next()) {
        switch (step->kind) {
        case Step::Kind::send:
            if (!at_once) {
                put_blocking(ActionKind::send, step->peer, step->from.bytes);
                break;
            }
            [[fallthrough]];
        case Step::Kind::isend:
            requests.emplace_back(step->request,
                                  put_nonblocking(ActionKind::isend, step->peer, step->from.bytes));
            break;
        case Step::Kind::recv:
            if (!at_once) {
                put_blocking(ActionKind::recv, step->peer, step->to.bytes);
                break;
            }
            [[fallthrough]];
        case Step::Kind::irecv:
            requests.emplace_back(step->request,
                                  put_nonblocking(ActionKind::irecv, step->peer, step->to.bytes));
            break;
        case Step::Kind::sendrecv: {
            if (step->peer == member.rank && step->source == member.rank) break; // a copy
            const std::uint32_t sent = put_nonblocking(ActionKind::isend, step->peer, step->from.bytes);
            const std::uint32_t received = put_nonblocking(ActionKind::irecv, step->source, step->to.bytes);
            if (!at_once) wait_for({sent, received}, action.line);
            break;
        }
        case Step::Kind::wait:
        case Step::Kind::wait_all: {
            if (at_once) break;
            std::vector<std::uint32_t> own;
            std::erase_if(requests, [&](const auto& each) {
                if (step->kind == Step::Kind::wait && each.first != step->request) return false;
                own.push_back(each.second);
                return true;
            });
            wait_for(std::move(own), action.line);
            break;
        }
        case Step::Kind::copy:
        case Step::Kind::reduce:
        case Step::Kind::reduce_after: break;
        }
    }
    if (at_once) slot(action.request) = std::move(posted);
    if (action.volume > 0) put(ActionKind::compute, action.line).volume = action.volume;
}

} // namespace orrery
