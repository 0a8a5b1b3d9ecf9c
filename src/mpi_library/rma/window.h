// Windows: memory of each member of a communicator that the others may read and change (MPI-3.1, chapter 11).
//
// Each member has its Win, and they know each other through the Window. What is allowed when is checked here;
// how calls travel and what they wait for is the same in emulation and replay (protocol/windows.h). The model
// is MPI_WIN_UNIFIED: there is one copy of the memory.
#pragma once

#include "mpi_library/attribute.h"
#include "mpi_library/comm.h"
#include "mpi_library/errhandler.h"
#include "mpi_library/errors.h"
#include "mpi_library/info.h"
#include "mpi_library/rma/operation.h"
#include "orrery/mpi/mpi.h"

#include <cstdint>
#include <cstdlib>
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
    // On the context of its rank: as the call does, and into the trace. `target` and `ranks` are ranks here.
    void call(WindowCall which, std::uint32_t target = 0, std::uint32_t flags = 0,
              const std::vector<std::uint32_t>& ranks = {});
    // MPI_Win_lock was called for it.
    [[nodiscard]] bool locked(std::uint32_t target) const;

    int handle = MPI_WIN_NULL;
    const int flavour;
    std::unique_ptr<Comm> comm; // of its own
    std::shared_ptr<Window> all;
    WindowMember* state = nullptr;
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
    bool fence_used = false; // operations were called since the last fence
    std::uint32_t locks = 0; // how many MPI_Win_lock

    // As a target.
    bool exposed = false; // MPI_Win_post
};

// Throws Failure(MPI_ERR_WIN).
Win& win_of(MPI_Win handle);
// Collective: the members of `parent` make themselves known to each other. Its memory is set before.
Win& join_window(std::unique_ptr<Win> win, Comm& parent, MPI_Info info);
void remove_win(MPI_Win handle);
// All its operations are performed, and the members have waited for each other.
void fence(Win& win);
void set_win_attributes(Win& win);

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

inline std::uint32_t check_flag(int assertion) {
    return (assertion & MPI_MODE_NOCHECK) != 0 ? window_unchecked : 0;
}

inline void check_assertion(int given, int allowed) {
    if ((given & ~allowed) != 0)
        throw Failure(MPI_ERR_ASSERT, "the assertion " + std::to_string(given) + " is not for this call");
}

} // namespace orrery::emulate::mpi
