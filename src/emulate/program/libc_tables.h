// The parts of the table of libc_symbols(), one per file.
#pragma once

#include "emulate/program/symbol.h"

#include <span>

namespace orrery::emulate {

std::span<const Symbol> exit_symbols();
std::span<const Symbol> getopt_symbols();
std::span<const Symbol> random_symbols();
std::span<const Symbol> time_symbols();
std::span<const Symbol> thread_symbols();
std::span<const Symbol> cpp_thread_symbols();
std::span<const Symbol> environment_symbols();
std::span<const Symbol> process_symbols();
std::span<const Symbol> file_symbols();
std::span<const Symbol> signal_symbols();
std::span<const Symbol> timer_symbols();
std::span<const Symbol> fortran_symbols();
std::span<const Symbol> fortran_unit_symbols();

// A function as an entry of the table.
template <typename F> Symbol bound(const char* name, F* function) {
    return {name, reinterpret_cast<void*>(function)};
}

} // namespace orrery::emulate
