// Synchronisation in which targets take no part: locks and flushes.
#include "functions.h"
#include "mpi_library/engine.h"
#include "mpi_library/rma/window.h"

namespace orrery::emulate::mpi {

namespace {

void check_passive(const Win& win) {
    if (win.access != Win::Access::lock && win.access != Win::Access::lock_all)
        throw Failure(MPI_ERR_RMA_SYNC, "no target is locked (MPI_Win_lock, MPI_Win_lock_all)");
}

// Of a flush or unlock.
std::uint32_t locked_target(const Win& win, int rank) {
    const std::uint32_t target = win.checked_rank(rank);
    if (win.access == Win::Access::lock && !win.locked(target))
        throw Failure(MPI_ERR_RMA_SYNC, "this target is not locked");
    return target;
}

// What a call that names no target does: time goes on, as with a flush that has nothing to wait for.
void let_time_pass() { engine().sleep(Time::ns(100)); }

// Memory that is not reached by operations only must be the rank's own before the call ends.
std::uint32_t memory_flag(const Win& win) { return win.flavour == MPI_WIN_FLAVOR_SHARED ? window_memory : 0; }

int flush(WindowCall call, int rank, MPI_Win handle) {
    return on_win(handle, [&](Win& win) {
        check_passive(win);
        if (rank == MPI_PROC_NULL) return let_time_pass();
        win.call(call, locked_target(win, rank));
    });
}

int flush_all(WindowCall call, MPI_Win handle) {
    return on_win(handle, [&](Win& win) {
        check_passive(win);
        win.call(call);
    });
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
            if (win.locked(target)) throw Failure(MPI_ERR_RMA_SYNC, "this target is locked already");
            win.call(WindowCall::lock, target,
                     memory_flag(win) | check_flag(assertion) | (type == MPI_LOCK_SHARED ? window_shared : 0));
        }
        win.access = Win::Access::lock;
        ++win.locks;
    });
}

int Win_unlock(int rank, MPI_Win handle) {
    return on_win(handle, [&](Win& win) {
        if (win.access != Win::Access::lock)
            throw Failure(MPI_ERR_RMA_SYNC, "MPI_Win_unlock without MPI_Win_lock");
        if (rank != MPI_PROC_NULL) win.call(WindowCall::unlock, locked_target(win, rank));
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
        win.call(WindowCall::lock_all, 0, memory_flag(win) | check_flag(assertion));
    });
}

int Win_unlock_all(MPI_Win handle) {
    return on_win(handle, [&](Win& win) {
        if (win.access != Win::Access::lock_all)
            throw Failure(MPI_ERR_RMA_SYNC, "MPI_Win_unlock_all without MPI_Win_lock_all");
        win.call(WindowCall::unlock_all);
        win.access = Win::Access::none;
    });
}

int Win_flush(int rank, MPI_Win handle) { return flush(WindowCall::flush, rank, handle); }
int Win_flush_all(MPI_Win handle) { return flush_all(WindowCall::flush_all, handle); }
int Win_flush_local(int rank, MPI_Win handle) { return flush(WindowCall::flush_local, rank, handle); }
int Win_flush_local_all(MPI_Win handle) { return flush_all(WindowCall::flush_local_all, handle); }

// Memory is always up to date.
int Win_sync(MPI_Win handle) {
    return on_win(handle, [&](Win&) { let_time_pass(); });
}

} // namespace orrery::emulate::mpi
