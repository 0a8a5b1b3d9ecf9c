#include "workload/collectives/fragment.h"

namespace orrery {

void Fragment::begin(RankGraph& graph, const Members& members, std::uint32_t rank, std::uint32_t size,
                     std::uint32_t tag) {
    graph_ = &graph;
    members_ = members;
    rank_ = rank;
    size_ = size;
    tag_ = tag;
    first_ = static_cast<std::uint32_t>(graph.ops.size());
    links_.clear();
    starts_.clear();
    ends_.clear();
}

void Fragment::require(std::uint32_t after, std::uint32_t before) {
    if (before == no_operation) return;
    graph_->require(after, before);
    links_[after - first_] |= waits;
    links_[before - first_] |= awaited;
}

void Fragment::close() {
    for (std::uint32_t i = 0; i < links_.size(); ++i) {
        if ((links_[i] & waits) == 0) starts_.push_back(first_ + i);
        if ((links_[i] & awaited) == 0) ends_.push_back(first_ + i);
    }
}

} // namespace orrery
