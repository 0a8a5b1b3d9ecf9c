#include "mpi_library/datatype/datatype.h"

#include <utility>

namespace orrery::emulate::mpi {

namespace {

bool is_dense(const Datatype::Shape& shape) {
    if (shape.size == 0) return true;
    const Piece* block = shape.layout.block();
    return block != nullptr && block->offset == 0 &&
           shape.bounds.ub - shape.bounds.lb == static_cast<std::int64_t>(shape.size);
}

} // namespace

Datatype::Datatype(Shape shape, Recipe recipe, MPI_Datatype basic)
    : shape_(std::move(shape)), recipe_(std::move(recipe)), basic_(basic), dense_(is_dense(shape_)) {
    const int how = recipe_.combiner;
    predefined_ =
        how == MPI_COMBINER_F90_REAL || how == MPI_COMBINER_F90_COMPLEX || how == MPI_COMBINER_F90_INTEGER;
    committed_ = predefined_;
}

Datatype::Datatype(Shape shape, TypeClass type_class, const char* own_name, int fixed_handle)
    : Counted(fixed_handle), name(own_name), shape_(std::move(shape)), class_(type_class), basic_(fixed_handle),
      dense_(is_dense(shape_)), predefined_(true), committed_(true) {}

Datatype::~Datatype() = default;

// Objects that applications left behind are not taken apart when the process ends.
Handles<Datatype>& own_types() {
    static auto& types = *new Handles<Datatype>(Kind::datatype);
    return types;
}

Datatype& datatype_to_change(MPI_Datatype handle) {
    if (is_kind(handle, Kind::datatype)) {
        const std::uint32_t index = index_of(handle);
        Datatype* found = index < first_own ? detail::predefined_types[index] : own_types().find(handle);
        if (found != nullptr) return *found;
    }
    throw Failure(MPI_ERR_TYPE, handle == MPI_DATATYPE_NULL ? "the datatype is MPI_DATATYPE_NULL"
                                                            : "there is no such datatype");
}

const Datatype& datatype(MPI_Datatype handle) { return datatype_to_change(handle); }

const Datatype& committed_datatype(MPI_Datatype handle) {
    const Datatype& type = datatype(handle);
    if (!type.committed()) throw Failure(MPI_ERR_TYPE, "the datatype is not committed (MPI_Type_commit)");
    return type;
}

} // namespace orrery::emulate::mpi
