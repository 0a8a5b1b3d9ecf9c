// Synchronisation in which targets take no part: locks and flushes.
#include "emulate/engine.h"
#include "emulate/mpi/rma/window.h"
#include "functions.h"

namespace orrery::emulate::mpi {

namespace {

using What = Operation::Kind;

void check_passive(const Win& win) {
    if (win.access != Win::Access::lock && win.access != Win::Access::lock_all)
        throw Failure(MPI_ERR_RMA_SYNC, "no target is locked (MPI_Win_lock, MPI_Win_lock_all)");
}

// Of a flush; null: nothing was sent there.
Channel* locked(Win& win, int target) {
    check_passive(win);
    if (target == MPI_PROC_NULL) return nullptr;
    const auto found = win.to.find(win.checked_rank(target));
    const bool known = found != win.to.end();
    if (win.access == Win::Access::lock && (!known || found->second.lock == 0))
        throw Failure(MPI_ERR_RMA_SYNC, "this target is not locked");
    return known ? &found->second : nullptr;
}

void await_answers(Win& win) {
    win.wait_until([&] { return win.awaited == 0; });
}

void ask_flush(Channel& channel) {
    if (channel.unconfirmed) send(channel, What::flush, true);
}

// The lock is given up when all operations before are performed; the answer says that they are.
void ask_unlock(Channel& channel) {
    if (channel.asked) {
        send(channel, What::unlock, channel.unconfirmed);
    } else if (channel.unconfirmed) {
        send(channel, What::flush, true);
    }
    channel.asked = false;
    channel.lock = 0;
}

// Memory that is not reached by operations only must be the rank's own before the call ends.
bool waits_for_lock(const Win& win, std::uint32_t target) {
    return win.flavour == MPI_WIN_FLAVOR_SHARED || target == win.rank();
}

// Programs look at their own memory until another rank has written there, and call MPI in between: time goes
// on, and the other rank with it.
void let_time_pass() { engine().sleep(Time::ns(100)); }

// The end of a flush. `idle` says whether all is done.
template <typename Idle> void settle(Win& win, Idle&& idle) {
    if (idle()) return let_time_pass();
    win.wait_until(idle);
}

void check_unused(const Win& win) {
    if (win.access == Win::Access::fence && win.fence_used)
        throw Failure(MPI_ERR_RMA_SYNC, "operations were called since the last fence: a fence must end them");
}

} // namespace

int Win_lock(int type, int rank, int assertion, MPI_Win handle) {
    return on_win(handle, [&](Win& win) {
        if (type != MPI_LOCK_SHARED && type != MPI_LOCK_EXCLUSIVE)
            throw Failure(MPI_ERR_LOCKTYPE, "a lock is MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE");
        check_assertion(assertion, MPI_MODE_NOCHECK);
        check_unused(win);
        if (win.access == Win::Access::start || win.access == Win::Access::lock_all)
            throw Failure(MPI_ERR_RMA_SYNC, "a lock in the midst of another kind of access");
        if (rank != MPI_PROC_NULL) {
            const std::uint32_t target = win.checked_rank(rank);
            Channel& channel = win.channel(target);
            if (channel.lock != 0) throw Failure(MPI_ERR_RMA_SYNC, "this target is locked already");
            channel.lock = type;
            if ((assertion & MPI_MODE_NOCHECK) == 0) {
                channel.asked = true;
                send(channel, What::lock, waits_for_lock(win, target), type == MPI_LOCK_SHARED);
            }
        }
        win.access = Win::Access::lock;
        ++win.locks;
        await_answers(win);
    });
}

int Win_unlock(int rank, MPI_Win handle) {
    return on_win(handle, [&](Win& win) {
        if (win.access != Win::Access::lock)
            throw Failure(MPI_ERR_RMA_SYNC, "MPI_Win_unlock without MPI_Win_lock");
        if (Channel* const channel = locked(win, rank); channel != nullptr) {
            ask_unlock(*channel);
            await_answers(win);
            win.wait_until([&] { return channel->using_buffers == 0; });
        }
        if (--win.locks == 0) win.access = Win::Access::none;
    });
}

int Win_lock_all(int assertion, MPI_Win handle) {
    return on_win(handle, [&](Win& win) {
        check_assertion(assertion, MPI_MODE_NOCHECK);
        check_unused(win);
        if (win.access != Win::Access::none && win.access != Win::Access::fence)
            throw Failure(MPI_ERR_RMA_SYNC, "a lock in the midst of another kind of access");
        win.access = Win::Access::lock_all;
        win.checked = (assertion & MPI_MODE_NOCHECK) == 0;
        if (!win.checked) return;
        // The others are locked when the first operation goes there.
        for (std::uint32_t target = 0; target < win.all->members.size(); ++target) {
            if (!waits_for_lock(win, target)) continue;
            win.channel(target).asked = true;
            send(win.channel(target), What::lock, true, true);
        }
        await_answers(win);
    });
}

int Win_unlock_all(MPI_Win handle) {
    return on_win(handle, [&](Win& win) {
        if (win.access != Win::Access::lock_all)
            throw Failure(MPI_ERR_RMA_SYNC, "MPI_Win_unlock_all without MPI_Win_lock_all");
        for (auto& [target, channel] : win.to) ask_unlock(channel);
        win.wait_until([&] { return win.awaited == 0 && win.using_buffers == 0; });
        win.access = Win::Access::none;
    });
}

int Win_flush(int rank, MPI_Win handle) {
    return on_win(handle, [&](Win& win) {
        Channel* const channel = locked(win, rank);
        if (channel == nullptr) return let_time_pass();
        ask_flush(*channel);
        settle(win, [&] { return win.awaited == 0 && channel->using_buffers == 0; });
    });
}

int Win_flush_all(MPI_Win handle) {
    return on_win(handle, [&](Win& win) {
        check_passive(win);
        for (auto& [target, channel] : win.to) ask_flush(channel);
        settle(win, [&] { return win.awaited == 0 && win.using_buffers == 0; });
    });
}

int Win_flush_local(int rank, MPI_Win handle) {
    return on_win(handle, [&](Win& win) {
        Channel* const channel = locked(win, rank);
        settle(win, [&] { return channel == nullptr || channel->using_buffers == 0; });
    });
}

int Win_flush_local_all(MPI_Win handle) {
    return on_win(handle, [&](Win& win) {
        check_passive(win);
        settle(win, [&] { return win.using_buffers == 0; });
    });
}

// Memory is always up to date.
int Win_sync(MPI_Win handle) {
    return on_win(handle, [&](Win&) { let_time_pass(); });
}

} // namespace orrery::emulate::mpi
