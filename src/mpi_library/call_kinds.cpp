#include "mpi_library/call_kinds.h"

#include "results/calls.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

namespace orrery::emulate::mpi {

namespace {

constexpr std::size_t functions = std::size(function_names);

bool contains(std::string_view name, std::initializer_list<std::string_view> words) {
    for (const std::string_view word : words) {
        if (name.find(word) != std::string_view::npos) return true;
    }
    return false;
}

// The names of MPI say it.
CallKind by_name(std::string_view name) {
    name.remove_prefix(4); // MPI_
    if (contains(name, {"Wait", "Test", "robe", "Request_get", "Win_wait", "Win_lock", "Win_unlock",
                        "Win_flush", "Win_complete", "Win_start", "Win_post"}))
        return CallKind::wait;
    constexpr std::array one_sided{"Put",
                                   "Rput",
                                   "Get",
                                   "Rget",
                                   "Accumulate",
                                   "Raccumulate",
                                   "Get_accumulate",
                                   "Rget_accumulate",
                                   "Fetch_and_op",
                                   "Compare_and_swap"};
    if (std::find(one_sided.begin(), one_sided.end(), name) != one_sided.end()) return CallKind::send;
    if (contains(name, {"Barrier", "cast", "ather", "catter", "lltoall", "educe", "can", "Comm_dup",
                        "Comm_split", "Comm_create", "Intercomm", "Cart_create", "Graph_create", "graph_create",
                        "Win_create", "Win_fence", "Win_free", "Win_allocate"})) {
        return CallKind::collective;
    }
    if (contains(name, {"recv"}) && !contains(name, {"Sendrecv"})) return CallKind::receive;
    if (contains(name, {"Recv"})) return CallKind::receive;
    if (contains(name, {"end"})) return CallKind::send;
    return CallKind::other;
}

std::array<CallKind, functions> all_kinds() {
    std::array<CallKind, functions> kinds{};
    for (std::size_t i = 0; i < functions; ++i) kinds[i] = by_name(function_names[i]);
    return kinds;
}

Action action_by_kind(ActionKind kind) {
    Action action; // a collective is a barrier: its members wait for each other
    action.kind = kind;
    return action;
}

std::optional<Action> action_by_name(std::string_view name) {
    std::string lower;
    for (const char c : name.substr(4)) lower.push_back(static_cast<char>(std::tolower(c)));
    for (std::size_t i = 0; i < call_numbers; ++i) {
        if (call_name(i) == lower) return action_of_call(i);
    }
    const bool goes_on = lower.starts_with('i'); // MPI_Ibsend
    if (lower.starts_with("sendrecv")) return action_by_kind(ActionKind::sendrecv);
    if (lower.ends_with("probe")) return action_by_kind(ActionKind::probe);
    if (lower.starts_with("test")) return action_by_kind(ActionKind::test);
    if (lower.ends_with("send")) return action_by_kind(goes_on ? ActionKind::isend : ActionKind::send);
    if (lower.ends_with("recv")) return action_by_kind(goes_on ? ActionKind::irecv : ActionKind::recv);
    return std::nullopt;
}

} // namespace

std::optional<Action> action_of(FunctionId function, const Action* logged) {
    static const std::array<std::optional<Action>, functions> actions = [] {
        std::array<std::optional<Action>, functions> all;
        for (std::size_t i = 0; i < functions; ++i) all[i] = action_by_name(function_names[i]);
        return all;
    }();
    const std::optional<Action>& named = actions[static_cast<std::size_t>(function)];
    if (logged != nullptr && (!named || call_number(*logged) == call_number(*named))) return *logged;
    if (named) return named;
    switch (kind_of(function)) {
    case CallKind::wait: return action_by_kind(ActionKind::wait);
    case CallKind::collective: return action_by_kind(ActionKind::collective);
    default: return std::nullopt;
    }
}

CallKind kind_of(FunctionId function) {
    static const std::array<CallKind, functions> kinds = all_kinds();
    return kinds[static_cast<std::size_t>(function)];
}

} // namespace orrery::emulate::mpi
