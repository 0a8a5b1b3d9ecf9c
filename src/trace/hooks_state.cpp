#include "trace/hooks_state.h"

#include "trace/hooks.h"
#include "trace/statuses.h"

#include <cstdio>
#include <new>

namespace orrery::trace {

HooksState* hooks_state = nullptr;

Look& look_of_this_thread() {
    static thread_local Look look;
    return look;
}

MPI_Status* room_for_statuses() {
    static thread_local std::vector<MPI_Status> room;
    const Look& look = look_of_this_thread();
    if (!look.cancelled) return nullptr;
    if (room.size() < look.slots.size()) room.resize(look.slots.size());
    return room.data();
}

SeenStatuses::SeenStatuses(MPI_Status* asked) : Statuses(false), passed_(asked) {
    if (MPI_Status* const room = room_for_statuses()) {
        // NOLINTNEXTLINE(misc-redundant-expression): they are the same in some MPIs only.
        if (asked == MPI_STATUS_IGNORE || asked == MPI_STATUSES_IGNORE) passed_ = room;
        first_ = passed_;
    }
}

bool Statuses::cancelled(std::size_t index) const {
    if (first_ == nullptr) return false;
    int flag = 0;
    if (fortran_) {
        MPI_Status converted;
        constexpr std::size_t words = sizeof(MPI_Status) / sizeof(MPI_Fint);
        PMPI_Status_f2c(static_cast<const MPI_Fint*>(first_) + index * words, &converted);
        PMPI_Test_cancelled(&converted, &flag);
    } else {
        PMPI_Test_cancelled(static_cast<const MPI_Status*>(first_) + index, &flag);
    }
    return flag != 0;
}

void put_request(Action& action, Requests request, const Bytes* counts, std::size_t count) {
    RequestTable& requests = hooks_state->requests;
    action.request = requests.new_number();
    requests[requests.add(request)].number = action.request;
    put(action, counts, count);
}

void put_forget(std::uint32_t number) {
    Action action;
    action.kind = ActionKind::forget;
    action.request = number;
    put(action);
    hooks_state->requests.free_number(number);
}

namespace hooks {

void started(int provided) noexcept {
    static bool done = false; // a Fortran binding may come through the wrapper of C as well
#ifdef OPEN_MPI
    if (MPI_COMM_WORLD == nullptr) {
        std::fputs("orrery: MPI was loaded after the program had started (by an interpreter?); nothing is "
                   "recorded unless LD_PRELOAD names libmpi too\n",
                   stderr);
        return;
    }
#endif
    MPI_Comm parent = MPI_COMM_NULL;
    // Processes that the application spawned have a world of their own and are not recorded.
    if (done || PMPI_Comm_get_parent(&parent) != MPI_SUCCESS || parent != MPI_COMM_NULL) return;
    done = true;
    int rank = 0;
    int size = 1;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    hooks_state = new (std::nothrow) HooksState;
    if (hooks_state == nullptr) return;
    PMPI_Comm_group(MPI_COMM_WORLD, &hooks_state->world_group);
    Communicator all;
    all.number = hooks_state->communicators.new_number();
    all.rank = static_cast<std::uint32_t>(rank);
    all.size = static_cast<std::uint32_t>(size);
    hooks_state->communicators.add(MPI_COMM_WORLD, all);
    begin(rank, size, provided == MPI_THREAD_MULTIPLE);
}

void ending() noexcept { end(); }
void aborting(int code) noexcept { aborted(code); }

void count(Requests request) noexcept { hooks_state->requests.add(request); }

} // namespace hooks

} // namespace orrery::trace
