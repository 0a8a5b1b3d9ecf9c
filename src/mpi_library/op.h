// Reduction operations: the predefined ones and those of the application.
#pragma once

#include "engine/ids.h"
#include "mpi_library/counted.h"
#include "mpi_library/datatype/datatype.h"
#include "mpi_library/op_kernels.h"
#include "orrery/mpi/mpi.h"

#include <cstddef>

namespace orrery::emulate::mpi {

class Op : public Counted<Op> {
  public:
    // A function of the application. In Fortran it takes the same arguments: all are addresses.
    Op(MPI_User_function* function, bool commutative) : function_(function), commutative_(commutative) {}
    // Predefined.
    Op(const KernelRow* kernels, int fixed_handle)
        : Counted(fixed_handle), kernels_(kernels), commutative_(true) {}

    [[nodiscard]] bool commutative() const { return commutative_; }
    [[nodiscard]] bool predefined() const { return kernels_ != nullptr; }
    // Throws Failure(MPI_ERR_OP) if the standard does not define the operation on this type.
    void check(const Datatype& type) const;
    // inout = in op inout, for `count` elements with the layout of the type.
    void apply(const void* in, void* inout, int count, MPI_Datatype type) const;

  private:
    const KernelRow* kernels_ = nullptr;
    MPI_User_function* function_ = nullptr;
    bool commutative_;
};

using OpRef = Ref<Op>;

// Throws Failure(MPI_ERR_OP): null, freed or no operation at all.
const Op& op(MPI_Op handle);
const char* op_name(std::uint32_t index); // of a predefined one: "MPI_SUM"

// Both in packed form, `bytes` a multiple of the size of the type.
// in_first: inout = in op inout, otherwise inout = inout op in.
void reduce_packed(const Op& op, MPI_Datatype type, const std::byte* in, std::byte* inout, Bytes bytes,
                   bool in_first);

} // namespace orrery::emulate::mpi
