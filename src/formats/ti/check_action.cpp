#include "formats/ti/check_action.h"

#include "formats/ti/oti_layout.h"
#include "workload/listed_steps.h"
#include "workload/window_ranks.h"

#include <algorithm>

namespace orrery::ti {

namespace {

bool is_size(Bytes bytes) { return bytes <= max_op_size; }

const char* fault_of_message(const Action& action, const ActionLimits& limits) {
    const bool receives =
        action.kind == ActionKind::recv || action.kind == ActionKind::irecv || action.kind == ActionKind::probe;
    if (action.peer >= limits.ranks && !(receives && action.peer == any_source))
        return "a peer is out of range";
    if (!is_size(action.bytes) && !(receives && action.bytes == any_bytes)) return "a message is too large";
    if (!receives && action.tag == any_tag) return "a message is sent with any tag";
    if (action.kind == ActionKind::sendrecv) {
        if (action.other >= limits.ranks && action.other != any_source) return "a peer is out of range";
        if (!is_size(action.more_bytes)) return "a message is too large";
    }
    return nullptr;
}

const char* fault_of_pause(const Action& action) {
    if (action.other >= pauses) return "a pause is of no kind";
    if (static_cast<Pause>(action.other) == Pause::timed_wait)
        return is_size(action.bytes) ? nullptr : "a pause is too long";
    return action.bytes == 0 ? nullptr : "a pause that is no timed wait has a limit";
}

const char* fault_of_collective(const Action& action, std::span<const Bytes> counts,
                                const ActionLimits& limits) {
    if (action.peer >= limits.ranks) return "a root is out of range";
    if (!is_size(action.bytes) || !std::all_of(counts.begin(), counts.end(), is_size))
        return "a collective is too large";
    if (action.element == 0) return "an element of a reduction has no size";
    // One count per neighbour, whose number only a replay knows.
    const bool neighbourly = action.collective == Collective::neighbor_allgatherv ||
                             action.collective == Collective::neighbor_alltoallv ||
                             action.collective == Collective::neighbor_alltoallw;
    if (neighbourly) return nullptr;
    const bool twice = action.collective == Collective::alltoallv || action.collective == Collective::alltoallw;
    const bool rooted = action.collective == Collective::gatherv || action.collective == Collective::scatterv;
    const bool once = action.collective == Collective::allgatherv ||
                      action.collective == Collective::reduce_scatter || rooted;
    const std::size_t lists = twice ? 2 : once ? 1 : 0;
    if (counts.empty() && (lists == 0 || rooted)) return nullptr;
    const bool fits = action.comm == world ? counts.size() == lists * limits.ranks
                                           : !counts.empty() && lists != 0 && counts.size() % lists == 0;
    return fits ? nullptr : "a collective has a wrong number of counts";
}

const char* fault_of_one_sided(const Action& action, const ActionLimits& limits) {
    if (action.peer >= limits.ranks) return "a peer is out of range";
    if (!is_size(action.bytes) || !is_size(action.more_bytes)) return "a message is too large";
    return action.bytes + action.more_bytes == 0 ? "a one-sided operation moves nothing" : nullptr;
}

const char* fault_of_window(const Action& action, std::span<const Bytes> counts, const ActionLimits& limits) {
    if (action.other >= window_calls) return "an unknown call of a window";
    const auto call = static_cast<WindowCall>(action.other);
    if (has_target(call) && action.peer >= limits.ranks) return "a peer is out of range";
    if ((action.tag & ~(has_flags(call) ? window_flags : 0)) != 0)
        return "a call of a window has unknown flags";
    if (!has_ranks(call) && !counts.empty()) return "a call of a window has ranks that it cannot have";
    if (std::any_of(counts.begin(), counts.end(), [&](Bytes rank) { return rank >= limits.ranks; }))
        return "a peer is out of range";
    return names_twice(counts) ? "a call of a window names a rank twice" : nullptr;
}

} // namespace

const char* fault_of(const Action& action, std::span<const Bytes> counts, const ActionLimits& limits) {
    if (action.comm >= most_communicators) return "the number of a communicator is too large";
    if (action.nonblocking && action.kind != ActionKind::collective && action.kind != ActionKind::one_sided)
        return "an action is nonblocking that cannot be";
    const char* fault = nullptr;
    bool numbered = false; // has a request
    switch (action.kind) {
    case ActionKind::compute: break;
    case ActionKind::sleep: fault = fault_of_pause(action); break;
    case ActionKind::isend:
    case ActionKind::issend:
    case ActionKind::irecv: numbered = true; [[fallthrough]];
    case ActionKind::send:
    case ActionKind::ssend:
    case ActionKind::recv:
    case ActionKind::sendrecv:
    case ActionKind::probe: fault = fault_of_message(action, limits); break;
    case ActionKind::wait:
    case ActionKind::test:
    case ActionKind::forget:
    case ActionKind::cancel: numbered = true; break;
    case ActionKind::wait_all:
    case ActionKind::wait_any:
    case ActionKind::wait_some:
    case ActionKind::await:
        if (std::any_of(counts.begin(), counts.end(), [&](Bytes n) { return n >= limits.requests; }))
            fault = "the number of a request is too large";
        break;
    case ActionKind::collective:
        numbered = action.nonblocking;
        fault = fault_of_collective(action, counts, limits);
        break;
    case ActionKind::comm_split:
    case ActionKind::comm_dup:
    case ActionKind::comm_create:
        if (action.request == world || action.request >= most_communicators)
            fault = "the number of a communicator is out of range";
        if (action.kind == ActionKind::comm_create && counts.empty()) fault = "a communicator has no members";
        if (std::any_of(counts.begin(), counts.end(), [&](Bytes rank) { return rank >= limits.ranks; }))
            fault = "a member of a communicator is out of range";
        break;
    case ActionKind::comm_free:
        if (action.comm == world) fault = "the communicator of all ranks is freed";
        break;
    case ActionKind::neighbours:
        if (action.peer > counts.size()) fault = "a rank has more sources than neighbours";
        if (std::any_of(counts.begin(), counts.end(), [&](Bytes rank) { return rank >= limits.ranks; }))
            fault = "a neighbour is out of range";
        break;
    case ActionKind::one_sided:
        numbered = action.nonblocking;
        fault = fault_of_one_sided(action, limits);
        break;
    case ActionKind::window: fault = fault_of_window(action, counts, limits); break;
    case ActionKind::aside:
        numbered = true;
        fault = fault_of_steps(counts, limits.ranks);
        break;
    }
    if (fault != nullptr) return fault;
    return numbered && action.request >= limits.requests ? "the number of a request is too large" : nullptr;
}

} // namespace orrery::ti
