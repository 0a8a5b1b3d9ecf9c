// What is in a time-independent trace, counted as it passes by. Memory does not grow with the trace.
#pragma once

#include "workload/action.h"

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

namespace orrery {

class TiStatistics {
  public:
    static constexpr std::size_t kinds = action_kinds;
    // Sizes by power of two: bucket 0 holds size 0, bucket b holds 2^(b-1) to 2^b - 1.
    using Histogram = std::array<std::uint64_t, 64>;

    // All actions of the source, rank by rank.
    void read(ActionSource& source);

    [[nodiscard]] std::uint32_t ranks() const { return ranks_; }
    [[nodiscard]] std::uint64_t actions() const { return actions_; }
    [[nodiscard]] std::uint64_t largest_rank() const { return largest_rank_; } // its actions
    [[nodiscard]] std::uint64_t of(ActionKind kind) const { return by_kind_[static_cast<std::size_t>(kind)]; }
    [[nodiscard]] std::uint64_t of(Collective operation) const {
        return by_collective_[static_cast<std::size_t>(operation)];
    }

    // Point to point, by their senders.
    [[nodiscard]] std::uint64_t messages() const { return messages_; }
    [[nodiscard]] double bytes_sent() const { return bytes_sent_; }
    [[nodiscard]] Bytes smallest_message() const { return messages_ == 0 ? 0 : smallest_; }
    [[nodiscard]] Bytes largest_message() const { return largest_; }
    [[nodiscard]] const Histogram& message_sizes() const { return sizes_; }
    [[nodiscard]] std::uint64_t any_source() const { return any_source_; }
    [[nodiscard]] std::uint64_t any_tag() const { return any_tag_; }
    // What each rank gives to collectives, its own part included.
    [[nodiscard]] double collective_bytes() const { return collective_bytes_; }

    // What one-sided operations move, there and back.
    [[nodiscard]] std::uint64_t one_sided_messages() const { return one_sided_messages_; }
    [[nodiscard]] double one_sided_bytes() const { return one_sided_bytes_; }

    // In instructions: of computations and of reductions.
    [[nodiscard]] double volume() const { return volume_; }
    [[nodiscard]] double smallest_rank_volume() const { return ranks_ == 0 ? 0 : smallest_rank_volume_; }
    [[nodiscard]] double largest_rank_volume() const { return largest_rank_volume_; }
    [[nodiscard]] double sleep_seconds() const { return sleep_; }
    [[nodiscard]] std::uint64_t requests() const { return requests_; } // pending at once on a rank, at most
    [[nodiscard]] bool communicators() const; // whether there are others than that of all

  private:
    void add(const Action& action);
    void add_message(Bytes bytes);

    std::uint32_t ranks_ = 0;
    std::uint64_t actions_ = 0;
    std::uint64_t largest_rank_ = 0;
    std::array<std::uint64_t, kinds> by_kind_{};
    std::array<std::uint64_t, collective_count> by_collective_{};
    std::uint64_t messages_ = 0;
    double bytes_sent_ = 0;
    Bytes smallest_ = std::numeric_limits<Bytes>::max();
    Bytes largest_ = 0;
    Histogram sizes_{};
    std::uint64_t any_source_ = 0;
    std::uint64_t any_tag_ = 0;
    double collective_bytes_ = 0;
    std::uint64_t one_sided_messages_ = 0;
    double one_sided_bytes_ = 0;
    double volume_ = 0;
    double rank_volume_ = 0;
    double smallest_rank_volume_ = std::numeric_limits<double>::max();
    double largest_rank_volume_ = 0;
    double sleep_ = 0;
    std::uint64_t requests_ = 0;
};

std::string_view name_of(ActionKind kind); // "irecv", "wait", ...

} // namespace orrery
