#include "mpi_library/rma/target.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery::emulate::mpi {

namespace {

[[noreturn]] void no_epoch(const char* words) { throw Failure(MPI_ERR_RMA_SYNC, words); }

bool is_attached(const Win& target, std::uintptr_t from, std::uintptr_t to) {
    auto region = target.attached.upper_bound(from);
    if (region == target.attached.begin()) return false;
    --region;
    return from >= region->first && to <= region->first + region->second;
}

} // namespace

std::optional<std::uint32_t> open_target(Win& win, int target, bool passive) {
    if (passive && win.access != Win::Access::lock && win.access != Win::Access::lock_all)
        no_epoch("operations with a request need a lock (MPI_Win_lock, MPI_Win_lock_all)");
    if (win.access == Win::Access::none)
        no_epoch("the window is not open for access (MPI_Win_fence, _start, _lock, _lock_all)");
    if (target == MPI_PROC_NULL) return std::nullopt;
    const std::uint32_t rank = win.checked_rank(target);
    switch (win.access) {
    case Win::Access::fence: win.fence_used = true; break;
    case Win::Access::start: {
        const auto& started = win.state->started;
        if (std::find(started.begin(), started.end(), rank) == started.end())
            no_epoch("MPI_Win_start did not name this target");
        break;
    }
    case Win::Access::lock:
        if (!win.locked(rank)) no_epoch("MPI_Win_lock was not called for this target");
        break;
    case Win::Access::lock_all:
    case Win::Access::none: break;
    }
    return rank;
}

void* place_in(const Win& target, MPI_Aint displacement, int count, const Datatype& type) {
    const std::int64_t along = (count - 1) * type.extent();
    const std::int64_t low = type.true_lb() + std::min<std::int64_t>(along, 0);
    const std::int64_t high = type.true_lb() + type.true_extent() + std::max<std::int64_t>(along, 0);
    if (target.flavour == MPI_WIN_FLAVOR_DYNAMIC) {
        const auto at = static_cast<std::uintptr_t>(displacement);
        if (!is_attached(target, at + static_cast<std::uintptr_t>(low), at + static_cast<std::uintptr_t>(high)))
            throw Failure(MPI_ERR_RMA_RANGE,
                          fmt::format("rank {} has not attached that memory", target.rank()));
        return reinterpret_cast<void*>(at);
    }
    if (displacement < 0) throw Failure(MPI_ERR_DISP, fmt::format("the displacement is {}", displacement));
    std::int64_t offset = 0;
    std::int64_t end = 0;
    const bool too_far = __builtin_mul_overflow(displacement, std::int64_t{target.unit}, &offset) ||
                         __builtin_add_overflow(offset, high, &end) || end > target.size || offset + low < 0;
    if (too_far) {
        throw Failure(MPI_ERR_RMA_RANGE, fmt::format("bytes {} to {} are not in the {} bytes of rank {}",
                                                     offset + low, end, target.size, target.rank()));
    }
    return target.base + offset;
}

} // namespace orrery::emulate::mpi
