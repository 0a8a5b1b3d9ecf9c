// When flows have sent their last byte, while their rates change.
//
// A flow's remaining bytes are counted as work = bytes * weight / bandwidth factor, because work drains at the
// level of the flow's bottleneck (see max_min.h): all flows behind one bottleneck lose the same amount of work.
// So each link has a clock that runs at its level, and a flow that joins with work W finishes when that clock
// has advanced by W, however often the level changes meanwhile. A change of a link's level costs O(log links)
// whatever the number of flows behind it; only a flow that gets another bottleneck is touched. (Virtual time,
// as in fair queueing.)
#pragma once

#include "engine/ids.h"
#include "engine/time.h"
#include "network/flow/indexed_heap.h"
#include "network/flow/max_min.h"

#include <cstddef>
#include <vector>

namespace orrery {

class Drain {
  public:
    explicit Drain(std::size_t links);

    // The flow has this much work (level * picoseconds) and drains at the level of `link`...
    void join(FlowId flow, LinkId link, double work, Time now);
    // ... or at a level of its own, if `link` is MaxMin::no_link.
    void join_alone(FlowId flow, double level, double work, Time now);
    [[nodiscard]] bool holds(FlowId flow) const {
        return flow.index() < flow_at_.size() && flow_at_[flow.index()] != nowhere;
    }
    // What is left to do; the flow is no longer here.
    double leave(FlowId flow, Time now);
    void set_level(LinkId link, double level, Time now);

    // The instant at which the next flow finishes; Time::max() if there is none.
    [[nodiscard]] Time next() const;
    // Appends the flows that have finished by `now`, in no particular order; they are no longer here.
    void finish(Time now, std::vector<FlowId>& finished);

  private:
    struct Clock {
        double level = MaxMin::unlimited_level;
        double reading = 0;        // work done by a flow that has been here all the time, at `since`
        Time since;                // when the level was set
        IndexedHeap<double> flows; // by the reading at which they finish

        [[nodiscard]] double read(Time now) const;
        [[nodiscard]] Time when(double at) const;
    };
    struct Member {
        LinkId link;      // MaxMin::no_link: alone
        Time since;       // alone: when it joined,
        double level = 0; // its level,
        double work = 0;  // and the work it had then
    };
    static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

    Member& enter(FlowId flow);
    void wake(LinkId link);

    std::vector<Clock> clocks_;   // by link
    std::vector<Member> members_; // by flow
    IndexedHeap<Time> links_;     // with flows, by the instant at which the first of them finishes
    IndexedHeap<Time> alone_;     // flows that go at their own level
    std::vector<std::uint32_t>
        flow_at_; // position of a flow in its link's heap or in alone_; nowhere: not here
    std::vector<std::uint32_t> link_at_; // position of a link in links_, or nowhere
};

} // namespace orrery
