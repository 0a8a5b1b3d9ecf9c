#include "mpi_library/rma/window.h"

#include "functions.h"
#include "mpi_library/attribute_functions.h"
#include "mpi_library/collective_call.h"
#include "mpi_library/engine.h"
#include "mpi_library/logging.h"
#include "mpi_library/meetings.h"

#include <fmt/format.h>
#include <utility>

namespace orrery::emulate::mpi {

namespace {

Handles<Win>& wins() {
    static auto& all = *new Handles<Win>(Kind::win);
    return all;
}

Meetings<Window>& meetings() {
    static auto& all = *new Meetings<Window>;
    return all;
}

} // namespace

Win::~Win() {
    if (owns_memory) (void)Free_mem(base);
}

std::uint32_t Win::checked_rank(int target) const {
    if (target < 0 || target >= comm->size())
        throw Failure(MPI_ERR_RANK,
                      fmt::format("rank {} is not in a window of {} ranks", target, comm->size()));
    return static_cast<std::uint32_t>(target);
}

void Win::call(WindowCall which, std::uint32_t target, std::uint32_t flags,
               const std::vector<std::uint32_t>& ranks) {
    const std::vector<Bytes> numbers(ranks.begin(), ranks.end());
    log_window(*comm, which, target, flags, numbers);
    engine().window_call(*state, which, target, flags, numbers);
}

bool Win::locked(std::uint32_t target) const {
    const auto found = state->to.find(target);
    return found != state->to.end() && found->second.locked;
}

void fence(Win& win) {
    win.call(WindowCall::fence);
    barrier_like(*win.comm, false); // no operation that comes after it may be performed before, either
}

Win& win_of(MPI_Win handle) {
    Win* const found = wins().find(handle);
    if (found == nullptr) {
        throw Failure(MPI_ERR_WIN, handle == MPI_WIN_NULL ? "the window is MPI_WIN_NULL"
                                                          : "this is no window, or it has been freed");
    }
    return *found;
}

Win& join_window(std::unique_ptr<Win> made, Comm& parent, MPI_Info given) {
    Win& win = *made;
    if (given != MPI_INFO_NULL) win.info = info(given);
    win.comm = split_comm(parent, 0, parent.rank());
    const auto size = static_cast<std::uint32_t>(win.comm->size());
    win.all = meetings().join(win.comm->member.index, size);
    if (win.all->members.empty()) {
        win.all->members.resize(size);
        win.all->world = win.comm->members();
    }
    win.all->members[win.rank()] = &win;
    win.state = &engine().window(win.comm->member);
    engine().set_memory(&rma_memory());
    win.handle = wins().add(std::move(made));
    barrier_like(*win.comm);
    return win;
}

void remove_win(MPI_Win handle) {
    const Comm& comm = *win_of(handle).comm;
    log_freed(comm);
    engine().leave_window(comm.member);
    wins().remove(handle);
}

// C gets the address of all but the base, Fortran the values.
void set_win_attributes(Win& win) {
    const auto base = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(win.base));
    win.attributes.set_predefined(MPI_WIN_BASE, AttributeLanguage::c, base);
    win.attributes.set_predefined(MPI_WIN_SIZE, AttributeLanguage::fortran_address, win.size);
    win.attributes.set_predefined(MPI_WIN_DISP_UNIT, AttributeLanguage::fortran_integer, win.unit);
    win.attributes.set_predefined(MPI_WIN_CREATE_FLAVOR, AttributeLanguage::fortran_integer, win.flavour);
    win.attributes.set_predefined(MPI_WIN_MODEL, AttributeLanguage::fortran_integer, MPI_WIN_UNIFIED);
}

AttributeSet& attributes_of_win(MPI_Win handle) { return win_of(handle).attributes; }

ErrhandlerSlot* errhandler_of_win(int handle) {
    Win* const found = wins().find(handle);
    return found == nullptr ? nullptr : &found->errhandler;
}

} // namespace orrery::emulate::mpi
