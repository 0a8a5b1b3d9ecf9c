#include "reference/type_map.h"

#include "functions.h"

#include <algorithm>

namespace orrery::reference {

namespace mpi = emulate::mpi;

namespace {

// Copies of types one by one; bounds as each copy brings them.
class Collector {
  public:
    void place(const TypeMap& type, std::int64_t at) {
        for (const auto& e : type.elements) map_.elements.push_back({at + e.offset, e.size});
        if (!type.elements.empty()) map_.alignment = std::max(map_.alignment, type.alignment);
        if (!type.elements.empty() || type.lb_marked)
            (type.lb_marked ? marked_lb_ : lb_).push_back(at + type.lb);
        if (!type.elements.empty() || type.ub_marked)
            (type.ub_marked ? marked_ub_ : ub_).push_back(at + type.ub);
    }
    void place(const TypeMap& type, std::int64_t at, std::int64_t copies) {
        for (std::int64_t i = 0; i < copies; ++i) place(type, at + i * type.extent());
    }
    TypeMap finish(bool pad) {
        map_.lb_marked = !marked_lb_.empty();
        map_.ub_marked = !marked_ub_.empty();
        const auto& low = map_.lb_marked ? marked_lb_ : lb_;
        const auto& high = map_.ub_marked ? marked_ub_ : ub_;
        if (!low.empty()) map_.lb = *std::min_element(low.begin(), low.end());
        if (!high.empty()) map_.ub = *std::max_element(high.begin(), high.end());
        while (pad && !map_.ub_marked && !map_.elements.empty() && map_.extent() % map_.alignment != 0)
            ++map_.ub;
        return map_;
    }

  private:
    TypeMap map_;
    std::vector<std::int64_t> lb_, ub_, marked_lb_, marked_ub_;
};

TypeMap named(MPI_Datatype type) {
    int size = 0;
    MPI_Aint lb = 0, extent = 0;
    mpi::Type_size(type, &size);
    mpi::Type_get_extent(type, &lb, &extent);
    TypeMap map;
    if (type == MPI_LB) map.lb_marked = true;
    if (type == MPI_UB) map.ub_marked = true;
    const auto pair = [&](std::int64_t value, std::int64_t at) {
        map.elements = {{0, value}, {at, 4}};
        map.alignment = value;
    };
    switch (type) {
    case MPI_SHORT_INT:
        pair(2, 4);
        map.alignment = 4;
        break;
    case MPI_DOUBLE_INT:
    case MPI_LONG_INT: pair(8, 8); break;
    case MPI_LONG_DOUBLE_INT: pair(16, 16); break;
    case MPI_2INT:
    case MPI_FLOAT_INT: pair(4, 4); break;
    default:
        if (size > 0) map.elements = {{0, size}};
        map.alignment = type == MPI_C_DOUBLE_COMPLEX ? 8 : std::max(size, 1);
    }
    map.ub = extent;
    return map;
}

struct Contents {
    std::vector<int> integers;
    std::vector<MPI_Aint> addresses;
    std::vector<TypeMap> types;
};

// Indices of dimension d that the process has, in order: MPI-3.1, 4.1.4, and High Performance Fortran.
std::vector<int> owned(int size, int kind, int argument, int processes, int coordinate) {
    std::vector<int> mine;
    if (kind == MPI_DISTRIBUTE_BLOCK && argument == MPI_DISTRIBUTE_DFLT_DARG) {
        argument = (size + processes - 1) / processes;
    }
    if (kind == MPI_DISTRIBUTE_CYCLIC && argument == MPI_DISTRIBUTE_DFLT_DARG) argument = 1;
    for (int i = 0; i < size; ++i) {
        const int owner = kind == MPI_DISTRIBUTE_NONE ? 0 : i / argument % processes;
        if (owner == coordinate) mine.push_back(i);
    }
    return mine;
}

// All elements of the part of an array that `mine` names per dimension.
TypeMap array_part(const std::vector<int>& sizes, const std::vector<std::vector<int>>& mine, int order,
                   const TypeMap& element) {
    const std::size_t n = sizes.size();
    const auto nth = [&](std::size_t k) { return order == MPI_ORDER_C ? k : n - 1 - k; }; // slowest first
    std::int64_t whole = element.extent();
    std::int64_t count = 1;
    for (std::size_t k = 0; k < n; ++k) {
        whole *= sizes[k];
        count *= static_cast<std::int64_t>(mine[k].size());
    }
    Collector all;
    for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t rest = i, index = 0, scale = 1;
        for (std::size_t k = n; k-- > 0;) { // fastest first
            const std::size_t d = nth(k);
            const auto here = static_cast<std::int64_t>(mine[d].size());
            index += scale * mine[d][static_cast<std::size_t>(rest % here)];
            scale *= sizes[d];
            rest /= here;
        }
        all.place(element, index * element.extent());
    }
    TypeMap map = all.finish(false);
    map.lb = 0;
    map.ub = whole;
    map.lb_marked = map.ub_marked = true;
    return map;
}

TypeMap subarray(const Contents& c) {
    const auto n = static_cast<std::size_t>(c.integers[0]);
    std::vector<int> sizes;
    std::vector<std::vector<int>> mine(n);
    for (std::size_t d = 0; d < n; ++d) {
        sizes.push_back(c.integers[1 + d]);
        for (int i = 0; i < c.integers[1 + n + d]; ++i) mine[d].push_back(c.integers[1 + 2 * n + d] + i);
    }
    return array_part(sizes, mine, c.integers[1 + 3 * n], c.types[0]);
}

TypeMap darray(const Contents& c) {
    const auto n = static_cast<std::size_t>(c.integers[2]);
    const auto field = [&](std::size_t which, std::size_t d) { return c.integers[3 + which * n + d]; };
    std::vector<int> sizes;
    std::vector<std::vector<int>> mine(n);
    int rest = c.integers[1];
    for (std::size_t d = n; d-- > 0;) {
        const int processes = field(3, d);
        mine[d] = owned(field(0, d), field(1, d), field(2, d), processes, rest % processes);
        rest /= processes;
    }
    for (std::size_t d = 0; d < n; ++d) sizes.push_back(field(0, d));
    return array_part(sizes, mine, c.integers[3 + 4 * n], c.types[0]);
}

TypeMap derived(int combiner, const Contents& c) {
    Collector all;
    const TypeMap& old = c.types.at(0);
    const auto count = c.integers.empty() ? std::size_t{0} : static_cast<std::size_t>(c.integers[0]);
    switch (combiner) {
    case MPI_COMBINER_DUP: return old;
    case MPI_COMBINER_CONTIGUOUS: all.place(old, 0, c.integers[0]); break;
    case MPI_COMBINER_VECTOR:
        for (int i = 0; i < c.integers[0]; ++i) all.place(old, i * c.integers[2] * old.extent(), c.integers[1]);
        break;
    case MPI_COMBINER_HVECTOR:
        for (int i = 0; i < c.integers[0]; ++i) all.place(old, i * c.addresses[0], c.integers[1]);
        break;
    case MPI_COMBINER_INDEXED:
        for (std::size_t i = 0; i < count; ++i) {
            all.place(old, c.integers[1 + count + i] * old.extent(), c.integers[1 + i]);
        }
        break;
    case MPI_COMBINER_HINDEXED:
        for (std::size_t i = 0; i < count; ++i) all.place(old, c.addresses[i], c.integers[1 + i]);
        break;
    case MPI_COMBINER_INDEXED_BLOCK:
        for (std::size_t i = 0; i < count; ++i) all.place(old, c.integers[2 + i] * old.extent(), c.integers[1]);
        break;
    case MPI_COMBINER_HINDEXED_BLOCK:
        for (std::size_t i = 0; i < count; ++i) all.place(old, c.addresses[i], c.integers[1]);
        break;
    case MPI_COMBINER_STRUCT:
        for (std::size_t i = 0; i < count; ++i) all.place(c.types[i], c.addresses[i], c.integers[1 + i]);
        return all.finish(true);
    case MPI_COMBINER_SUBARRAY: return subarray(c);
    case MPI_COMBINER_DARRAY: return darray(c);
    case MPI_COMBINER_RESIZED: {
        TypeMap map = old;
        map.lb = c.addresses[0];
        map.ub = c.addresses[0] + c.addresses[1];
        map.lb_marked = map.ub_marked = true;
        return map;
    }
    default: break;
    }
    return all.finish(false);
}

} // namespace

