#include "results/calls.h"

#include <array>

namespace orrery {

namespace {

std::array<std::string, call_numbers> make_names() {
    std::array<std::string, call_numbers> names{
        "compute",    "sleep",      "send",       "ssend",    "isend",       "issend",    "recv",
        "irecv",      "sendrecv",   "probe",      "wait",     "waitall",     "waitany",   "waitsome",
        "test",       "collective", "comm_split", "comm_dup", "comm_create", "comm_free", "forget",
        "neighbours", "rma",        "window",     "cancel",   "aside",       "await"};
    for (std::size_t i = 0; i < collective_count; ++i) {
        const std::string name(name_of(static_cast<Collective>(i)));
        names[action_kinds + i] = name;
        names[action_kinds + collective_count + i] = "i" + name;
    }
    for (std::size_t i = 0; i < window_calls; ++i) names[first_window_call + i] = window_call_names[i];
    names[nonblocking_one_sided] = "irma";
    return names;
}

} // namespace

Action action_of_call(std::size_t number) {
    Action action;
    if (number < action_kinds) {
        action.kind = static_cast<ActionKind>(number);
    } else if (number < first_window_call) {
        action.kind = ActionKind::collective;
        action.nonblocking = number >= action_kinds + collective_count;
        action.collective = static_cast<Collective>((number - action_kinds) % collective_count);
    } else if (number < nonblocking_one_sided) {
        action.kind = ActionKind::window;
        action.other = static_cast<std::uint32_t>(number - first_window_call);
    } else {
        action.kind = ActionKind::one_sided;
        action.nonblocking = true;
    }
    return action;
}

const std::string& call_name(std::size_t number) {
    static const std::array<std::string, call_numbers> names = make_names();
    return names[number];
}

CallKind call_kind(std::size_t number) {
    if (number == nonblocking_one_sided) return CallKind::send;
    if (number > first_window_call) return CallKind::wait;
    if (number >= action_kinds) return CallKind::collective; // a fence, the first call of a window, is one
    switch (static_cast<ActionKind>(number)) {
    case ActionKind::compute: return CallKind::compute;
    case ActionKind::send:
    case ActionKind::ssend:
    case ActionKind::isend:
    case ActionKind::issend:
    case ActionKind::one_sided: return CallKind::send;
    case ActionKind::recv:
    case ActionKind::irecv:
    case ActionKind::sendrecv:
    case ActionKind::probe: return CallKind::receive;
    case ActionKind::wait:
    case ActionKind::wait_all:
    case ActionKind::wait_any:
    case ActionKind::wait_some:
    case ActionKind::test:
    case ActionKind::window:
    case ActionKind::await: return CallKind::wait;
    case ActionKind::collective:
    case ActionKind::comm_split:
    case ActionKind::comm_dup:
    case ActionKind::aside: return CallKind::collective;
    case ActionKind::sleep:
    case ActionKind::comm_create:
    case ActionKind::comm_free:
    case ActionKind::forget:
    case ActionKind::neighbours:
    case ActionKind::cancel: break;
    }
    return CallKind::other;
}

} // namespace orrery
