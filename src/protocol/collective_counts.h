// What the collectives of a run amount to: by call, algorithm, and the reason for it.
//
// Calls that are alike to a selector have the same row. The row of the last call of each kind is remembered,
// those of others are looked up; so it costs a comparison for most calls, and words are made once for each
// size.
#pragma once

#include "collectives/selection.h"
#include "engine/time.h"
#include "results/replay_prediction.h"

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace orrery {

class CollectiveCounts {
  public:
    explicit CollectiveCounts(const CollectivePolicy& policy) : policy_(policy) {}

    // The row of a rank's call, which it counts. No algorithm: the call brought its own steps.
    std::uint32_t count(const CollectiveCall& call, bool nonblocking, const Choice& choice);
    void sent(std::uint32_t row, Bytes bytes) {
        CollectiveProfile& profile = rows_[row].profile;
        ++profile.messages;
        profile.bytes += bytes;
    }
    void took(std::uint32_t row, Time time) { rows_[row].ticks += static_cast<double>(time.ticks()); }
    // What took longest first.
    [[nodiscard]] std::vector<CollectiveProfile> profile() const;

  private:
    // All that a reason may depend on, and the row.
    struct Alike {
        Collective operation = Collective::barrier;
        bool nonblocking = false;
        bool commutative = true;
        std::uint32_t size = 0;
        Bytes bytes = 0;
        const Algorithm* algorithm = nullptr;
        CollectiveTuning tuning;

        bool operator==(const Alike&) const = default;
    };
    struct Row {
        CollectiveProfile profile; // all but its seconds
        double ticks = 0;
    };
    struct Less {
        bool operator()(const Alike& a, const Alike& b) const;
    };
    struct Last {
        Alike alike;
        std::uint32_t row = 0;
        bool known = false;
    };
    std::uint32_t find(const CollectiveCall& call, const Alike& alike);

    const CollectivePolicy& policy_;
    std::vector<Row> rows_;
    std::array<Last, 2 * collective_count> last_; // by operation, blocking and not
    std::map<Alike, std::uint32_t, Less> known_;
};

} // namespace orrery
