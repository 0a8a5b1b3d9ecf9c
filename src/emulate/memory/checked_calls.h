// What malloc and operator new have in common with --check-memory.
#pragma once

#include <cstddef>

namespace orrery::emulate {

// Null: there is no memory.
void* allocate_checked(std::size_t size, std::size_t alignment = alignof(std::max_align_t));
// False: not a block of the checked heap. If something is wrong with it, the run ends, with the name of the
// call.
bool free_checked(void* block, const char* call);

} // namespace orrery::emulate
