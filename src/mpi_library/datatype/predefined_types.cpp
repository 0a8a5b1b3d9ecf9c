// The named datatypes, made from the table of predefined.h.
#include "mpi_library/basic_types.h"
#include "mpi_library/datatype/make.h"
#include "mpi_library/predefined.h"

#include <cstddef>
#include <fmt/format.h>
#include <type_traits>

namespace orrery::emulate::mpi {

namespace {

// What stands for a basic type in a signature: the bits of its size, which are a power of two, and what it is.
constexpr std::uint8_t basic_code(std::size_t size, unsigned kind) {
    return static_cast<std::uint8_t>(size | kind << 5);
}
constexpr unsigned integer = 0, real = 1, extended = 2;

} // namespace

std::string basic_words(std::uint8_t basic) {
    constexpr unsigned sizes = (1U << 5U) - 1;
    const unsigned kind = basic >> 5U;
    const char* const name = kind == integer ? "integers" : kind == real ? "reals" : "long doubles";
    return fmt::format("{} of {} bytes", name, basic & sizes);
}

namespace {

template <typename T> constexpr std::uint8_t code_of = basic_code(sizeof(T), integer);
template <> constexpr std::uint8_t code_of<float> = basic_code(4, real);
template <> constexpr std::uint8_t code_of<double> = basic_code(8, real);
template <> constexpr std::uint8_t code_of<long double> = basic_code(16, extended);
template <> constexpr std::uint8_t code_of<Float128> = basic_code(16, real);

template <typename T> constexpr Signature signature_of = Signature::of(code_of<T>);
template <typename T> constexpr Signature signature_of<std::complex<T>> = Signature::of(code_of<T>).times(2);
template <> constexpr Signature signature_of<Complex256> = Signature::of(code_of<Float128>).times(2);

using Table = std::array<Datatype*, first_own>;

template <typename T> struct Maker {
    static Datatype::Shape shape(const Table&, TypeClass type_class, int) {
        Datatype::Shape shape;
        shape.size = sizeof(T);
        shape.elements = 1;
        shape.bounds = {0, sizeof(T), 0, sizeof(T), alignof(T), false, false, true};
        shape.signature = signature_of<T>;
        if (type_class == TypeClass::byte || type_class == TypeClass::packed) {
            shape.signature = Signature::of(Signature::anything);
        }
        shape.layout = Layout(sizeof(T));
        return shape;
    }
};

template <> struct Maker<Nothing> {
    static Datatype::Shape shape(const Table&, TypeClass, int handle) {
        Datatype::Shape shape;
        shape.bounds.lb_marked = handle == MPI_LB;
        shape.bounds.ub_marked = handle == MPI_UB;
        return shape;
    }
};

// Handle of the component of a pair.
template <typename T> constexpr int component = MPI_DATATYPE_NULL;
template <> constexpr int component<float> = MPI_FLOAT;
template <> constexpr int component<double> = MPI_DOUBLE;
template <> constexpr int component<long> = MPI_LONG;
template <> constexpr int component<int> = MPI_INT;
template <> constexpr int component<short> = MPI_SHORT;
template <> constexpr int component<long double> = MPI_LONG_DOUBLE;
template <> constexpr int component<std::complex<float>> = MPI_COMPLEX;
template <> constexpr int component<std::complex<double>> = MPI_DOUBLE_COMPLEX;

Datatype::Shape pair_shape(const Table& made, int value, int index, std::size_t index_at) {
    const Placed placed[] = {{made[index_of(value)], {0, 1, 1, 0}},
                             {made[index_of(index)], {static_cast<std::int64_t>(index_at), 1, 1, 0}}};
    return assemble(placed, true);
}
template <typename T> struct Maker<Pair<T>> {
    static Datatype::Shape shape(const Table& made, TypeClass, int) {
        return pair_shape(made, component<T>, MPI_INT, offsetof(Pair<T>, index));
    }
};
template <typename T> struct Maker<Twin<T>> {
    static Datatype::Shape shape(const Table& made, TypeClass, int) {
        return pair_shape(made, component<T>, component<T>, offsetof(Twin<T>, index));
    }
};

Table make_all() {
    Table made{};
#define ORRERY_MAKE(mpi_name, number, cpp_type, mpi_class)                                                     \
    static_assert((mpi_name) == handle_of(Kind::datatype, number));                                            \
    made[number] = new Datatype(Maker<cpp_type>::shape(made, TypeClass::mpi_class, mpi_name),                  \
                                TypeClass::mpi_class, #mpi_name, mpi_name);
    ORRERY_MPI_DATATYPES(ORRERY_MAKE)
#undef ORRERY_MAKE
    return made;
}

} // namespace

// They live as long as the process.
const std::array<Datatype*, first_own> detail::predefined_types = make_all();

} // namespace orrery::emulate::mpi
