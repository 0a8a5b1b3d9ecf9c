// Synchronisation in which targets take part: fences, and start, complete, post, wait.
#include "emulate/engine.h"
#include "emulate/mpi/collective_call.h"
#include "emulate/mpi/group.h"
#include "emulate/mpi/logging.h"
#include "emulate/mpi/message.h"
#include "emulate/mpi/process_state.h"
#include "emulate/mpi/rma/window.h"
#include "functions.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery::emulate::mpi {

namespace {

// On its way from a target to an origin: the target may be accessed.
struct Post {
    Win* target;
    Win* origin;
};

void on_post(void* what) {
    const std::unique_ptr<Post> post(static_cast<Post*>(what));
    ++post->origin->posts[post->target->rank()];
    --post->target->under_way;
    post->origin->wake();
    post->target->wake();
}

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
    win.exposed = false;
    win.completed -= win.expected;
    win.expected = 0;
}

} // namespace

int Win_fence(int assertion, MPI_Win handle) {
    return on_win(handle, [&](Win& win) {
        check_assertion(assertion, MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED);
        if (win.exposed || (win.access != Win::Access::none && win.access != Win::Access::fence))
            throw Failure(MPI_ERR_RMA_SYNC, "a fence in the midst of another kind of access");
        if ((assertion & MPI_MODE_NOPRECEDE) != 0 && win.fence_used)
            throw Failure(MPI_ERR_RMA_SYNC, "MPI_MODE_NOPRECEDE, but operations were called before");
        win.wait_until([&] { return win.under_way == 0 && win.using_buffers == 0; });
        barrier_like(*win.comm); // no operation that comes after it may be performed before, either
        for (auto& [target, channel] : win.to) channel.unconfirmed = false;
        win.access = (assertion & MPI_MODE_NOSUCCEED) != 0 ? Win::Access::none : Win::Access::fence;
        win.fence_used = false;
    });
}

int Win_start(MPI_Group group, int assertion, MPI_Win handle) {
    return on_win(handle, [&](Win& win) {
        check_assertion(assertion, MPI_MODE_NOCHECK);
        check_idle(win);
        win.started = ranks_of(win, group);
        if ((assertion & MPI_MODE_NOCHECK) == 0) {
            for (const std::uint32_t target : win.started) {
                win.wait_until([&] { return win.posts[target] > 0; });
                --win.posts[target];
            }
        }
        win.access = Win::Access::start;
    });
}

int Win_complete(MPI_Win handle) {
    return on_win(handle, [&](Win& win) {
        if (win.access != Win::Access::start)
            throw Failure(MPI_ERR_RMA_SYNC, "MPI_Win_complete without MPI_Win_start");
        for (const std::uint32_t target : win.started) {
            send(win.channel(target), Operation::Kind::complete, false);
        }
        win.wait_until([&] { return win.using_buffers == 0; });
        win.started.clear();
        win.access = Win::Access::none;
    });
}

int Win_post(MPI_Group group, int assertion, MPI_Win handle) {
    return on_win(handle, [&](Win& win) {
        check_assertion(assertion, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT);
        if (win.exposed) throw Failure(MPI_ERR_RMA_SYNC, "MPI_Win_post twice without MPI_Win_wait");
        const std::vector<std::uint32_t> origins = ranks_of(win, group);
        win.exposed = true;
        win.expected = origins.size();
        if ((assertion & MPI_MODE_NOCHECK) != 0) return;
        const Bytes bytes = engine().endpoint().control_bytes;
        for (const std::uint32_t origin : origins) {
            ++win.under_way;
            engine().sleep(engine().endpoint().isend_cost(bytes));
            engine().carry(win.world_rank(), win.all->world[origin], bytes, on_post,
                           new Post{&win, win.all->members[origin]});
        }
    });
}

int Win_wait(MPI_Win handle) {
    return on_win(handle, [&](Win& win) {
        if (!win.exposed) throw Failure(MPI_ERR_RMA_SYNC, "MPI_Win_wait without MPI_Win_post");
        win.wait_until([&] { return win.completed >= win.expected; });
        end_exposure(win);
    });
}

int Win_test(MPI_Win handle, int* flag) {
    return on_win(handle, [&](Win& win) {
        if (!win.exposed) throw Failure(MPI_ERR_RMA_SYNC, "MPI_Win_test without MPI_Win_post");
        const Time begun = engine().now();
        engine().spend_look();
        log_pause(begun);
        *flag = win.completed >= win.expected ? 1 : 0;
        if (*flag == 0) return look_again_later();
        look_found();
        end_exposure(win);
    });
}

} // namespace orrery::emulate::mpi
