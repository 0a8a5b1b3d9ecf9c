// Tools that the patterns are written with. Internal to this folder.
#pragma once

#include "collectives/swapped_tree.h"
#include "engine/error.h"
#include "workload/patterns/pattern.h"

#include <fmt/format.h>
#include <utility>

namespace orrery::patterns_detail {

// A pattern made of a count and a function (rank, out): the form in which all of them are written.
template <typename Program> class FunctionPattern final : public Pattern {
  public:
    FunctionPattern(std::uint64_t messages, Program program)
        : messages_(messages), program_(std::move(program)) {}
    void program(RankId rank, RankGraph& out) const override { program_(rank.value, out); }
    [[nodiscard]] std::uint64_t messages() const override { return messages_; }

  private:
    std::uint64_t messages_;
    Program program_;
};

template <typename Program> std::unique_ptr<Pattern> pattern_of(std::uint64_t messages, Program program) {
    return std::make_unique<FunctionPattern<Program>>(messages, std::move(program));
}

inline constexpr std::uint32_t no_op = 0xFFFF'FFFF;

inline void require_if(RankGraph& out, std::uint32_t after, std::uint32_t before) {
    if (before != no_op) out.require(after, before);
}

// Ring arithmetic on ranks; `distance` is below `ranks`.
constexpr std::uint32_t plus(std::uint32_t rank, std::uint32_t distance, std::uint32_t ranks) {
    return rank < ranks - distance ? rank + distance : rank - (ranks - distance);
}
constexpr std::uint32_t minus(std::uint32_t rank, std::uint32_t distance, std::uint32_t ranks) {
    return rank >= distance ? rank - distance : rank + (ranks - distance);
}

// Algorithms are written for root 0; another root changes places with rank 0.
using coll::swap_root;

inline std::uint64_t picoseconds(Time time) { return static_cast<std::uint64_t>(time.ps()); }

inline std::uint64_t reduction_time(Bytes bytes, double cost) {
    return picoseconds(Time::from_ps(static_cast<double>(bytes) * cost, "a reduction of the pattern"));
}

// The computation that combines `bytes` of two operands, after `recv` (if reducing costs anything). Returns
// the operation whose end means that the received data is in place.
inline std::uint32_t reduced(RankGraph& out, std::uint32_t recv, Bytes bytes, double cost) {
    if (cost == 0) return recv;
    const std::uint32_t calc = out.add(calc_op(reduction_time(bytes, cost)));
    out.require(calc, recv);
    return calc;
}

// A rank that, step by step, sends what it has and receives what is then part of it. The receives are posted
// at once. A send waits for the receive before it and, as messages of different partners may come in any
// order, for the start of the send before it: so for all receives before it. Operands are combined in order.
struct Exchange {
    RankGraph& out;
    bool in_order = true; // false: a send waits for the receive before it and no more, as in the original
    double reduce_cost = 0;
    std::uint32_t tag = 0;
    std::uint32_t ready = no_op;    // the next send may start when this ends
    std::uint32_t sent = no_op;     // the last send
    std::uint32_t combined = no_op; // the last combining of operands

    void send(std::uint32_t to, Bytes bytes) {
        const std::uint32_t send = out.add(send_op(to, bytes, tag));
        require_if(out, send, ready);
        if (in_order && sent != no_op) out.irequire(send, sent);
        sent = send;
    }
    void receive(std::uint32_t from, Bytes bytes) { ready = out.add(recv_op(from, bytes, tag)); }
    // What comes is combined with what is there.
    void receive_operand(std::uint32_t from, Bytes bytes) {
        receive(from, bytes);
        if (reduce_cost == 0) return;
        ready = reduced(out, ready, bytes, reduce_cost);
        require_if(out, ready, combined);
        combined = ready;
    }
};

inline void expect(bool condition, const std::string& otherwise) {
    if (!condition) throw UsageError(otherwise);
}

// Operations are numbered by 32 bits, and a program that large would not fit in memory anyway.
inline void expect_operations(double per_rank) {
    expect(per_rank < 0x1p31,
           fmt::format("the program of one rank would have {:.3g} operations; the limit is 2 thousand million",
                       per_rank));
}

} // namespace orrery::patterns_detail
