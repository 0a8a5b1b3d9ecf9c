// Windows: memory of each member of a communicator that the others may read and change (MPI-3.1, chapter 11).
//
// Each member has its Win, and they know each other through the Window. What one member asks of another goes
// over their channel (channel.h), which keeps the order of the calls. The model is MPI_WIN_UNIFIED: there is
// one copy of the memory.
#pragma once

#include "emulate/mpi/attribute.h"
#include "emulate/mpi/comm.h"
#include "emulate/mpi/errhandler.h"
#include "emulate/mpi/errors.h"
#include "emulate/mpi/info.h"
#include "emulate/mpi/rma/channel.h"
#include "orrery/mpi/mpi.h"

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace orrery::emulate::mpi {

// What all members have in common.
struct Window {
    std::vector<Win*> members;        // by rank
    std::vector<std::uint32_t> world; // their ranks in MPI_COMM_WORLD
    struct Free {
        void operator()(std::byte* block) const { std::free(block); }
    };
    std::unique_ptr<std::byte, Free> memory; // of MPI_Win_allocate_shared
    std::deque<Channel*> ready;              // channels that may have something to perform
    bool working = false;                    // somebody goes through them
};

// A window as one member knows it.
class Win {
  public:
    explicit Win(int kind_of_memory) : flavour(kind_of_memory) {}
    ~Win();
    Win(const Win&) = delete;
    Win& operator=(const Win&) = delete;

    [[nodiscard]] std::uint32_t rank() const { return comm->member.rank; }
    [[nodiscard]] std::uint32_t world_rank() const { return all->world[rank()]; }
    // Throws Failure(MPI_ERR_RANK).
    [[nodiscard]] std::uint32_t checked_rank(int target) const;
    Channel& channel(std::uint32_t target);
    // On the context of its rank, until that holds. `call` may end when what was begun here goes on.
    template <typename Condition> void wait_until(Condition&& condition);
    void wake();

    int handle = MPI_WIN_NULL;
    const int flavour;
    std::unique_ptr<Comm> comm; // of its own
    std::shared_ptr<Window> all;
    std::byte* base = nullptr;
    MPI_Aint size = 0;
    int unit = 1;
    bool owns_memory = false;                 // MPI_Win_allocate
    std::map<std::uintptr_t, Bytes> attached; // of a dynamic one: by address
    AttributeSet attributes;
    ErrhandlerSlot errhandler;
    std::string name;
    Info info;

    // As an origin.
    enum class Access : std::uint8_t { none, fence, start, lock, lock_all };
    Access access = Access::none;
    bool fence_used = false;             // operations were called since the last fence
    bool checked = true;                 // lock_all without MPI_MODE_NOCHECK
    std::vector<std::uint32_t> started;  // ranks that MPI_Win_start names
    std::uint32_t locks = 0;             // how many MPI_Win_lock
    std::map<std::uint32_t, Channel> to; // by target
    std::uint64_t under_way = 0;         // what it has sent and the target has not yet performed
    std::uint64_t using_buffers = 0;     // operations that still need its buffers, or are to fill them
    std::uint64_t awaited = 0;           // answers to locks, unlocks and flushes
    std::map<std::uint32_t, int> posts;  // MPI_Win_post of targets, not yet used by a start

    // As a target.
    bool exposed = false; // MPI_Win_post
    std::size_t expected = 0, completed = 0;
    std::uint32_t sharing = 0;     // how many hold a shared lock
    bool exclusive = false;        // somebody holds the exclusive one
    std::deque<Operation*> queued; // locks that are waited for

  private:
    void park();
    bool waiting_ = false;
};

// Throws Failure(MPI_ERR_WIN).
Win& win_of(MPI_Win handle);
// Collective: the members of `parent` make themselves known to each other. Its memory is set before.
Win& join_window(std::unique_ptr<Win> win, Comm& parent, MPI_Info info);
void remove_win(MPI_Win handle);
void set_win_attributes(Win& win);

template <typename Condition> void Win::wait_until(Condition&& condition) {
    while (!condition()) {
        waiting_ = true;
        park();
    }
    waiting_ = false;
}

// Whatever fails within asks the window's error handler.
template <typename Action> int on_win(MPI_Win handle, Action&& action) {
    Win& win = win_of(handle);
    try {
        action(win);
    } catch (const Failure& failure) {
        if (failure.handle() != 0) throw;
        throw Failure(failure.code(), failure.what(), handle);
    }
    return MPI_SUCCESS;
}

inline void check_assertion(int given, int allowed) {
    if ((given & ~allowed) != 0)
        throw Failure(MPI_ERR_ASSERT, "the assertion " + std::to_string(given) + " is not for this call");
}

} // namespace orrery::emulate::mpi
