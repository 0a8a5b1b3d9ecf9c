// What the application asks of datatypes: sizes, bounds, how they were made.
#include "functions.h"
#include "mpi_library/datatype/checks.h"
#include "mpi_library/datatype/datatype.h"

#include <algorithm>
#include <climits>

namespace orrery::emulate::mpi {

int Type_size(MPI_Datatype handle, int* size) {
    check_results(size);
    const Bytes bytes = datatype(handle).size();
    *size = bytes > INT_MAX ? MPI_UNDEFINED : static_cast<int>(bytes);
    return MPI_SUCCESS;
}

int Type_size_x(MPI_Datatype handle, MPI_Count* size) {
    check_results(size);
    *size = static_cast<MPI_Count>(datatype(handle).size());
    return MPI_SUCCESS;
}

int Type_get_extent(MPI_Datatype handle, MPI_Aint* lb, MPI_Aint* extent) {
    check_results(lb, extent);
    const Datatype& type = datatype(handle);
    *lb = type.lb();
    *extent = type.extent();
    return MPI_SUCCESS;
}

int Type_get_extent_x(MPI_Datatype handle, MPI_Count* lb, MPI_Count* extent) {
    return Type_get_extent(handle, lb, extent); // both are 64 bits wide
}

int Type_get_true_extent(MPI_Datatype handle, MPI_Aint* true_lb, MPI_Aint* true_extent) {
    check_results(true_lb, true_extent);
    const Datatype& type = datatype(handle);
    *true_lb = type.true_lb();
    *true_extent = type.true_extent();
    return MPI_SUCCESS;
}

int Type_get_true_extent_x(MPI_Datatype handle, MPI_Count* true_lb, MPI_Count* true_extent) {
    return Type_get_true_extent(handle, true_lb, true_extent);
}

int Type_get_envelope(MPI_Datatype handle, int* num_integers, int* num_addresses, int* num_datatypes,
                      int* combiner) {
    check_results(num_integers, num_addresses, num_datatypes, combiner);
    const Recipe& recipe = datatype(handle).recipe();
    *num_integers = static_cast<int>(recipe.integers.size());
    *num_addresses = static_cast<int>(recipe.addresses.size());
    *num_datatypes = static_cast<int>(recipe.types.size());
    *combiner = recipe.combiner;
    return MPI_SUCCESS;
}

int Type_get_contents(MPI_Datatype handle, int max_integers, int max_addresses, int max_datatypes,
                      int integers[], MPI_Aint addresses[], MPI_Datatype datatypes[]) {
    const Recipe& recipe = datatype(handle).recipe();
    if (recipe.combiner == MPI_COMBINER_NAMED) {
        throw Failure(MPI_ERR_TYPE, "a predefined datatype has no contents");
    }
    const auto room = [](int given, std::size_t needed) {
        return given >= 0 && static_cast<std::size_t>(given) >= needed;
    };
    if (!room(max_integers, recipe.integers.size()) || !room(max_addresses, recipe.addresses.size()) ||
        !room(max_datatypes, recipe.types.size())) {
        throw Failure(MPI_ERR_ARG, "the arrays are too short for the contents of the datatype");
    }
    std::copy(recipe.integers.begin(), recipe.integers.end(), integers);
    std::copy(recipe.addresses.begin(), recipe.addresses.end(), addresses);
    std::transform(recipe.types.begin(), recipe.types.end(), datatypes, [](const TypeRef& type) {
        return type->predefined() ? type->handle() : open_handle(own_types(), *type);
    });
    return MPI_SUCCESS;
}

int Get_address(const void* location, MPI_Aint* address) {
    check_results(address);
    *address = reinterpret_cast<MPI_Aint>(location);
    return MPI_SUCCESS;
}

MPI_Aint Aint_add(MPI_Aint base, MPI_Aint disp) { return base + disp; }
MPI_Aint Aint_diff(MPI_Aint addr1, MPI_Aint addr2) { return addr1 - addr2; }

} // namespace orrery::emulate::mpi
