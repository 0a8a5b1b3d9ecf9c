// Switches with wormhole switching: flits advance one by one, each needs room for itself only, and a segment
// may lie in many buffers at a time.
//
// Between two changes a segment passes a channel in equal steps, so nothing is done for each flit: a *run* is
// planned as far as the supply of flits and the room for them are known, which are the runs on the channels
// before and behind; when one of these changes, the plan is made again. Cost: a few events for each run. A run
// ends with the segment or with a stall.
//
// A segment has one record on each channel, from the arrival of its first flit to the departure of its
// last.
#pragma once

#include "network/packet/blocking.h"
#include "network/packet/core.h"
#include "network/packet/flit_log.h"

#include <cstdint>
#include <vector>

namespace orrery::packet {

class Wormhole final : public Core {
  public:
    Wormhole(const Fabric& fabric, const Routing& routing, const PacketParameters& parameters,
             PacketObserver* observer);
    ~Wormhole() override;

    [[nodiscard]] Bytes queued(LinkId channel) const override {
        return load_[channel.index()] * parameters_.flit;
    }
    [[nodiscard]] std::vector<ChannelUse> use() const override;
    [[nodiscard]] std::uint64_t segment_hops() const override { return hops_passed_; }

  private:
    // A channel at its sending end.
    struct Port {
        Slot running = none; // the lane whose segment has the wire
        Time start;          // of its run
        Time pace;
        std::uint64_t count = 0; // flits of the run, as planned
        Time end = Time::max();  // of the run
        Slot keeper = none;      // had the wire until now, and keeps it if it can go on
        Time keeper_at;
        Time idle_since;
        Time wake_at = Time::max();
        std::uint64_t candidates = 0; // round_robin_arbiter.h
        std::uint32_t pointer = 0;
        std::uint32_t first_pair = 0;
        std::uint32_t pairs = 0;
    };
    // A lane of a channel, and the buffer at its end.
    struct Lane {
        // The sender's side.
        std::uint32_t holder = none; // the segment (its record at the sender) between its first and last flit
        std::uint64_t sent = 0;      // flits, in all runs that are over
        std::uint32_t left = 0;      // flits of the holder that are not in runs that are over
        Time began;                  // the holder
        bool stopped = false;
        // The buffer.
        FlitLog sends;              // times at which flits are sent to it
        FlitLog departures;         // times at which flits have left it
        std::uint64_t departed = 0; // flits, in all runs that are over
        Queue queue;                // segments whose first flit is available
        bool offered = false;       // the first of the queue asks for its channel
        bool stop_sent = false;
        std::uint32_t stop_mark = 0;
        std::uint32_t go_mark = 0;
        Time check_at = Time::max(); // the count may reach a mark then
        // Figures.
        std::uint64_t flits = 0;
        std::uint64_t segments = 0;
        Time busy;
        std::uint64_t most = 0;
    };

    friend Core;
    void run_before(Time limit, std::uint64_t instants) override { Core::run_before(*this, limit, instants); }
    void settle() override { Core::settle(*this); }
    void process_events() override { Core::process_events(*this); }
    void process_event(const Event& event);
    void conclude();
    void arbitrate(std::uint32_t channel);
    template <typename Ahead> void expect_segments(Ahead&& /*ahead*/) const {}
    void expect_event(const Event& /*event*/) const {}
    void on_wake_up(std::uint32_t /*channel*/) {} // segments do not end at a time that is known when they start

    // The stages that a segment passes.
    void arrive_at(std::uint32_t index);
    void promote(Slot buffer);
    void decide(std::uint32_t index);
    void candidate(Slot buffer);
    void arbitrate_adapter(std::uint32_t channel);
    void arbitrate_switch(std::uint32_t channel);
    void begin(Slot slot, std::uint32_t index);
    void complete(std::uint32_t channel, Slot slot);
    void request_wake(std::uint32_t channel, Time at) {
        if (at >= ports_[channel].wake_at) return;
        ports_[channel].wake_at = at;
        push(at, wake, channel);
    }
    [[nodiscard]] Slot buffer_of(const Lane& lane) const {
        return lane.holder == none ? none : segments_[lane.holder].buffer;
    }

    // Runs (wormhole_switch_runs.cpp).
    void start_run(Slot slot);
    void plan_again(std::uint32_t channel);
    void end_run(std::uint32_t channel);
    void set_count(std::uint32_t channel, std::uint64_t count);
    [[nodiscard]] std::uint64_t reach(Slot slot, std::uint64_t from) const;
    [[nodiscard]] std::uint64_t supply_reach(Slot slot, std::uint64_t from, std::uint64_t most) const;
    [[nodiscard]] std::uint64_t credit_reach(Slot slot, std::uint64_t from, std::uint64_t most) const;
    [[nodiscard]] Time room_at(Slot slot) const;
    [[nodiscard]] Time available_at(Slot buffer) const;
    void changed(Slot slot, Slot buffer);

    // Stop and go (wormhole_switch_stop_go.cpp).
    void set_marks();
    [[nodiscard]] std::uint64_t arrived_flits(Slot buffer) const;
    [[nodiscard]] std::uint64_t held_flits(Slot buffer) const;
    void schedule_check(Slot buffer);
    void check_marks(Slot buffer);
    void receive_signal(Slot slot, bool stops);
    void watch(Slot buffer);

    void begin_behind(Slot buffer);
    void end_behind(Slot buffer);
    void account(Slot buffer);
    void account_all(std::uint32_t channel) {
        if (blocking_.any(channel)) blocking_.for_each(channel, [this](Slot buffer) { account(buffer); });
    }

    const bool credits_on_;
    std::uint64_t capacity_;
    std::vector<Port> ports_;
    std::vector<Lane> lanes_of_; // by slot
    std::vector<std::uint32_t> undecided_;
    std::vector<Slot> to_check_;
    Blocking blocking_;
    std::uint64_t hops_passed_ = 0;
};

} // namespace orrery::packet
