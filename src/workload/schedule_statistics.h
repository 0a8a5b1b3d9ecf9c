// What is in a schedule, counted as it passes by. Memory does not grow with the schedule.
#pragma once

#include "workload/sink.h"

#include <array>
#include <cstdint>
#include <limits>
#include <tsl/robin_set.h>

namespace orrery {

class ScheduleStatistics : public ScheduleSink {
  public:
    // Sizes by power of two: bucket 0 holds size 0, bucket b holds 2^(b-1) to 2^b - 1.
    using Histogram = std::array<std::uint64_t, 64>;

    void begin(std::uint32_t ranks) override { ranks_ = ranks; }
    void rank(RankId rank, const RankGraph& graph) override;
    void finish() override {}

    [[nodiscard]] std::uint32_t ranks() const { return ranks_; }
    [[nodiscard]] std::uint32_t idle_ranks() const { return idle_ranks_; } // without any operation
    [[nodiscard]] std::uint64_t operations() const { return sends_ + recvs_ + calcs_; }
    [[nodiscard]] std::uint64_t largest_rank() const { return largest_rank_; } // its operations
    [[nodiscard]] std::uint64_t sends() const { return sends_; }
    [[nodiscard]] std::uint64_t recvs() const { return recvs_; }
    [[nodiscard]] std::uint64_t calcs() const { return calcs_; }
    [[nodiscard]] std::uint64_t any_source_recvs() const { return any_source_; }
    [[nodiscard]] std::uint64_t any_tag_recvs() const { return any_tag_; }

    // Of the sends. The sum stays at the largest number there is if it would exceed it.
    [[nodiscard]] std::uint64_t bytes_sent() const { return bytes_sent_; }
    [[nodiscard]] std::uint64_t smallest_message() const { return sends_ == 0 ? 0 : smallest_message_; }
    [[nodiscard]] std::uint64_t largest_message() const { return largest_message_; }
    [[nodiscard]] const Histogram& message_sizes() const { return message_sizes_; }
    [[nodiscard]] std::size_t median_bucket() const; // of message_sizes()

    // Of all computations of all ranks, which may be more than a Time can hold.
    [[nodiscard]] double computation_seconds() const {
        return static_cast<double>(computation_s_) + static_cast<double>(computation_ps_) * 1e-12;
    }
    [[nodiscard]] std::uint64_t longest_computation_ps() const { return longest_computation_ps_; }

    [[nodiscard]] std::uint64_t requires_count() const { return requires_; }
    [[nodiscard]] std::uint64_t irequires_count() const { return irequires_; }
    // Largest number used, plus one.
    [[nodiscard]] std::uint32_t cpus() const { return last_cpu_ + 1; }
    [[nodiscard]] std::uint32_t nics() const { return last_nic_ + 1; }

    // Distinct tags of the sends; counting stops at `most_tags`.
    static constexpr std::size_t most_tags = 1'000'000;
    [[nodiscard]] std::size_t tags() const { return tags_.size(); }
    [[nodiscard]] std::uint32_t smallest_tag() const { return tags_.empty() ? 0 : smallest_tag_; }
    [[nodiscard]] std::uint32_t largest_tag() const { return largest_tag_; }

  private:
    void send(const Op& op);
    void computation(const Op& op);

    std::uint32_t ranks_ = 0;
    std::uint32_t idle_ranks_ = 0;
    std::uint64_t largest_rank_ = 0;
    std::uint64_t sends_ = 0;
    std::uint64_t recvs_ = 0;
    std::uint64_t calcs_ = 0;
    std::uint64_t any_source_ = 0;
    std::uint64_t any_tag_ = 0;
    std::uint64_t bytes_sent_ = 0;
    std::uint64_t smallest_message_ = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t largest_message_ = 0;
    Histogram message_sizes_{};
    std::uint64_t computation_s_ = 0;
    std::uint64_t computation_ps_ = 0; // below a second
    std::uint64_t longest_computation_ps_ = 0;
    std::uint64_t requires_ = 0;
    std::uint64_t irequires_ = 0;
    std::uint32_t last_cpu_ = 0;
    std::uint32_t last_nic_ = 0;
    tsl::robin_set<std::uint32_t> tags_;
    std::uint32_t previous_tag_ = 0; // most messages have the tag of the one before
    std::uint32_t smallest_tag_ = any_tag;
    std::uint32_t largest_tag_ = 0;
};

} // namespace orrery
