#include "workload/schedule_statistics.h"

#include <algorithm>
#include <bit>

namespace orrery {

void ScheduleStatistics::rank(RankId, const RankGraph& graph) {
    idle_ranks_ += graph.ops.empty() ? 1 : 0;
    largest_rank_ = std::max<std::uint64_t>(largest_rank_, graph.ops.size());
    for (const Op& op : graph.ops) {
        last_cpu_ = std::max(last_cpu_, op.cpu);
        switch (op.kind) {
        case OpKind::send: send(op); break;
        case OpKind::recv:
            ++recvs_;
            any_source_ += op.peer == any_source ? 1 : 0;
            any_tag_ += op.tag == any_tag ? 1 : 0;
            last_nic_ = std::max(last_nic_, op.nic);
            break;
        case OpKind::calc: computation(op); break;
        }
    }
    for (const Dependency& dependency : graph.dependencies) ++(dependency.on_start ? irequires_ : requires_);
}

void ScheduleStatistics::send(const Op& op) {
    ++sends_;
    last_nic_ = std::max(last_nic_, op.nic);
    if (__builtin_add_overflow(bytes_sent_, op.size, &bytes_sent_))
        bytes_sent_ = std::numeric_limits<std::uint64_t>::max();
    smallest_message_ = std::min(smallest_message_, op.size);
    largest_message_ = std::max(largest_message_, op.size);
    ++message_sizes_[static_cast<std::size_t>(std::bit_width(op.size))];
    if (op.tag == previous_tag_ && !tags_.empty()) return;
    previous_tag_ = op.tag;
    smallest_tag_ = std::min(smallest_tag_, op.tag);
    largest_tag_ = std::max(largest_tag_, op.tag);
    if (tags_.size() < most_tags) tags_.insert(op.tag);
}

void ScheduleStatistics::computation(const Op& op) {
    constexpr std::uint64_t second = 1'000'000'000'000;
    ++calcs_;
    longest_computation_ps_ = std::max(longest_computation_ps_, op.size);
    computation_ps_ += op.size; // at most 2^62 + 10^12
    if (computation_ps_ >= second) {
        computation_s_ += computation_ps_ / second;
        computation_ps_ %= second;
    }
}

std::size_t ScheduleStatistics::median_bucket() const {
    std::uint64_t seen = 0;
    std::size_t bucket = 0;
    for (; bucket + 1 < message_sizes_.size(); ++bucket) {
        seen += message_sizes_[bucket];
        if (2 * seen >= sends_) break;
    }
    return bucket;
}

} // namespace orrery
