// Runs the steps of all ranks of a collective without time, following which bytes of whose input lie where.
//
// A byte is either undefined or a combination of bytes of the ranks' inputs: of one rank for data that are only
// moved, of several for a reduction, always from the same place in each input. Operations that do not commute
// are followed as ranges of ranks in order. At the end each rank must hold exactly what MPI prescribes.
#pragma once

#include "collectives/algorithms.h"

#include <cstdint>
#include <string>
#include <vector>

namespace orrery::test {

// A collective as all ranks see it together.
struct Shape {
    Collective operation = Collective::barrier;
    std::uint32_t size = 1;
    std::uint32_t root = 0;
    Bytes bytes = 0;
    Bytes element = 1;
    bool commutative = true;
    bool in_place = false;
    std::vector<Bytes> counts;              // gatherv, allgatherv, scatterv, reduce_scatter: one per rank
    std::vector<std::vector<Bytes>> matrix; // alltoallv, alltoallw: [from][to]
    std::vector<std::vector<std::uint32_t>> edges; // neighbours: to whom each rank sends
    std::vector<std::uint32_t> node_of;

    [[nodiscard]] std::string words() const;
};

// The calls of all ranks, and what their spans show.
class Calls {
  public:
    explicit Calls(const Shape& shape);
    [[nodiscard]] const CollectiveCall& operator[](std::uint32_t rank) const { return calls_[rank]; }
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(calls_.size()); }

  private:
    Shape shape_;
    std::vector<std::vector<Bytes>> columns_;         // alltoallv: what each rank receives
    std::vector<std::vector<std::uint32_t>> sources_; // neighbours: from whom
    std::vector<std::vector<Bytes>> send_, receive_;  // counts per neighbour
    std::vector<CollectiveCall> calls_;
};

enum class Sending {
    buffered,    // a send is done at once
    synchronous, // a send is done when it has met its receive
};

struct Outcome {
    std::string problem; // empty: all is well
    std::uint64_t messages = 0;
    Bytes volume = 0;
    std::uint64_t most_sent = 0; // messages of the busiest sender
    Bytes most_volume = 0;       // bytes of the busiest sender
    bool synchronised = false;   // every rank has heard, directly or not, that every other has begun
};

Outcome run_symbolically(const Algorithm& algorithm, CollectiveTuning tuning, const Shape& shape,
                         Sending sending);

} // namespace orrery::test
