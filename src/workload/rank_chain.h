// The graph of a rank that does one thing after the other.
#pragma once

#include "workload/graph.h"

#include <cstdint>
#include <span>
#include <vector>

namespace orrery {

// Knows what the next operation has to wait for: the end of what blocks, the start of what goes on beside it.
class RankChain {
  public:
    explicit RankChain(RankGraph& graph) : graph_(&graph) {}
    // Forgets what it waits for: the next operation begins at once.
    void restart() { waits_.clear(); }
    // A second chain that begins where this one is and goes on beside it, on a CPU of its own.
    [[nodiscard]] RankChain fork() const {
        RankChain other = *this;
        other.cpu_ = 1;
        return other;
    }

    // Appends an operation that waits for all that the chain waits for; what follows is not changed by it.
    std::uint32_t add(Op op) {
        op.cpu = cpu_;
        const std::uint32_t number = graph_->add(op);
        for (const Waits& each : waits_) graph_->dependencies.push_back({each.op, number, each.on_start});
        return number;
    }
    // Appends an operation that waits for the end of these and for nothing else.
    std::uint32_t add_behind(Op op, std::span<const std::uint32_t> ended) {
        op.cpu = cpu_;
        const std::uint32_t number = graph_->add(op);
        for (const std::uint32_t each : ended) graph_->require(number, each);
        return number;
    }
    // What comes next waits until `op` has ended, or (nonblocking) has started. `op` was added last, so that it
    // stands for all that it waits for itself.
    void after(std::uint32_t op) { waits_.assign(1, {op, false}); }
    void after_start(std::uint32_t op) { waits_.assign(1, {op, true}); }
    // What comes next also waits until `op` has ended.
    void wait_for(std::uint32_t op) {
        // What is waited for on its start is the first: nothing is put before it.
        if (!waits_.empty() && waits_.front().op == op) {
            waits_.front().on_start = false;
            return;
        }
        waits_.push_back({op, false});
    }
    // One operation whose end stands for everything so far, when the CPU is free.
    std::uint32_t join() {
        const std::uint32_t op = add(calc_op(0));
        after(op);
        return op;
    }

  private:
    struct Waits {
        std::uint32_t op = 0;
        bool on_start = false;
    };
    RankGraph* graph_;
    std::uint32_t cpu_ = 0;
    std::vector<Waits> waits_;
};

} // namespace orrery
