// Handles of MPI objects: pointers in Open MPI, integers in MPICH, indices in Fortran.
#pragma once

#include "trace/mpi_header.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace orrery::trace {

static_assert(std::is_same_v<MPI_Fint, int>, "numbers of Fortran are given to the hooks as they are");

template <typename Handle> std::uint64_t key_of(Handle handle) {
    if constexpr (std::is_pointer_v<Handle>) {
        return reinterpret_cast<std::uintptr_t>(handle);
    } else {
        return static_cast<std::uint32_t>(handle);
    }
}

// Fibonacci hashing: addresses differ in their middle bits, the table takes the low ones.
struct KeyHash {
    std::size_t operator()(std::uint64_t key) const noexcept { return (key * 0x9E37'79B9'7F4A'7C15U) >> 24; }
};

template <typename Handle> Handle from_fortran(MPI_Fint value) {
    if constexpr (std::is_same_v<Handle, MPI_Fint>) {
        return value;
    } else if constexpr (std::is_same_v<Handle, MPI_Request>) {
        return PMPI_Request_f2c(value);
    } else if constexpr (std::is_same_v<Handle, MPI_Comm>) {
        return PMPI_Comm_f2c(value);
    } else {
        static_assert(std::is_same_v<Handle, MPI_Datatype>);
        return PMPI_Type_f2c(value);
    }
}

// Where the application keeps a handle, or an array of them. They are looked at one by one: nothing is copied.
template <typename Handle> class Handles {
  public:
    Handles() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): the wrappers pass on the arguments of C as they are.
    Handles(const Handle* first) : first_(first) {}
    static Handles fortran(const MPI_Fint* first) {
        Handles handles;
        handles.first_ = first;
        handles.fortran_ = true;
        return handles;
    }

    [[nodiscard]] bool exist() const { return first_ != nullptr; }
    Handle operator[](std::size_t index) const {
        return fortran_ ? from_fortran<Handle>(static_cast<const MPI_Fint*>(first_)[index])
                        : static_cast<const Handle*>(first_)[index];
    }
    [[nodiscard]] const void* place(std::size_t index) const {
        if (fortran_) return static_cast<const MPI_Fint*>(first_) + index;
        return static_cast<const Handle*>(first_) + index;
    }

  private:
    const void* first_ = nullptr;
    bool fortran_ = false;
};

using Requests = Handles<MPI_Request>;
using Datatypes = Handles<MPI_Datatype>;
using Communicators = Handles<MPI_Comm>;

} // namespace orrery::trace
