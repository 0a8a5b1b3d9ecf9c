// Synchronisation in which targets take part: fences, and start, complete, post, wait.
#include "functions.h"
#include "mpi_library/engine.h"
#include "mpi_library/group.h"
#include "mpi_library/logging.h"
#include "mpi_library/message.h"
#include "mpi_library/process_state.h"
#include "mpi_library/rma/window.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery::emulate::mpi {

namespace {

std::vector<std::uint32_t> ranks_of(const Win& win, MPI_Group group) {
    std::vector<std::uint32_t> ranks;
    for (const std::uint32_t member : group_of(group)) {
        const auto& world = win.all->world;
        const auto found = std::find(world.begin(), world.end(), member);
        if (found == world.end()) throw Failure(MPI_ERR_RANK, "a rank of the group is not in the window");
        ranks.push_back(static_cast<std::uint32_t>(found - world.begin()));
    }
    return ranks;
}

void check_idle(const Win& win) {
    const bool idle = win.access == Win::Access::none || (win.access == Win::Access::fence && !win.fence_used);
    if (!idle) throw Failure(MPI_ERR_RMA_SYNC, "an access to the window was begun before and has not ended");
}

void end_exposure(Win& win) {
    win.call(WindowCall::wait);
    win.exposed = false;
}

} // namespace

int Win_fence(int assertion, MPI_Win handle) {
    return on_win(handle, [&](Win& win) {
        check_assertion(assertion, MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED);
        if (win.exposed || (win.access != Win::Access::none && win.access != Win::Access::fence))
            throw Failure(MPI_ERR_RMA_SYNC, "a fence in the midst of another kind of access");
        if ((assertion & MPI_MODE_NOPRECEDE) != 0 && win.fence_used)
            throw Failure(MPI_ERR_RMA_SYNC, "MPI_MODE_NOPRECEDE, but operations were called before");
        fence(win);
        win.access = (assertion & MPI_MODE_NOSUCCEED) != 0 ? Win::Access::none : Win::Access::fence;
        win.fence_used = false;
    });
}

int Win_start(MPI_Group group, int assertion, MPI_Win handle) {
    return on_win(handle, [&](Win& win) {
        check_assertion(assertion, MPI_MODE_NOCHECK);
        check_idle(win);
        win.call(WindowCall::start, 0, check_flag(assertion), ranks_of(win, group));
        win.access = Win::Access::start;
    });
}

int Win_complete(MPI_Win handle) {
    return on_win(handle, [&](Win& win) {
        if (win.access != Win::Access::start)
            throw Failure(MPI_ERR_RMA_SYNC, "MPI_Win_complete without MPI_Win_start");
        win.call(WindowCall::complete);
        win.access = Win::Access::none;
    });
}

int Win_post(MPI_Group group, int assertion, MPI_Win handle) {
    return on_win(handle, [&](Win& win) {
        check_assertion(assertion, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT);
        if (win.exposed) throw Failure(MPI_ERR_RMA_SYNC, "MPI_Win_post twice without MPI_Win_wait");
        const std::vector<std::uint32_t> origins = ranks_of(win, group);
        win.exposed = true;
        win.call(WindowCall::post, 0, check_flag(assertion), origins);
    });
}

int Win_wait(MPI_Win handle) {
    return on_win(handle, [&](Win& win) {
        if (!win.exposed) throw Failure(MPI_ERR_RMA_SYNC, "MPI_Win_wait without MPI_Win_post");
        end_exposure(win);
    });
}

int Win_test(MPI_Win handle, int* flag) {
    return on_win(handle, [&](Win& win) {
        if (!win.exposed) throw Failure(MPI_ERR_RMA_SYNC, "MPI_Win_test without MPI_Win_post");
        log_test(pay_test());
        *flag = engine().holds(*win.state, WindowCall::wait) ? 1 : 0;
        if (*flag == 0) return test_failed();
        test_succeeded();
        end_exposure(win);
    });
}

} // namespace orrery::emulate::mpi
