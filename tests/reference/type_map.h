// A datatype as the MPI standard defines it: the list of its basic elements with their offsets.
//
// The slow twin of src/mpi_library/datatype: it knows a type only by its envelope and contents, and writes down
// every element. Distributed arrays are taken from the definition of the distributions, index by index.
#pragma once

#include "orrery/mpi/mpi.h"

#include <cstdint>
#include <vector>

namespace orrery::reference {

struct TypeMap {
    struct Element {
        std::int64_t offset;
        std::int64_t size;
    };
    std::vector<Element> elements;
    std::int64_t lb = 0, ub = 0;
    bool lb_marked = false, ub_marked = false;
    std::int64_t alignment = 1;

    [[nodiscard]] std::int64_t extent() const { return ub - lb; }
    [[nodiscard]] std::int64_t size() const;
    [[nodiscard]] std::int64_t true_lb() const;
    [[nodiscard]] std::int64_t true_ub() const;
};

TypeMap type_map(MPI_Datatype type);

// Where each byte of the packed form of `count` elements is.
std::vector<std::int64_t> byte_offsets(const TypeMap& map, std::int64_t count);

} // namespace orrery::reference
