#include "mpi_library/datatype/external.h"

#include "mpi_library/basic_types.h"

#include <algorithm>
#include <cstring>

namespace orrery::emulate::mpi {

namespace {

// How a basic type is written: `numbers` of them (complex: 2), each of `own` bytes here and `external` there.
struct Form {
    Bytes own, external;
    int numbers = 1;
    bool is_signed = true;    // when it grows
    bool long_double = false; // x87 here, IEEE quadruple precision there
};

Form form_of(const Datatype& type) {
    const Bytes size = type.size();
    switch (type.handle()) {
    case MPI_LONG: return {size, 4};
    case MPI_UNSIGNED_LONG: return {.own = size, .external = 4, .is_signed = false};
    case MPI_WCHAR: return {.own = size, .external = 2, .is_signed = false};
    case MPI_LONG_DOUBLE: return {.own = size, .external = 16, .long_double = true};
    case MPI_C_LONG_DOUBLE_COMPLEX:
    case MPI_CXX_LONG_DOUBLE_COMPLEX: return {.own = 16, .external = 16, .numbers = 2, .long_double = true};
    default: break;
    }
    if (type.type_class() == TypeClass::complex) return {size / 2, size / 2, 2};
    return {size, size};
}

void swap_bytes(std::byte* to, const std::byte* from, Bytes bytes) {
    std::reverse_copy(from, from + bytes, to);
}

void number_to_external(const Form& form, const std::byte* own, std::byte* external) {
    if (form.long_double) {
        long double value = 0;
        std::memcpy(&value, own, sizeof value);
        const Float128 wide = value;
        std::byte bytes[sizeof wide];
        std::memcpy(bytes, &wide, sizeof wide);
        return swap_bytes(external, bytes, sizeof wide);
    }
    swap_bytes(external, own, form.external); // the lower bytes, if it shrinks: this machine is little-endian
}

void number_from_external(const Form& form, const std::byte* external, std::byte* own) {
    if (form.long_double) {
        Float128 wide = 0;
        std::byte bytes[sizeof wide];
        swap_bytes(bytes, external, sizeof wide);
        std::memcpy(&wide, bytes, sizeof wide);
        const auto value = static_cast<long double>(wide);
        std::memset(own, 0, form.own);
        std::memcpy(own, &value, 10); // the rest of the 16 bytes is padding
        return;
    }
    const bool negative = form.is_signed && (external[0] & std::byte{0x80}) != std::byte{0};
    std::memset(own, negative ? 0xff : 0, form.own);
    swap_bytes(own, external, form.external);
}

// Calls `number(form, from, to)` for each number in the order of the type map.
template <bool ToExternal>
std::byte* convert(const Datatype& type, std::int64_t count, const std::byte*& from, std::byte* to) {
    if (!type.shape().parts.empty()) {
        for (std::int64_t i = 0; i < count; ++i) {
            for (const Datatype::Part& part : type.shape().parts) {
                to = convert<ToExternal>(*part.type, part.count, from, to);
            }
        }
        return to;
    }
    if (type.size() == 0) return to;
    const Form form = form_of(type);
    for (std::int64_t i = 0; i < count * form.numbers; ++i) {
        if constexpr (ToExternal) {
            number_to_external(form, from, to);
            from += form.own;
            to += form.external;
        } else {
            number_from_external(form, from, to);
            from += form.external;
            to += form.own;
        }
    }
    return to;
}

} // namespace

Bytes external_size(const Datatype& type) {
    if (type.shape().parts.empty()) {
        const Form form = form_of(type);
        return type.size() == 0 ? 0 : form.external * static_cast<Bytes>(form.numbers);
    }
    Bytes sum = 0;
    for (const Datatype::Part& part : type.shape().parts) {
        sum += external_size(*part.type) * static_cast<Bytes>(part.count);
    }
    return sum;
}

std::byte* to_external(const Datatype& type, std::int64_t count, const std::byte* packed, std::byte* external) {
    return convert<true>(type, count, packed, external);
}

std::byte* from_external(const Datatype& type, std::int64_t count, const std::byte* external,
                         std::byte* packed) {
    return convert<false>(type, count, external, packed);
}

} // namespace orrery::emulate::mpi
