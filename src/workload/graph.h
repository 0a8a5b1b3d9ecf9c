// The program of one rank as a graph: operations and the dependencies between them.
//
// This is the exchange form: readers and generators fill one RankGraph, hand it to a ScheduleSink and reuse
// it for the next rank, so that a schedule of any size is converted within the memory of its largest rank.
#pragma once

#include "engine/ids.h"
#include "workload/op.h"

#include <cstdint>
#include <string>
#include <vector>

namespace orrery {

// `after` waits for `before`: until it has ended (requires) or until it has started (irequires).
struct Dependency {
    std::uint32_t before = 0;
    std::uint32_t after = 0;
    bool on_start = false;

    bool operator==(const Dependency&) const = default;
};

struct RankGraph {
    std::vector<Op> ops;                  // in program order
    std::vector<Dependency> dependencies; // in the order in which they were written
    std::vector<std::uint64_t> lines;     // line of each operation in the source text, or empty

    std::uint32_t add(const Op& op) {
        ops.push_back(op);
        return static_cast<std::uint32_t>(ops.size() - 1);
    }
    void require(std::uint32_t after, std::uint32_t before) { dependencies.push_back({before, after, false}); }
    void irequire(std::uint32_t after, std::uint32_t before) { dependencies.push_back({before, after, true}); }
    void clear() {
        ops.clear();
        dependencies.clear();
        lines.clear();
    }
};

// Throws InputError (with `file`, and the line where known) if an operation or a dependency is out of range
// or if the dependencies form a cycle; the message names the operations of the cycle. O(ops + dependencies).
void check_rank(const RankGraph& graph, RankId rank, std::uint32_t ranks, const std::string& file);

// "send 8 B to 3 tag 0", for messages to people.
std::string describe(const Op& op);

} // namespace orrery
