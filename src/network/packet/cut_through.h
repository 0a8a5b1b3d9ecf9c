// Virtual cut-through switching: a segment starts on a channel where there is room for all of it, and then goes
// on without a gap, so that each hop is settled when it starts.
//
// Cost: one event for each segment and hop (it is ready in a switch). Another one wakes a channel when it
// becomes free or is given credits, but only where something waits for that. What one hop touches: the segment,
// the Port of the channel, the Lane that it enters and the Lane that it leaves, a cache line each.
#pragma once

#include "network/packet/blocking.h"
#include "network/packet/core.h"

#include <cstdint>
#include <vector>

namespace orrery::packet {

// A channel at its sending end.
struct alignas(64) Port {
    Time flit_time;
    Time latency;
    Time busy_until;
    Time wake_at = Time::max();   // an event will look at it then
    std::uint64_t candidates = 0; // turns.h
    std::uint32_t pointer = 0;    // whose turn it is
    Slot serving = none;          // the buffer that its last segment came from
    std::uint32_t sending = 0;    // flits of its last segment
    std::uint32_t first_pair = 0; // of its node, in pair_slots_
    std::uint32_t pairs = 0;
    std::uint8_t line = 0xFF; // of DelayLines, if there is one
    bool from_host : 1 = false;
    bool to_host : 1 = false;
    bool behind : 1 = false;     // the second segment of some buffer would go here
    bool unfinished : 1 = false; // its last segment has not been seen to end
};
static_assert(sizeof(Port) == 64);

// A lane of a channel: what its sender knows of the buffer at its end, and that buffer.
struct alignas(64) Lane {
    // The sender's side.
    std::uint32_t room = 0;     // free flits as far as it knows; stop and go: all or none
    std::uint32_t most = 0;     // flits that the buffer has held
    Time latency;               // of the channel
    std::uint64_t flits = 0;    // carried
    std::uint64_t segments = 0; // carried
    // The buffer.
    Queue queue;                 // of segments that are ready and have not started
    Time free_at;                // its last segment has left
    std::uint32_t waiting = 0;   // flits of the queue (of all that have not left, but for input queueing)
    std::uint32_t server = none; // the channel that its last segment went to
    std::uint32_t pair = 0;      // at its node
    bool hungry = false;         // a candidate waits for room
    bool offered = false;        // the first of the queue is a candidate
    bool behind = false;         // the second one is counted in blocking_
};
static_assert(sizeof(Lane) == 64);

class CutThrough final : public Core {
  public:
    CutThrough(const Fabric& fabric, const Routing& routing, const PacketParameters& parameters,
               PacketObserver* observer);
    ~CutThrough() override;

    [[nodiscard]] Bytes queued(LinkId channel) const override;
    [[nodiscard]] std::vector<ChannelUse> use() const override;
    [[nodiscard]] std::uint64_t segment_hops() const override;

  private:
    struct Credit { // that is not for a whole segment
        Slot slot = none;
        std::uint32_t flits = 0;
    };
    // Stop and go, and observers: what the buffer holds from the first bit on.
    struct Held {
        std::uint32_t flits = 0;
        std::uint32_t stop_mark = 0;
        std::uint32_t go_mark = 0;
        bool said_stop = false;
        bool changed = false;
    };
    // Combined queueing: the way from the inputs to the output buffers of a channel.
    struct Crossbar {
        Time busy_until;
        Slot serving = none;
        std::uint32_t moving = 0;  // flits
        std::uint32_t pointer = 0; // of the wire, over lanes
        Slot sent = none;          // the output buffer that the wire's last segment came from
        bool unfinished = false;
    };

    friend Core;
    void run_before(Time limit) override;
    void settle() override { Core::settle(*this); }
    void happenings() override { Core::happenings(*this); }
    void happen(const Event& event);
    void conclude() {
        if (!changed_.empty() || !undecided_.empty()) conclude_round();
    }
    void conclude_round();
    void give(std::uint32_t channel);
    // Segments that will arrive shortly: what they need is brought into the cache. (Unless it is inlined, GCC
    // 12 takes a function that only does so for one that does nothing.)
    [[gnu::always_inline]] inline void expect(std::uint32_t sooner, std::uint32_t later_on) const {
        const Segment& segment = segments_[sooner];
        __builtin_prefetch(&segments_[later_on]);
        paths_.expect(segment.path);
        if (segment.came != none) __builtin_prefetch(&lanes_of_[segment.came]);
        if (segment.slot != none) {
            __builtin_prefetch(&lanes_of_[segment.slot]);
            __builtin_prefetch(&ports_[channel_of(segment.slot)]);
        }
    }

