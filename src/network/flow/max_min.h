// Max-min fair rates of flows over links, kept up to date as flows come and go.
//
// The problem. Flow i has a weight w_i, a bound b_i and uses link l with a coefficient a_il. Its rate x_i must
// obey
//     sum_i a_il x_i <= C_l  on every shared link,   a_il x_i <= C_l  on every fat pipe,   x_i <= b_i,
// and the levels x_i w_i shall be max-min fair: nobody's level can be raised without lowering that of a flow
// whose level is not higher.
//
// The idea. Give every link a level T_l, the highest that any flow on it may have; infinite if the link is not
// full. Then all rates follow:
//     x_i = min(b_i w_i, min over its links of T_l) / w_i                                              (1)
// and they are max-min fair if and only if every link with a finite level is exactly full under (1) and every
// other has room. (A flow below its bound then has a bottleneck: the link with the smallest level, on which
// nobody is higher. Bertsekas and Gallager, Data Networks, 6.5.2.) So a link that is off is put right by
// itself: `settle` finds the T_l that fills it while the levels of the other links stay, a root of a concave,
// piecewise linear function. That changes the rates of some of its flows, hence the use of the other links on
// their way; those that are now off by more than `precision` are settled in turn. Nothing else is touched.
//
// Why it ends. A link's level is never settled below its fair share C_l / sum(a_il / w_i) of all its flows;
// hence the link with the smallest one has it at once and for good, then the next given that one, and so on:
// the argument for the distributed computation of max-min rates (Charny, Clark, Jain 1995). Warm-started from
// the rates before the change, a few links suffice, because a change fades from link to link.
//
// Precision. When `solve` returns, each link with n flows carries its capacity to within a relative
// min(precision * n^2, 1e-4), or `precision` if that is coarser: the rates are the exact max-min rates of a
// network whose capacities differ by that much. With few flows on a link this is next to nothing; on a crowded
// link, where a single flow matters little and exactness would cost the attention of the whole network, it is
// what keeps a change local.
#pragma once

#include "engine/ids.h"
#include "machine/platform.h"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace orrery {

using FlowId = Id<struct FlowTag>; // chosen by the caller: small, dense, reused

// A flow with rate x takes coefficient * x of the link.
struct LinkShare {
    LinkId link;
    double coefficient = 1;
};

class MaxMin {
  public:
    static constexpr LinkId no_link{~std::uint32_t{0}};
    static constexpr double unlimited_level = std::numeric_limits<double>::infinity();

    MaxMin(std::span<const Link> links, double precision);

    // A link appears at most once in `route`. The flow has its bound as rate until `solve`.
    void add(FlowId flow, std::span<const LinkShare> route, double weight, double bound);
    void remove(FlowId flow);
    // It will be added, or removed, soon: into the cache, one after the other.
    void prefetch(std::span<const LinkShare> route) const {
        for (const LinkShare& share : route) prefetch_link(share.link.value);
    }
    void prefetch_members(std::span<const LinkShare> route) const {
        for (const LinkShare& share : route) prefetch_member(share.link.value);
    }
    void prefetch(FlowId flow) const { __builtin_prefetch(&flows_[flow.index()], 1); }
    void prefetch_hops(FlowId flow) const {
        const Cell* const head = &cells_[flows_[flow.index()].head];
        __builtin_prefetch(head, 1);
        __builtin_prefetch(head + 4, 1); // a line further
    }
    // Makes all rates right after any number of additions and removals.
    void solve();

    // What the last `solve` changed: flows, among those still there, that have another bottleneck than before
    // (a new flow: another than its bound), and links with another level. All other flows that go at their
    // link's level or at their bound still do.
    [[nodiscard]] std::span<const FlowId> moved() const { return moved_; }
    [[nodiscard]] std::span<const LinkId> changed() const { return changed_; }
    void forget_changes();

    // The link whose level the flow has; no_link: it goes at its bound.
    [[nodiscard]] LinkId bottleneck(FlowId flow) const { return {bottleneck_[flow.index()]}; }
    [[nodiscard]] double level(LinkId link) const { return loads_[link.index()].level; }
    [[nodiscard]] double level(FlowId flow) const { return level_of(flow.value, flows_[flow.index()].head); }
    [[nodiscard]] double rate(FlowId flow) const { return level(flow) / flows_[flow.index()].weight; }
    // The part of a shared link's capacity that is in use, by summation over its flows.
    [[nodiscard]] double used(LinkId link) const;

