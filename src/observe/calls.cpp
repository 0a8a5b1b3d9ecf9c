#include "observe/calls.h"

#include <array>

namespace orrery {

namespace {

std::array<std::string, call_numbers> make_names() {
    std::array<std::string, call_numbers> names{
        "compute",    "sleep",    "send",        "ssend",     "isend",   "issend",    "recv", "irecv",
        "sendrecv",   "probe",    "wait",        "waitall",   "waitany", "waitsome",  "test", "collective",
        "comm_split", "comm_dup", "comm_create", "comm_free", "forget",  "neighbours"};
    for (std::size_t i = 0; i < collective_count; ++i) {
        const std::string name(name_of(static_cast<Collective>(i)));
        names[action_kinds + i] = name;
        names[action_kinds + collective_count + i] = "i" + name;
    }
    return names;
}

} // namespace

std::size_t call_number(const Action& action) {
    if (action.kind != ActionKind::collective) return static_cast<std::size_t>(action.kind);
    return action_kinds + static_cast<std::size_t>(action.collective) +
           (action.nonblocking ? collective_count : 0);
}

const std::string& call_name(std::size_t number) {
    static const std::array<std::string, call_numbers> names = make_names();
    return names[number];
}

CallKind call_kind(std::size_t number) {
    if (number >= action_kinds) return CallKind::collective;
    switch (static_cast<ActionKind>(number)) {
    case ActionKind::compute: return CallKind::compute;
    case ActionKind::send:
    case ActionKind::ssend:
    case ActionKind::isend:
    case ActionKind::issend: return CallKind::send;
    case ActionKind::recv:
    case ActionKind::irecv:
    case ActionKind::sendrecv:
    case ActionKind::probe: return CallKind::receive;
    case ActionKind::wait:
    case ActionKind::wait_all:
    case ActionKind::wait_any:
    case ActionKind::wait_some:
    case ActionKind::test: return CallKind::wait;
    case ActionKind::collective:
    case ActionKind::comm_split:
    case ActionKind::comm_dup: return CallKind::collective;
    case ActionKind::sleep:
    case ActionKind::comm_create:
    case ActionKind::comm_free:
    case ActionKind::forget:
    case ActionKind::neighbours: break;
    }
    return CallKind::other;
}

} // namespace orrery
