// Windows: making, asking, freeing.
#include "functions.h"
#include "mpi_library/collective_call.h"
#include "mpi_library/engine.h"
#include "mpi_library/group.h"
#include "mpi_library/rma/window.h"

#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace orrery::emulate::mpi {

namespace {

constexpr MPI_Aint page = 4096;

std::unique_ptr<Win> new_win(int flavour, MPI_Aint size, int unit, MPI_Comm comm) {
    if (size < 0) throw Failure(MPI_ERR_SIZE, fmt::format("the size of the window is {}", size), comm);
    if (unit <= 0) throw Failure(MPI_ERR_DISP, fmt::format("the displacement unit is {}", unit), comm);
    auto made = std::make_unique<Win>(flavour);
    made->size = size;
    made->unit = unit;
    made->info.set("no_locks", "false");
    made->info.set("accumulate_ordering", "rar,raw,war,waw");
    made->info.set("accumulate_ops", "same_op_no_op");
    made->info.set("same_size", "false");
    made->info.set("same_disp_unit", "false");
    return made;
}

int finish(Win& win, MPI_Win* handle) {
    set_win_attributes(win);
    *handle = win.handle;
    return MPI_SUCCESS;
}

bool is_set(MPI_Info given, const char* key) {
    if (given == MPI_INFO_NULL) return false;
    const std::string* const value = info(given).find(key);
    return value != nullptr && *value == "true";
}

MPI_Aint room_of(MPI_Aint size, bool apart) { return apart ? (size + page - 1) / page * page : size; }

// The members' pieces of one block, one after the other. `apart`: each on pages of its own.
void share_memory(Win& win, bool apart) {
    Window& all = *win.all;
    MPI_Aint offset = 0, total = 0;
    for (const Win* const member : all.members) {
        if (member == &win) offset = total;
        total += room_of(member->size, apart);
    }
    if (all.memory == nullptr) {
        const auto bytes = static_cast<std::size_t>(total + page);
        all.memory.reset(static_cast<std::byte*>(std::calloc(bytes, 1))); // as systems give shared memory
        if (all.memory == nullptr)
            throw Failure(MPI_ERR_NO_MEM, fmt::format("there is no memory for {} bytes", bytes));
    }
    const auto begin = reinterpret_cast<std::uintptr_t>(all.memory.get());
    const std::uintptr_t aligned = (begin + page - 1) / page * page;
    if (win.size > 0) win.base = all.memory.get() + (aligned - begin) + offset;
}

} // namespace

int Win_create(void* base, MPI_Aint size, int unit, MPI_Info given, MPI_Comm comm, MPI_Win* handle) {
    Comm& parent = intra_comm(comm);
    auto made = new_win(MPI_WIN_FLAVOR_CREATE, size, unit, comm);
    if (base == nullptr && size > 0) throw Failure(MPI_ERR_ARG, "the memory is a null pointer", comm);
    made->base = static_cast<std::byte*>(base);
    return finish(join_window(std::move(made), parent, given), handle);
}

int Win_allocate(MPI_Aint size, int unit, MPI_Info given, MPI_Comm comm, void* baseptr, MPI_Win* handle) {
    Comm& parent = intra_comm(comm);
    auto made = new_win(MPI_WIN_FLAVOR_ALLOCATE, size, unit, comm);
    (void)Alloc_mem(size, given, &made->base);
    made->owns_memory = true;
    Win& win = join_window(std::move(made), parent, given);
    *static_cast<void**>(baseptr) = win.base;
    return finish(win, handle);
}

int Win_allocate_shared(MPI_Aint size, int unit, MPI_Info given, MPI_Comm comm, void* baseptr,
                        MPI_Win* handle) {
    Comm& parent = intra_comm(comm);
    for (const std::uint32_t member : parent.members()) {
        if (engine().host(member) != engine().host(self().index))
            throw Failure(MPI_ERR_RMA_SHARED, "ranks of the communicator run on different hosts", comm);
    }
    auto made = new_win(MPI_WIN_FLAVOR_SHARED, size, unit, comm);
    const bool apart = is_set(given, "alloc_shared_noncontig");
    made->info.set("alloc_shared_noncontig", apart ? "true" : "false");
    Win& win = join_window(std::move(made), parent, given);
    share_memory(win, apart);
    // Nobody may ask for another's memory before that has its place.
    barrier_like(*win.comm);
    *static_cast<void**>(baseptr) = win.base;
    return finish(win, handle);
}

