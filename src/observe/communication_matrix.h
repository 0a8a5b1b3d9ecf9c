// Who sends how much to whom: the messages of a trace, pair by pair of ranks.
//
// Read from the trace alone, without a replay: point-to-point messages by their senders, what one-sided
// operations move and, if asked for, the messages that collectives consist of under a choice of algorithms.
// Memory grows with the pairs that talk.
#pragma once

#include "collectives/selection.h"
#include "engine/ids.h"
#include "workload/action.h"
#include "workload/trace_communicators.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace orrery {

struct PairTraffic {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint64_t messages = 0;
    Bytes bytes = 0;
    bool operator==(const PairTraffic&) const = default;
};

class CommunicationMatrix {
  public:
    // `collectives`: null leaves them out. `communicators` was read from another source of the same trace.
    CommunicationMatrix(ActionSource& source, const TraceCommunicators& communicators,
                        const CollectivePolicy* collectives);

    [[nodiscard]] std::uint32_t ranks() const { return ranks_; }
    [[nodiscard]] bool with_collectives() const { return with_collectives_; }
    [[nodiscard]] std::uint64_t messages() const { return messages_; }
    [[nodiscard]] Bytes bytes() const { return bytes_; }
    // By sender, then by receiver; only those that have any.
    [[nodiscard]] std::span<const PairTraffic> pairs() const { return pairs_; }
    // Those of most bytes, at most `count`, heaviest first.
    [[nodiscard]] std::vector<PairTraffic> heaviest(std::size_t count) const;
    // How many other ranks each rank sends to or receives from.
    [[nodiscard]] std::vector<std::uint32_t> partners() const;

  private:
    std::uint32_t ranks_;
    bool with_collectives_;
    std::uint64_t messages_ = 0;
    Bytes bytes_ = 0;
    std::vector<PairTraffic> pairs_;
};

// By the name: .svg (a picture), .csv or .json (every pair). Throws UsageError for another.
void check_matrix_name(const std::string& path);
void write_matrix(const CommunicationMatrix& matrix, const std::string& path, const std::string& title);

// Both quantities side by side, a square for each pair; above 512 ranks, for each pair of blocks of ranks.
std::string matrix_svg(const CommunicationMatrix& matrix, const std::string& title);

} // namespace orrery
