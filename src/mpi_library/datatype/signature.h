// The sequence of basic types in a datatype as a few numbers, so that sender and receiver can be compared.
//
// The numbers of a sequence follow from those of its parts: a polynomial in an odd base, modulo 2^64, whose
// coefficients are the basic types. Sequences of different grouping but equal content have equal numbers.
// What real MPI libraries let pass is let pass here: signedness, logicals and characters count as integers of
// their size, a complex number as two reals.
#pragma once

#include <cstdint>
#include <string>

namespace orrery::emulate::mpi {

struct Signature {
    static constexpr std::uint64_t base = 0x9e3779b97f4a7c15;
    static constexpr std::uint8_t none = 0, mixed = 0xff, anything = 0xfe; // anything: MPI_BYTE, MPI_PACKED

    std::uint64_t hash = 0;
    std::uint64_t power = 1; // base to the power of the number of basic types
    std::int64_t length = 0;
    std::uint8_t only = none; // the basic type, if there is but one kind

    static constexpr Signature of(std::uint8_t basic) { return {basic, base, 1, basic}; }

    [[nodiscard]] constexpr Signature then(const Signature& next) const {
        Signature both{hash * next.power + next.hash, power * next.power, length + next.length, mixed};
        if (only == next.only || next.only == none) both.only = only;
        if (only == none) both.only = next.only;
        return both;
    }
    [[nodiscard]] constexpr Signature times(std::uint64_t count) const {
        Signature result;
        for (Signature doubled = *this; count != 0; count >>= 1, doubled = doubled.then(doubled)) {
            if ((count & 1) != 0) result = result.then(doubled);
        }
        return result;
    }
};

// The basic type that is written as this number: "reals of 8 bytes".
std::string basic_words(std::uint8_t basic);

// Whether a message of the one may be received into the other, each any number of times. A shorter message is
// compared if both sides are of one basic type, and let pass otherwise.
constexpr bool compatible(const Signature& sent, std::int64_t sent_count, const Signature& received,
                          std::int64_t received_count) {
    constexpr auto passes = [](const Signature& one) {
        return one.only == Signature::none || one.only == Signature::anything;
    };
    if (passes(sent) || passes(received)) return true;
    if (sent.only != Signature::mixed && received.only != Signature::mixed) return sent.only == received.only;
    if (sent.length * sent_count != received.length * received_count) return true;
    return sent.times(static_cast<std::uint64_t>(sent_count)).hash ==
           received.times(static_cast<std::uint64_t>(received_count)).hash;
}

} // namespace orrery::emulate::mpi
