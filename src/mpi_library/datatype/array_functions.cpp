// MPI_Type_create_subarray and MPI_Type_create_darray.
#include "functions.h"
#include "mpi_library/datatype/checks.h"
#include "mpi_library/datatype/make.h"

#include <utility>
#include <vector>

namespace orrery::emulate::mpi {

namespace {

void check_shape(int dimensions, const int sizes[], int order) {
    if (dimensions < 1) throw Failure(MPI_ERR_ARG, "an array needs at least one dimension");
    check_array(dimensions, sizes);
    if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN) {
        throw Failure(MPI_ERR_ARG, "the order must be MPI_ORDER_C or MPI_ORDER_FORTRAN");
    }
    for (int i = 0; i < dimensions; ++i) {
        if (sizes[i] < 1) throw Failure(MPI_ERR_ARG, "an array dimension must have a size of at least 1");
    }
}

void check_distribution(const Distributed& d) {
    const auto fail = [](const char* words) { throw Failure(MPI_ERR_ARG, words); };
    if (d.processes < 1) fail("a process grid dimension must have a size of at least 1");
    switch (d.kind) {
    case MPI_DISTRIBUTE_NONE:
        if (d.processes != 1) fail("a dimension that is not distributed needs a process grid size of 1");
        return;
    case MPI_DISTRIBUTE_BLOCK:
    case MPI_DISTRIBUTE_CYCLIC: break;
    default: fail("a distribution must be MPI_DISTRIBUTE_BLOCK, _CYCLIC or _NONE");
    }
    if (d.argument == MPI_DISTRIBUTE_DFLT_DARG) return;
    if (d.argument < 1) fail("a distribution argument must be at least 1");
    const bool block = d.kind == MPI_DISTRIBUTE_BLOCK;
    if (block && static_cast<std::int64_t>(d.argument) * d.processes < d.size) {
        fail("the blocks of a distribution are too small for the array");
    }
}

} // namespace

int Type_create_subarray(int ndims, const int sizes[], const int subsizes[], const int starts[], int order,
                         MPI_Datatype oldtype, MPI_Datatype* newtype) {
    check_results(newtype);
    check_shape(ndims, sizes, order);
    check_array(ndims, subsizes);
    check_array(ndims, starts);
    std::vector<ArrayPart> dimensions;
    for (int i = 0; i < ndims; ++i) {
        const bool inside = subsizes[i] >= 1 && starts[i] >= 0 && subsizes[i] <= sizes[i] - starts[i];
        if (!inside) throw Failure(MPI_ERR_ARG, "the subarray is not inside the array");
        dimensions.push_back({sizes[i], starts[i], subsizes[i]});
    }
    const Datatype& old = datatype(oldtype);
    Recipe recipe{MPI_COMBINER_SUBARRAY, {ndims}, {}, {TypeRef(old)}};
    for (const int* list : {sizes, subsizes, starts}) {
        recipe.integers.insert(recipe.integers.end(), list, list + ndims);
    }
    recipe.integers.push_back(order);
    *newtype = open_handle(own_types(), *new Datatype(subarray(dimensions, order, old), std::move(recipe)));
    return MPI_SUCCESS;
}

int Type_create_darray(int size, int rank, int ndims, const int gsizes[], const int distribs[],
                       const int dargs[], const int psizes[], int order, MPI_Datatype oldtype,
                       MPI_Datatype* newtype) {
    check_results(newtype);
    check_shape(ndims, gsizes, order);
    for (const int* list : {distribs, dargs, psizes}) check_array(ndims, list);
    if (rank < 0 || rank >= size) throw Failure(MPI_ERR_ARG, "the rank is not in the process grid");
    std::vector<Distributed> dimensions;
    std::int64_t processes = 1;
    for (int i = 0; i < ndims; ++i) {
        dimensions.push_back({gsizes[i], distribs[i], dargs[i], psizes[i], 0});
        check_distribution(dimensions.back());
        processes *= psizes[i];
    }
    if (processes != size) throw Failure(MPI_ERR_ARG, "the process grid does not have as many ranks as given");
    // Processes are numbered in C order, whatever the order of the array.
    for (int i = ndims - 1, rest = rank; i >= 0; --i) {
        dimensions[static_cast<std::size_t>(i)].coordinate = rest % psizes[i];
        rest /= psizes[i];
    }
    const Datatype& old = datatype(oldtype);
    Recipe recipe{MPI_COMBINER_DARRAY, {size, rank, ndims}, {}, {TypeRef(old)}};
    for (const int* list : {gsizes, distribs, dargs, psizes}) {
        recipe.integers.insert(recipe.integers.end(), list, list + ndims);
    }
    recipe.integers.push_back(order);
    *newtype =
        open_handle(own_types(), *new Datatype(distributed_array(dimensions, order, old), std::move(recipe)));
    return MPI_SUCCESS;
}

} // namespace orrery::emulate::mpi
