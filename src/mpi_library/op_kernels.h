// The loops of the predefined operations, one for each basic type that the operation is defined on.
#pragma once

#include "mpi_library/handles.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace orrery::emulate::mpi {

// inout = in op inout for `count` elements one extent apart; buffers need not be aligned.
using Kernel = void (*)(const std::byte* in, std::byte* inout, std::int64_t count);
using KernelRow = std::array<Kernel, first_own>; // by index of the type; null: not defined

// By index of the operation, 1 to 14. An index of no operation has no kernels.
const KernelRow& kernels_of(std::uint32_t op_index);

} // namespace orrery::emulate::mpi