    // The course of a segment (cut_through.cpp).
    void arrive_at(std::uint32_t index);
    void offer_first(Slot buffer);
    void candidate(Slot buffer);
    void decide(std::uint32_t index);
    void join_output(std::uint32_t index);
    void promote(Slot buffer);
    void request_wake(std::uint32_t channel, Time at) {
        if (at >= ports_[channel].wake_at) return;
        ports_[channel].wake_at = at;
        push(at, wake, channel);
    }
    void woken(std::uint32_t channel);
    void finish(std::uint32_t channel);
    void give_adapter(std::uint32_t channel);
    void start_on(std::uint32_t channel, std::uint32_t index);
    void leave_buffer(Slot buffer, Time left, std::uint32_t flits);

    // Who may send next (also output_queueing.cpp, combined_queueing.cpp).
    void give_input(std::uint32_t channel);
    void give_output(std::uint32_t channel);
    [[nodiscard]] std::uint32_t before_next(std::uint32_t channel, Slot slot) const;
    void give_combined(std::uint32_t channel);
    void give_crossbar(std::uint32_t channel);
    void give_output_buffer(std::uint32_t channel);
    void finish_crossing(std::uint32_t channel);

    // Flow control: credits.
    // Whether as many flits fit as far as the sender knows.
    [[nodiscard]] bool room_for(Slot slot, std::uint32_t flits) {
        const std::uint32_t needed = credits_on_ ? flits : 1;
        if (lanes_of_[slot].room >= needed) return true;
        learn_credits();
        return lanes_of_[slot].room >= needed;
    }
    void give_back(Slot slot, Time left, std::uint32_t flits);
    void learn_credits() {
        credits_.take(
            now_, [this](Time time, Slot slot) { add_room(time, slot, full_flits_); },
            [this](Slot, Slot slot) { __builtin_prefetch(&lanes_of_[slot]); });
    }
    void add_room(Time time, Slot slot, std::uint32_t flits);
    void wait_for_room(Slot slot) {
        hungry_ += lanes_of_[slot].hungry ? 0 : 1;
        lanes_of_[slot].hungry = true;
    }
    // Stop and go, and what buffers hold (stop_go.cpp).
    void set_marks();
    void hold(Slot buffer, std::int64_t flits);
    void judge(Slot buffer);
    void hear(Slot slot, bool stop);

    // Head-of-line blocking.
    void begin_behind(Slot buffer);
    void end_behind(Slot buffer);
    void account(Slot buffer);
    void account_all(std::uint32_t channel) {
        if (ports_[channel].behind) blocking_.for_each(channel, [this](Slot buffer) { account(buffer); });
    }

    const Queueing queueing_;
    const bool credits_on_;  // rather than stop and go
    const bool watched_;     // buffers are followed from the first bit on
    const bool always_wake_; // at the end of each segment
    std::uint32_t capacity_ = 0;
    std::vector<Port> ports_;
    std::vector<Lane> lanes_of_; // by slot
    Pool<Credit> odd_credits_;
    std::size_t learn_at_ = 1000;   // so many credits are learnt together
    std::vector<Time> roomy_since_; // by slot: there is room for a whole segment
    Blocking blocking_;
    std::vector<Held> held_;               // by slot, if watched_
    std::vector<Slot> changed_;            // of held_, in this round
    std::vector<std::uint32_t> undecided_; // segments that have to be routed, in this round
    std::vector<Queue> output_;            // by slot: output queueing, combined queueing
    std::vector<std::uint32_t> output_room_;
    std::vector<Crossbar> crossbars_;
    std::vector<std::uint8_t> input_busy_;           // by channel: one of its buffers feeds a crossbar
    std::vector<PacketObserver::Traversal> passing_; // by channel, for the observer
};

} // namespace orrery::packet
