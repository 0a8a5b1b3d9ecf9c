// A trace of p ranks as the actions of k p ranks.
//
// Weak scaling, as section 4.2.3 of the LogGOPSim paper has it and allprof/ does it: the traced ranks are
// copied k times, and rank r + j p does what rank r did. What it says of ranks in a communicator over all ranks
// (the world, a duplicate of it, one that all ranks are members of) is said of its own copy: peer q becomes q +
// j p. A collective over such a communicator is one of k p ranks, its root in the first copy, its counts per
// rank repeated. A communicator of some of the ranks becomes one for each copy, and what happens in it is
// copied.
#pragma once

#include "workload/action.h"
#include "workload/trace_communicators.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace orrery {

class ExtrapolatedActions : public ActionSource {
  public:
    // `repeated` gives k times the ranks of the trace, each the actions of the traced rank (see
    // TiTrace::repeated_source); `traced` are the communicators of the trace and must outlive it.
    ExtrapolatedActions(std::unique_ptr<ActionSource> repeated, const TraceCommunicators& traced);

    [[nodiscard]] std::uint32_t ranks() const override { return static_cast<std::uint32_t>(ranks_.size()); }
    // Throws InputError for what cannot be extrapolated, with its place in the trace.
    std::span<const Action> next(RankId rank) override;
    [[nodiscard]] std::span<const Bytes> counts(RankId rank, const Action& action) const override {
        return {ranks_[rank.index()].counts.data() + action.first_count, action.counts};
    }
    [[nodiscard]] std::string file(RankId rank) const override { return repeated_->file(rank); }

  private:
    struct Rank {
        Rank(RankCommunicators of_rank, std::uint32_t first)
            : communicators(std::move(of_rank)), shift(first) {}
        RankCommunicators communicators; // of the traced rank
        std::uint32_t shift;             // the first rank of its copy
        std::span<const Action> left;    // of the latest window of the trace
        std::vector<Action> actions;
        std::vector<Bytes> counts;
    };

    void extrapolate(RankId rank, Rank& own, const Action& traced);
    void message(Rank& own, const Action& traced, Action& action);
    void collective(Rank& own, const Action& traced, std::span<const Bytes> counts);
    void neighbours(Rank& own, const Action& traced, std::span<const Bytes> counts);
    void window(Rank& own, const Action& traced, Action& action, std::span<const Bytes> counts);
    void aside(Rank& own, const Action& traced, std::span<const Bytes> counts);
    void split(Rank& own, const Action& traced, Action& action, std::span<const Bytes> counts);
    void dup(Rank& own, const Action& traced, std::span<const Bytes> counts);
    void create(std::uint32_t traced_rank, Rank& own, const Action& traced, std::span<const Bytes> counts);

    // Of a rank of the action's communicator: its number in the extrapolated one.
    [[nodiscard]] std::uint32_t moved(Rank& own, const Action& traced, std::uint32_t peer) const;
    [[nodiscard]] std::uint32_t shift_in(Rank& own, const Action& traced) const;
    [[nodiscard]] bool over_all(const Membership& member) const { return over_all_[member.index] != 0; }

    std::unique_ptr<ActionSource> repeated_;
    const TraceCommunicators& traced_;
    std::uint32_t copies_;
    std::vector<std::uint8_t> over_all_; // by communicator of the trace: it becomes one of all ranks
    std::vector<Rank> ranks_;
    std::size_t most_; // actions of a window
};

} // namespace orrery