int Win_shared_query(MPI_Win handle, int rank, MPI_Aint* size, int* unit, void* baseptr) {
    return on_win(handle, [&](Win& win) {
        if (win.flavour != MPI_WIN_FLAVOR_SHARED)
            throw Failure(MPI_ERR_RMA_FLAVOR, "the window is not one of MPI_Win_allocate_shared");
        const Win* found = nullptr;
        if (rank == MPI_PROC_NULL) { // the first that has any memory
            for (const Win* const member : win.all->members) {
                if (found == nullptr && member->size > 0) found = member;
            }
        } else {
            found = win.all->members[win.checked_rank(rank)];
        }
        *size = found == nullptr ? 0 : found->size;
        *unit = found == nullptr ? 0 : found->unit;
        *static_cast<void**>(baseptr) = found == nullptr ? nullptr : found->base;
    });
}

int Win_create_dynamic(MPI_Info given, MPI_Comm comm, MPI_Win* handle) {
    Comm& parent = intra_comm(comm);
    return finish(join_window(new_win(MPI_WIN_FLAVOR_DYNAMIC, 0, 1, comm), parent, given), handle);
}

int Win_attach(MPI_Win handle, void* base, MPI_Aint size) {
    return on_win(handle, [&](Win& win) {
        if (win.flavour != MPI_WIN_FLAVOR_DYNAMIC)
            throw Failure(MPI_ERR_RMA_FLAVOR, "memory is attached to windows of MPI_Win_create_dynamic only");
        if (size < 0) throw Failure(MPI_ERR_SIZE, fmt::format("the size is {}", size));
        const auto from = reinterpret_cast<std::uintptr_t>(base);
        const auto after = win.attached.lower_bound(from);
        const bool reaches = after != win.attached.end() &&
                             (after->first == from || from + static_cast<std::uintptr_t>(size) > after->first);
        const bool reached =
            after != win.attached.begin() && std::prev(after)->first + std::prev(after)->second > from;
        if (reaches || reached) throw Failure(MPI_ERR_RMA_ATTACH, "some of this memory is attached already");
        win.attached.emplace(from, static_cast<Bytes>(size));
    });
}

int Win_detach(MPI_Win handle, const void* base) {
    return on_win(handle, [&](Win& win) {
        if (win.flavour != MPI_WIN_FLAVOR_DYNAMIC)
            throw Failure(MPI_ERR_RMA_FLAVOR, "memory is detached from windows of MPI_Win_create_dynamic only");
        if (win.attached.erase(reinterpret_cast<std::uintptr_t>(base)) == 0)
            throw Failure(MPI_ERR_RMA_ATTACH, "no memory that begins there is attached");
    });
}

int Win_free(MPI_Win* handle) {
    return on_win(*handle, [&](Win& win) {
        const bool open = win.exposed || (win.access != Win::Access::none && win.access != Win::Access::fence);
        if (open) throw Failure(MPI_ERR_RMA_SYNC, "the window is still open for access");
        win.attributes.remove_all(*handle);
        fence(win);
        remove_win(*handle);
        *handle = MPI_WIN_NULL;
    });
}

int Win_get_group(MPI_Win handle, MPI_Group* group) {
    *group = add_group(win_of(handle).all->world);
    return MPI_SUCCESS;
}

int Win_set_name(MPI_Win handle, const char* name) {
    win_of(handle).name = std::string(name).substr(0, MPI_MAX_OBJECT_NAME - 1);
    return MPI_SUCCESS;
}

int Win_get_name(MPI_Win handle, char* name, int* length) {
    const std::string& found = win_of(handle).name;
    std::memcpy(name, found.c_str(), found.size() + 1);
    *length = static_cast<int>(found.size());
    return MPI_SUCCESS;
}

int Win_set_info(MPI_Win handle, MPI_Info given) {
    return on_win(handle, [&](Win& win) {
        if (given == MPI_INFO_NULL) return;
        for (const auto& [key, value] : info(given).all()) win.info.set(key, value);
    });
}

int Win_get_info(MPI_Win handle, MPI_Info* used) {
    *used = new_info(win_of(handle).info);
    return MPI_SUCCESS;
}

} // namespace orrery::emulate::mpi
