#include "mpi_library/op_kernels.h"

#include "mpi_library/basic_types.h"
#include "mpi_library/datatype/datatype.h"
#include "mpi_library/predefined.h"

#include <cstring>
#include <type_traits>

namespace orrery::emulate::mpi {

namespace {

// Sums and products wrap around: unsigned arithmetic, wide enough not to become signed again.
template <typename T> struct Wrapping { using Type = T; };
template <> struct Wrapping<char> { using Type = unsigned; };
template <> struct Wrapping<signed char> { using Type = unsigned; };
template <> struct Wrapping<unsigned char> { using Type = unsigned; };
template <> struct Wrapping<short> { using Type = unsigned; };
template <> struct Wrapping<unsigned short> { using Type = unsigned; };
template <> struct Wrapping<int> { using Type = unsigned; };
template <> struct Wrapping<long> { using Type = unsigned long; };
template <> struct Wrapping<long long> { using Type = unsigned long long; };
template <> struct Wrapping<Int128> { __extension__ typedef unsigned __int128 Type; };
template <typename T> using Wide = typename Wrapping<T>::Type;

template <typename R> struct Complex { // without the care for infinities that std::complex takes
    R real, imaginary;
};

struct Max {
    template <typename T> static T of(T a, T b) { return a > b ? a : b; }
};
struct Min {
    template <typename T> static T of(T a, T b) { return a < b ? a : b; }
};
struct Sum {
    template <typename T> static T of(T a, T b) {
        return static_cast<T>(static_cast<Wide<T>>(a) + static_cast<Wide<T>>(b));
    }
    template <typename R> static Complex<R> of(Complex<R> a, Complex<R> b) {
        return {a.real + b.real, a.imaginary + b.imaginary};
    }
};
struct Product {
    template <typename T> static T of(T a, T b) {
        return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
    }
    template <typename R> static Complex<R> of(Complex<R> a, Complex<R> b) {
        return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
    }
};
struct LogicalAnd {
    template <typename T> static T of(T a, T b) { return static_cast<T>(a != 0 && b != 0); }
};
struct LogicalOr {
    template <typename T> static T of(T a, T b) { return static_cast<T>(a != 0 || b != 0); }
};
struct LogicalXor {
    template <typename T> static T of(T a, T b) { return static_cast<T>((a != 0) != (b != 0)); }
};
struct BitAnd {
    template <typename T> static T of(T a, T b) { return static_cast<T>(a & b); }
};
struct BitOr {
    template <typename T> static T of(T a, T b) { return static_cast<T>(a | b); }
};
struct BitXor {
    template <typename T> static T of(T a, T b) { return static_cast<T>(a ^ b); }
};
struct MinLocation {
    template <typename P> static P of(P a, P b) {
        if (a.value == b.value) return {a.value, a.index < b.index ? a.index : b.index};
        return a.value < b.value ? a : b;
    }
};
struct MaxLocation {
    template <typename P> static P of(P a, P b) {
        if (a.value == b.value) return {a.value, a.index < b.index ? a.index : b.index};
        return a.value > b.value ? a : b;
    }
};
struct Replace {
    template <typename T> static T of(T a, T) { return a; }
};
struct NoOperation {
    template <typename T> static T of(T, T b) { return b; }
};

// Loads and stores by memcpy are right at any address, and the compiler still makes vectors of them.
template <typename Operation, typename T>
void loop(const std::byte* __restrict in, std::byte* __restrict inout, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        T a, b;
        std::memcpy(&a, in + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
        std::memcpy(&b, inout + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
        b = Operation::of(a, b);
        std::memcpy(inout + i * static_cast<std::int64_t>(sizeof(T)), &b, sizeof(T));
    }
}

// What the loops compute with: a bool may hold any byte, a complex number is two reals.
template <typename T> struct Computed { using Type = T; };
template <> struct Computed<bool> { using Type = unsigned char; };
template <typename R> struct Computed<std::complex<R>> { using Type = Complex<R>; };
template <> struct Computed<Complex256> { using Type = Complex<Float128>; };

using Table = std::array<KernelRow, 15>;

// The table of MPI-3.1, 5.9.2. MPI_CHAR counts as an integer, as in other MPI libraries.
template <typename Stored, TypeClass Class> void fill(Table& table, std::uint32_t type) {
    using T = typename Computed<Stored>::Type;
    const auto put = [&](MPI_Op operation, Kernel kernel) { table[index_of(operation)][type] = kernel; };
    constexpr bool character = Class == TypeClass::text && std::is_same_v<Stored, char>;
    const bool fortran_character = type == index_of(MPI_CHARACTER);
    constexpr bool c_integer = Class == TypeClass::c_integer || Class == TypeClass::multi || character;
    constexpr bool integer = c_integer || Class == TypeClass::fortran_integer;
    if constexpr (Class != TypeClass::marker) {
        put(MPI_REPLACE, loop<Replace, T>);
        put(MPI_NO_OP, loop<NoOperation, T>);
    }
    if (fortran_character) return;
    if constexpr (integer || Class == TypeClass::floating) {
        put(MPI_MAX, loop<Max, T>);
        put(MPI_MIN, loop<Min, T>);
    }
    if constexpr (integer || Class == TypeClass::floating || Class == TypeClass::complex) {
        put(MPI_SUM, loop<Sum, T>);
        put(MPI_PROD, loop<Product, T>);
    }
    if constexpr (c_integer || Class == TypeClass::logical) {
        put(MPI_LAND, loop<LogicalAnd, T>);
        put(MPI_LOR, loop<LogicalOr, T>);
        put(MPI_LXOR, loop<LogicalXor, T>);
    }
    if constexpr (integer || Class == TypeClass::byte) {
        put(MPI_BAND, loop<BitAnd, T>);
        put(MPI_BOR, loop<BitOr, T>);
        put(MPI_BXOR, loop<BitXor, T>);
    }
    if constexpr (Class == TypeClass::pair) {
        put(MPI_MINLOC, loop<MinLocation, T>);
        put(MPI_MAXLOC, loop<MaxLocation, T>);
    }
    if constexpr (Class == TypeClass::twin &&
                  (std::is_same_v<T, Twin<std::int32_t>> || std::is_same_v<T, Twin<float>> ||
                   std::is_same_v<T, Twin<double>>)) {
        put(MPI_MINLOC, loop<MinLocation, T>);
        put(MPI_MAXLOC, loop<MaxLocation, T>);
    }
}

Table make_table() {
    Table table{};
#define ORRERY_FILL(mpi_name, number, cpp_type, mpi_class) fill<cpp_type, TypeClass::mpi_class>(table, number);
    ORRERY_MPI_DATATYPES(ORRERY_FILL)
#undef ORRERY_FILL
    return table;
}

} // namespace

const KernelRow& kernels_of(std::uint32_t op_index) {
    static const Table table = make_table();
    return table[op_index];
}

} // namespace orrery::emulate::mpi
