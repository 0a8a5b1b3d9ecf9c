// Up*/down* on any graph: towards a root, then away from it (Schroeder et al. 1991).
//
// Switches are ranked by their distance from the root (the switch of the highest level, with the most cables,
// the first), then by number; a channel leads up if it leads to a lower rank. A path goes up zero or more
// times, then down zero or more times. As ranks fall upwards and rise downwards, no cycle of channels can wait
// for itself. Of the legal paths the shortest are taken, and of these, at each switch, the one of number
// (destination mod their count), so that they spread.
#include "engine/error.h"
#include "machine/platform.h"
#include "machine/routing/families.h"

#include <algorithm>
#include <fmt/format.h>
#include <mutex>
#include <numeric>

namespace orrery {

namespace {

class UpDown final : public Routing {
  public:
    explicit UpDown(const Fabric& fabric)
        : fabric_(fabric), hosts_(fabric.host_count()), rows_(fabric.switch_count()) {
        rank_switches();
    }

    void path(HostId from, HostId to, std::uint64_t /*draw*/, const LoadView& /*load*/,
              std::vector<Hop>& hops) const override;
    [[nodiscard]] std::string words() const override { return "up*/down*"; }

  private:
    using Steps = std::uint16_t;
    static constexpr Steps never = 0xFFFF;
    struct Row { // to one switch, from each
        std::once_flag made;
        std::vector<Steps> down; // going down only
        std::vector<Steps> any;
    };

    [[nodiscard]] bool is_switch(NodeId node) const { return !fabric_.is_host(node); }
    [[nodiscard]] std::uint32_t number(NodeId node) const { return node.value - hosts_; }
    [[nodiscard]] bool leads_up(const Channel& channel) const {
        return rank_[number(channel.to)] < rank_[number(channel.from)];
    }
    void rank_switches();
    void fill(Row& row, std::uint32_t target) const;
    [[nodiscard]] const Row& row(std::uint32_t target) const {
        Row& row = rows_[target];
        std::call_once(row.made, [&] { fill(row, target); });
        return row;
    }
    [[nodiscard]] LinkId step(NodeId at, const Row& row, HostId to, bool& down) const;

    const Fabric& fabric_;
    std::uint32_t hosts_;
    std::vector<std::uint32_t> rank_;    // by switch
    std::vector<std::uint32_t> by_rank_; // switches
    mutable std::vector<Row> rows_;
};

void UpDown::rank_switches() {
    const std::uint32_t count = fabric_.switch_count();
    std::vector<std::uint32_t> roots(count);
    std::iota(roots.begin(), roots.end(), 0U);
    const auto importance = [&](std::uint32_t each) {
        const NodeId node{hosts_ + each};
        return std::pair(fabric_.level(node), fabric_.port_count(node));
    };
    std::stable_sort(roots.begin(), roots.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return importance(a) > importance(b); });
    // Breadth first from the root; parts of the graph that it does not reach have roots of their own.
    rank_.assign(count, ~0U);
    for (const std::uint32_t root : roots) {
        if (rank_[root] != ~0U) continue;
        std::vector<std::uint32_t> wave{root};
        rank_[root] = 0; // for now: seen
        while (!wave.empty()) {
            std::sort(wave.begin(), wave.end());
            by_rank_.insert(by_rank_.end(), wave.begin(), wave.end());
            std::vector<std::uint32_t> next;
            for (const std::uint32_t each : wave) {
                for (const LinkId link : fabric_.out({hosts_ + each})) {
                    if (link == no_link || !is_switch(fabric_.channel(link).to)) continue;
                    const std::uint32_t other = number(fabric_.channel(link).to);
                    if (rank_[other] != ~0U) continue;
                    rank_[other] = 0;
                    next.push_back(other);
                }
            }
            wave = std::move(next);
        }
    }
    for (std::uint32_t i = 0; i < by_rank_.size(); ++i) rank_[by_rank_[i]] = i;
}

void UpDown::fill(Row& row, std::uint32_t target) const {
    row.down.assign(rank_.size(), never);
    row.down[target] = 0;
    std::vector<std::uint32_t> queue{target};
    for (std::size_t i = 0; i < queue.size(); ++i) {
        const std::uint32_t at = queue[i];
        for (const LinkId link : fabric_.out({hosts_ + at})) { // leaves upwards: its reverse comes down
            if (link == no_link || !is_switch(fabric_.channel(link).to) || !leads_up(fabric_.channel(link)))
                continue;
            const std::uint32_t other = number(fabric_.channel(link).to);
            if (row.down[other] != never) continue;
            row.down[other] = static_cast<Steps>(row.down[at] + 1);
            queue.push_back(other);
        }
    }
    row.any = row.down;
    for (const std::uint32_t at : by_rank_) {
        for (const LinkId link : fabric_.out({hosts_ + at})) {
            if (link == no_link || !is_switch(fabric_.channel(link).to) || !leads_up(fabric_.channel(link)))
                continue;
            const Steps there = row.any[number(fabric_.channel(link).to)];
            if (there != never) row.any[at] = std::min(row.any[at], static_cast<Steps>(there + 1));
        }
    }
}

LinkId UpDown::step(NodeId at, const Row& row, HostId to, bool& down) const {
    thread_local std::vector<LinkId> best;
    best.clear();
    const Steps left = down ? row.down[number(at)] : row.any[number(at)];
    for (const LinkId link : fabric_.out(at)) {
        if (link == no_link || !is_switch(fabric_.channel(link).to)) continue;
        const std::uint32_t other = number(fabric_.channel(link).to);
        const bool up = leads_up(fabric_.channel(link));
        if (up && down) continue;
        if ((up ? row.any : row.down)[other] + 1 == left) best.push_back(link);
    }
    const LinkId chosen = best[to.value % best.size()];
    down = down || !leads_up(fabric_.channel(chosen));
    return chosen;
}

void UpDown::path(HostId from, HostId to, std::uint64_t /*draw*/, const LoadView& /*load*/,
                  std::vector<Hop>& hops) const {
    LinkId first = no_link;
    LinkId last = no_link;
    Steps least = never;
    for (const LinkId leaving : fabric_.out({from.value})) {
        if (leaving == no_link) continue;
        const NodeId start = fabric_.channel(leaving).to;
        if (start == NodeId{to.value}) return hops.push_back({leaving, 0});
        if (!is_switch(start)) continue;
        for (const LinkId back : fabric_.out({to.value})) {
            if (back == no_link || !is_switch(fabric_.channel(back).to)) continue;
            const Steps steps = row(number(fabric_.channel(back).to)).any[number(start)];
            if (steps >= least) continue;
            least = steps;
            first = leaving;
            last = fabric_.channel(back).reverse;
        }
    }
    if (least == never) {
        throw InputError(fmt::format("there is no route through switches from {} to {}",
                                     fabric_.name(NodeId{from.value}), fabric_.name(NodeId{to.value})));
    }
    hops.push_back({first, 0});
    const NodeId target = fabric_.channel(last).from;
    const Row& steps = row(number(target));
    bool down = false;
    for (NodeId at = fabric_.channel(first).to; at != target; at = fabric_.channel(hops.back().channel).to) {
        hops.push_back({step(at, steps, to, down), 0});
    }
    hops.push_back({last, 0});
}

} // namespace

std::unique_ptr<Routing> make_up_down(const Fabric& fabric) { return std::make_unique<UpDown>(fabric); }

} // namespace orrery
