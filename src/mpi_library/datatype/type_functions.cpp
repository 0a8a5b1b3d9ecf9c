// The constructors of datatypes: what the application calls.
#include "functions.h"
#include "mpi_library/datatype/checks.h"
#include "mpi_library/datatype/make.h"

#include <utility>
#include <vector>

namespace orrery::emulate::mpi {

namespace {

MPI_Datatype make(Datatype::Shape shape, Recipe recipe) {
    return open_handle(own_types(), *new Datatype(std::move(shape), std::move(recipe)));
}

// Blocks of copies of one type at the given displacements, in multiples of `unit` bytes.
template <typename Displacement, typename Length>
Datatype::Shape blocks(int count, Length length, const Displacement* displacements, std::int64_t unit,
                       const Datatype& type) {
    std::vector<Placed> placed;
    placed.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) placed.push_back({&type, {displacements[i] * unit, length(i), 1, 0}});
    return assemble(placed);
}

template <typename T> void append(std::vector<T>& list, const T* more, int count) {
    list.insert(list.end(), more, more + count);
}

// Displacements are numbers of elements, or addresses: where they are kept, and what one is worth.
void keep(Recipe& recipe, const int* displacements, int count) {
    append(recipe.integers, displacements, count);
}
void keep(Recipe& recipe, const MPI_Aint* displacements, int count) {
    append(recipe.addresses, displacements, count);
}
std::int64_t unit(const int* /*displacements*/, const Datatype& old) { return old.extent(); }
std::int64_t unit(const MPI_Aint* /*displacements*/, const Datatype& /*old*/) { return 1; }

template <typename Displacement>
int indexed(int combiner, int count, const int* lengths, const Displacement* displacements,
            MPI_Datatype oldtype, MPI_Datatype* newtype) {
    check_results(newtype);
    check_blocks(count, lengths, displacements);
    const Datatype& old = datatype(oldtype);
    Recipe recipe{combiner, {count}, {}, {TypeRef(old)}};
    append(recipe.integers, lengths, count);
    keep(recipe, displacements, count);
    const auto length = [&](int i) { return lengths[i]; };
    *newtype = make(blocks(count, length, displacements, unit(displacements, old), old), std::move(recipe));
    return MPI_SUCCESS;
}

template <typename Displacement>
int indexed_block(int combiner, int count, int blocklength, const Displacement* displacements,
                  MPI_Datatype oldtype, MPI_Datatype* newtype) {
    check_results(newtype);
    check_count(count);
    check_block(blocklength);
    check_array(count, displacements);
    const Datatype& old = datatype(oldtype);
    Recipe recipe{combiner, {count, blocklength}, {}, {TypeRef(old)}};
    keep(recipe, displacements, count);
    const auto length = [&](int) { return blocklength; };
    *newtype = make(blocks(count, length, displacements, unit(displacements, old), old), std::move(recipe));
    return MPI_SUCCESS;
}

} // namespace

int Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
    check_results(newtype);
    check_count(count);
    const Datatype& old = datatype(oldtype);
    const Placed placed{&old, {0, count, 1, 0}};
    *newtype = make(assemble(std::span(&placed, 1)), {MPI_COMBINER_CONTIGUOUS, {count}, {}, {TypeRef(old)}});
    return MPI_SUCCESS;
}

int Type_vector(int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
    check_results(newtype);
    check_count(count);
    check_block(blocklength);
    const Datatype& old = datatype(oldtype);
    const Placed placed{&old, {0, blocklength, count, stride * old.extent()}};
    *newtype = make(assemble(std::span(&placed, 1)),
                    {MPI_COMBINER_VECTOR, {count, blocklength, stride}, {}, {TypeRef(old)}});
    return MPI_SUCCESS;
}

int Type_create_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
                        MPI_Datatype* newtype) {
    check_results(newtype);
    check_count(count);
    check_block(blocklength);
    const Datatype& old = datatype(oldtype);
    const Placed placed{&old, {0, blocklength, count, stride}};
    *newtype = make(assemble(std::span(&placed, 1)),
                    {MPI_COMBINER_HVECTOR, {count, blocklength}, {stride}, {TypeRef(old)}});
    return MPI_SUCCESS;
}

int Type_indexed(int count, const int lengths[], const int displacements[], MPI_Datatype oldtype,
                 MPI_Datatype* newtype) {
    return indexed(MPI_COMBINER_INDEXED, count, lengths, displacements, oldtype, newtype);
}

int Type_create_hindexed(int count, const int lengths[], const MPI_Aint displacements[], MPI_Datatype oldtype,
                         MPI_Datatype* newtype) {
    return indexed(MPI_COMBINER_HINDEXED, count, lengths, displacements, oldtype, newtype);
}

int Type_create_indexed_block(int count, int blocklength, const int displacements[], MPI_Datatype oldtype,
                              MPI_Datatype* newtype) {
    return indexed_block(MPI_COMBINER_INDEXED_BLOCK, count, blocklength, displacements, oldtype, newtype);
}

int Type_create_hindexed_block(int count, int blocklength, const MPI_Aint displacements[], MPI_Datatype oldtype,
                               MPI_Datatype* newtype) {
    return indexed_block(MPI_COMBINER_HINDEXED_BLOCK, count, blocklength, displacements, oldtype, newtype);
}

int Type_create_struct(int count, const int lengths[], const MPI_Aint displacements[],
                       const MPI_Datatype types[], MPI_Datatype* newtype) {
    check_results(newtype);
    check_blocks(count, lengths, displacements);
    check_array(count, types);
    Recipe recipe{MPI_COMBINER_STRUCT, {count}, {}, {}};
    append(recipe.integers, lengths, count);
    append(recipe.addresses, displacements, count);
    std::vector<Placed> placed;
    placed.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        const Datatype& type = datatype(types[i]);
        recipe.types.emplace_back(type);
        placed.push_back({&type, {displacements[i], lengths[i], 1, 0}});
    }
    *newtype = make(assemble(placed, true), std::move(recipe));
    return MPI_SUCCESS;
}

int Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype* newtype) {
    check_results(newtype);
    const Datatype& old = datatype(oldtype);
    const Placed placed{&old, {0, 1, 1, 0}};
    *newtype = make(with_bounds(assemble(std::span(&placed, 1)), lb, extent),
                    {MPI_COMBINER_RESIZED, {}, {lb, extent}, {TypeRef(old)}});
    return MPI_SUCCESS;
}

} // namespace orrery::emulate::mpi
