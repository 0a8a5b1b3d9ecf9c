// Descriptors of files that the simulator opens while an emulated program runs in the same process, which may
// close, redirect or reuse any number: these are kept from it.
#pragma once

namespace orrery::own_descriptors {

// The same file under a number above those of the standard streams, which `file` may be if they were closed. -1
// stays so. From now on it is one of ours.
[[nodiscard]] int keep(int file);
int close(int file); // as the system says
[[nodiscard]] bool has(int file);

} // namespace orrery::own_descriptors
