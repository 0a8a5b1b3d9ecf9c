#include "emulate/mpi/call_kinds.h"

#include <array>
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
                        "Win_flush", "Win_complete", "Win_start"}))
        return CallKind::wait;
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

} // namespace

CallKind kind_of(FunctionId function) {
    static const std::array<CallKind, functions> kinds = all_kinds();
    return kinds[static_cast<std::size_t>(function)];
}

} // namespace orrery::emulate::mpi
