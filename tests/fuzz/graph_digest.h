// What a reader made of its input, for comparison: a digest of all ranks, or the reason why there are none.
#pragma once

#include "engine/error.h"
#include "workload/sink.h"

#include <cstdint>
#include <string>

namespace orrery::fuzzing {

class GraphDigest : public ScheduleSink {
  public:
    void begin(std::uint32_t ranks) override { add(ranks); }
    void rank(RankId rank, const RankGraph& graph) override {
        check_rank(graph, rank, max_ranks, "digest"); // a reader hands on nothing that is out of range
        add(rank.value);
        for (const Op& op : graph.ops) {
            for (const std::uint64_t value :
                 {std::uint64_t(op.kind), op.size, std::uint64_t{op.peer}, std::uint64_t{op.tag},
                  std::uint64_t{op.cpu}, std::uint64_t{op.nic}}) {
                add(value);
            }
        }
        for (const Dependency& dependency : graph.dependencies) {
            add(dependency.before);
            add(dependency.after);
            add(dependency.on_start ? 1 : 0);
        }
    }
    void finish() override { add(0); }
    [[nodiscard]] std::uint64_t value() const { return value_; }

  private:
    void add(std::uint64_t value) { value_ = (value_ ^ value) * 0x9E37'79B9'7F4A'7C15 + 1; }
    std::uint64_t value_ = 0;
};

struct Outcome {
    std::uint64_t digest = 0;
    std::string reason; // empty: it was read

    bool operator==(const Outcome&) const = default;
};

// Any exception but an InputError ends the program, as it should.
template <typename Read> Outcome outcome(Read&& read) {
    GraphDigest digest;
    try {
        read(digest);
    } catch (const InputError& error) {
        return {0, error.error().reason};
    }
    return {digest.value(), ""};
}

} // namespace orrery::fuzzing
