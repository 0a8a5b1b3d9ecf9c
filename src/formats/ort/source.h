// The actions of a recorded trace, rank by rank, a window at a time.
#pragma once

#include "formats/ort/decoder.h"
#include "formats/ort/trace_index.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace orrery::recorded {

// What a rank costs while it is read: its current segment, unpacked, and what the decoder remembers of it.
class RecordedSource : public RecordedTrace::TimedSource {
  public:
    // `last`: how many actions of each rank are given at most; empty: all. The index and `last` must outlive
    // it. `copies` times the ranks of the trace: rank r does what rank r modulo their number does there.
    RecordedSource(const TraceIndex& index, std::vector<std::string> files, std::span<const std::uint64_t> last,
                   bool with_times, std::uint32_t copies = 1);

    [[nodiscard]] std::uint32_t ranks() const override { return static_cast<std::uint32_t>(ranks_.size()); }
    std::span<const Action> next(RankId rank) override;
    [[nodiscard]] std::span<const Bytes> counts(RankId rank, const Action& action) const override {
        return {ranks_[rank.index()].window.counts.data() + action.first_count, action.counts};
    }
    [[nodiscard]] std::string file(RankId rank) const override {
        return files_.path(index_.ranks[stored(rank)].file);
    }
    [[nodiscard]] std::span<const ActionTimes> times(RankId rank) const override {
        return ranks_[rank.index()].window.times;
    }

  private:
    struct Rank {
        std::size_t segment = 0; // the next one
        std::uint64_t line = 0;  // actions so far
        std::vector<std::uint8_t> payload;
        SegmentDecoder decoder;
        Window window;
    };
    [[nodiscard]] std::size_t stored(RankId rank) const { return rank.index() % index_.ranks.size(); }
    bool enter_segment(Rank& rank, std::size_t number);

    const TraceIndex& index_;
    std::span<const std::uint64_t> last_;
    bool with_times_;
    BlockFiles files_;
    std::vector<Rank> ranks_;
    std::size_t most_; // actions of a window
};

} // namespace orrery::recorded