std::int64_t TypeMap::size() const {
    std::int64_t sum = 0;
    for (const Element& e : elements) sum += e.size;
    return sum;
}
std::int64_t TypeMap::true_lb() const {
    if (elements.empty()) return 0;
    std::int64_t low = elements[0].offset;
    for (const Element& e : elements) low = std::min(low, e.offset);
    return low;
}
std::int64_t TypeMap::true_ub() const {
    if (elements.empty()) return 0;
    std::int64_t high = elements[0].offset + elements[0].size;
    for (const Element& e : elements) high = std::max(high, e.offset + e.size);
    return high;
}

TypeMap type_map(MPI_Datatype type) {
    int integers = 0, addresses = 0, types = 0, combiner = 0;
    mpi::Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    if (combiner == MPI_COMBINER_NAMED) return named(type);
    Contents c;
    c.integers.resize(static_cast<std::size_t>(integers));
    c.addresses.resize(static_cast<std::size_t>(addresses));
    std::vector<MPI_Datatype> inside(static_cast<std::size_t>(types));
    mpi::Type_get_contents(type, integers, addresses, types, c.integers.data(), c.addresses.data(),
                           inside.data());
    for (MPI_Datatype& each : inside) {
        c.types.push_back(type_map(each));
        int unused = 0, how = 0;
        mpi::Type_get_envelope(each, &unused, &unused, &unused, &how);
        if (how != MPI_COMBINER_NAMED) mpi::Type_free(&each);
    }
    if (c.types.empty()) c.types.emplace_back(); // a struct of nothing
    return derived(combiner, c);
}

std::vector<std::int64_t> byte_offsets(const TypeMap& map, std::int64_t count) {
    std::vector<std::int64_t> offsets;
    for (std::int64_t i = 0; i < count; ++i) {
        for (const auto& e : map.elements) {
            for (std::int64_t b = 0; b < e.size; ++b) offsets.push_back(i * map.extent() + e.offset + b);
        }
    }
    return offsets;
}

} // namespace orrery::reference