    // How often a link has been settled: the work that the solver has done.
    [[nodiscard]] std::uint64_t settled() const { return settled_; }

  private:
    // A flow's data lie together: a head, whose `use` is the level of its bound and whose `link` the number of
    // its hops, and a cell per hop. So who tells a flow's other links of a change touches one or two cache
    // lines.
    struct Cell {
        double use = 0; // of the link, per level: a_il / w_i
        std::uint32_t link = 0;
        std::uint32_t position = 0; // among the members of the link
    };
    struct Flow {
        double weight = 0;
        std::uint32_t head = 0; // in cells_
        bool moved = false;     // in moved_
    };
    struct Member { // of a link: one of its flows
        double use = 0;
        std::uint32_t flow = 0;
        std::uint32_t head = 0;
    };
    // What is read when a flow on the link changes; the rest is apart.
    struct Load {
        double used = 0;               // sum of a_il x_i, kept up by adding differences
        double low = -unlimited_level; // the link is off if it is used less: if it has a level and is not full
        double high = 0;               // ... or more
        double level = unlimited_level;
    };
    struct LinkState {
        double capacity = 0;
        double here_use = 0; // sum of a_il / w_i over the flows that have the link's level
        // First those that have the link's level, `here` of them, then those that something else limits.
        std::vector<Member> members;
        std::uint32_t here = 0;
        bool fat_pipe = false;
        bool waiting = false;  // in a queue, to be settled
        bool changed = false;  // in changed_
        bool intruder = false; // somebody may be above the link's level: has come or risen since it was settled
    };
    struct Queue { // first in, first out
        std::vector<std::uint32_t> links;
        std::size_t next = 0;

        [[nodiscard]] bool empty() const { return next == links.size(); }
        std::uint32_t take();
    };
    struct Cap { // a member that the level being sought may or may not limit
        double use = 0;
        double level = 0;                   // that it has otherwise
        std::uint32_t link = no_link.value; // which gives it that
    };

    [[nodiscard]] std::span<Cell> hops(std::uint32_t head) {
        return {cells_.data() + head + 1, cells_[head].link};
    }
    void prefetch_link(std::uint32_t link) const {
        __builtin_prefetch(&loads_[link], 1);
        __builtin_prefetch(&links_[link], 1);
    }
    void prefetch_member(std::uint32_t link) const { // the last one
        const std::vector<Member>& members = links_[link].members;
        __builtin_prefetch(members.data() + members.size(), 1);
    }
    [[nodiscard]] double level_of(std::uint32_t flow, std::uint32_t head) const {
        return bottleneck_[flow] == no_link.value ? cells_[head].use : loads_[bottleneck_[flow]].level;
    }
    std::uint32_t take_cells(std::uint32_t hops);
    void settle_later(std::uint32_t link);
    void settle_if_off(std::uint32_t link) {
        const Load& load = loads_[link];
        if (load.used > load.high || load.used < load.low) settle_later(link);
    }
    void settle(std::uint32_t link);
    void cap_elsewhere(const LinkState& link);
    void cap_here(std::uint32_t link);
    [[nodiscard]] double fill(double capacity, double free_use, double start) const;
    void pass_on(std::uint32_t head, std::uint32_t except, double change);
    void set_tolerance(std::uint32_t link);
    void set_level(std::uint32_t link, double level);
    void set_bottleneck(const Member& member, std::uint32_t bottleneck);
    void trade_places(std::uint32_t link, std::uint32_t a, std::uint32_t b);
    void put_here(std::uint32_t link, std::uint32_t position);
    void put_elsewhere(std::uint32_t link, std::uint32_t position);

    double precision_;
    std::vector<Flow> flows_;
    std::vector<std::uint32_t> bottleneck_; // by flow
    std::vector<Load> loads_;               // by link
    std::vector<LinkState> links_;
    std::vector<Cell> cells_;
    std::vector<std::vector<std::uint32_t>> free_cells_; // heads, by number of hops
    Queue bottlenecks_; // links to settle: those that limit most of their flows, which go first,
    Queue others_;      // and the rest
    std::vector<Cap> caps_;
    std::vector<FlowId> moved_;
    std::vector<LinkId> changed_;
    std::uint64_t settled_ = 0;
};

} // namespace orrery
