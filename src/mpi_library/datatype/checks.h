// Checks of what the application passes to the functions for datatypes.
#pragma once

#include "mpi_library/errors.h"
#include "orrery/mpi/mpi.h"

#include <cstdint>
#include <string>

namespace orrery::emulate::mpi {

inline void check_count(std::int64_t count) {
    if (count < 0) throw Failure(MPI_ERR_COUNT, "the count " + std::to_string(count) + " is negative");
}

inline void check_block(int length) {
    if (length < 0) throw Failure(MPI_ERR_ARG, "the block length " + std::to_string(length) + " is negative");
}

inline void check_array(int count, const void* array) {
    if (count > 0 && array == nullptr) throw Failure(MPI_ERR_ARG, "an array is a null pointer");
}

// Where an answer is to be written.
template <typename... T> void check_results(const T*... results) {
    const bool all = (... && static_cast<bool>(results));
    if (!all) throw Failure(MPI_ERR_ARG, "the address for a result is a null pointer");
}

inline void check_blocks(int count, const int lengths[], const void* displacements) {
    check_count(count);
    check_array(count, lengths);
    check_array(count, displacements);
    for (int i = 0; i < count; ++i) check_block(lengths[i]);
}

} // namespace orrery::emulate::mpi
