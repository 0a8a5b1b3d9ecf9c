// One operation of a rank: send, receive or compute. The vocabulary that every reader, generator and the
// simulator share.
#pragma once

#include <cstdint>

namespace orrery {

// The order of the enumerators is the order in which operations that become ready together are taken.
enum class OpKind : std::uint8_t { send = 0, recv = 1, calc = 2 };

inline constexpr std::uint32_t any_source = 0xFFFF'FFFF;
inline constexpr std::uint32_t any_tag = 0xFFFF'FFFF;

struct Op {
    OpKind kind = OpKind::calc;
    std::uint32_t peer = 0; // destination or source rank; any_source for a receive from anyone; unused by calc
    std::uint32_t tag = 0;  // any_tag for a receive of any tag; unused by calc
    std::uint32_t cpu = 0;
    std::uint32_t nic = 0;  // unused by calc
    std::uint64_t size = 0; // send, recv: bytes; calc: picoseconds

    bool operator==(const Op&) const = default;
};

constexpr Op send_op(std::uint32_t to, std::uint64_t bytes, std::uint32_t tag = 0, std::uint32_t cpu = 0,
                     std::uint32_t nic = 0) {
    return {OpKind::send, to, tag, cpu, nic, bytes};
}
constexpr Op recv_op(std::uint32_t from, std::uint64_t bytes, std::uint32_t tag = 0, std::uint32_t cpu = 0,
                     std::uint32_t nic = 0) {
    return {OpKind::recv, from, tag, cpu, nic, bytes};
}
constexpr Op calc_op(std::uint64_t picoseconds, std::uint32_t cpu = 0) {
    return {OpKind::calc, 0, 0, cpu, 0, picoseconds};
}

// Limits of every schedule format: checked by `RankGraph` users through `check_rank`.
inline constexpr std::uint64_t max_op_size = (std::uint64_t{1} << 62) - 1; // bytes or picoseconds
inline constexpr std::uint32_t max_cpu = 65'535;
inline constexpr std::uint32_t max_nic = 65'535;
inline constexpr std::uint32_t max_ranks = 0x7FFF'FFFF;

} // namespace orrery
