#include "mpi_library/local_state.h"

namespace orrery::emulate::mpi {

namespace {

LocalState& only_one() {
    static auto& state = *new LocalState;
    return state;
}

} // namespace

LocalState& (*local_state)() = only_one;

} // namespace orrery::emulate::mpi
