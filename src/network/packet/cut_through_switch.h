// Switches with virtual cut-through switching: a segment starts on a channel when there is room for all of it,
// and then goes on without a gap, so that the times of each hop are known when it starts.
//
// Cost: one event for each segment and hop (it is ready in a switch). Another one wakes a channel up when it
// becomes free or receives credits, but only where a segment waits for that. What one hop touches: the segment,
// the Port of the channel, the Lane that it enters and the Lane that it leaves, a cache line each.
//
// Most networks are *plain*: input queueing, credits, paths that are known when a message starts and do not
// depend on loads, no lane for protocol messages, no observer. What a segment goes through is compiled for them
// apart (`plain`), without asking for all that at every step.
#pragma once

#include "network/packet/blocking.h"
#include "network/packet/core.h"

#include <cstdint>
#include <vector>

namespace orrery::packet {

inline constexpr std::uint8_t no_line = 0xFF; // too many others, or there is nothing to wait for

// A channel at its sending end.
struct alignas(64) Port {
    Time flit_time;
    Time busy_until;
    Time wake_at = Time::max();   // the wake-up that has been requested
    std::uint64_t candidates = 0; // round_robin_arbiter.h
    std::uint32_t pointer = 0;    // of the round-robin arbiter
    Slot serving = none;          // the buffer that its last segment came from
    std::uint32_t sending = 0;    // flits of its last segment
    std::uint32_t first_pair = 0; // of its node, in pair_slots_
    std::uint32_t pairs = 0;
    std::uint32_t end_place = 0;     // of its last segment in ends_, if it is listed there
    std::uint8_t line = no_line;     // of lines_
    std::uint8_t end_line = no_line; // of ends_, for whole segments
    bool listed = false;             // its last segment is in ends_
    bool from_host = false;
    bool to_host = false;
    bool behind = false;     // the second segment of some buffer would go here
    bool unfinished = false; // its last segment has not been seen to end
};
static_assert(sizeof(Port) == 64);

// A lane of a channel: what its sender knows of the buffer at its end, and that buffer.
struct alignas(64) Lane {
    // The sender's side.
    std::uint32_t room = 0;     // free flits as far as the sender knows; stop and go: all or none
    std::uint32_t most = 0;     // flits that the buffer has held
    Time latency;               // of the channel
    std::uint64_t segments = 0; // transferred
    // The buffer.
    std::uint16_t credits = 0;      // in flight or not acknowledged (credit_times_),
    std::uint16_t acknowledged = 0; // how many have been, modulo 2^16
    Queue queue;                    // of segments that are ready and have not started
    Time free_at;                   // its last segment has left
    std::uint32_t waiting = 0;      // flits of the queue (of all that have not left, but for input queueing)
    std::uint32_t server = none;    // the channel that its last segment went to
    std::uint32_t pair = 0;         // at its node
    bool credit_starved = false;    // a candidate waits for room
    bool offered = false;           // the first of the queue is a candidate
    bool behind = false;            // the second one is counted in blocking_
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
    struct OddCredit { // that is not for a whole segment, or finds no place in credit_times_
        Slot slot = none;
        std::uint32_t flits = 0;
    };
    // Stop and go, and observers: what the buffer holds from the first bit on.
    struct Held {
        std::uint32_t flits = 0;
        std::uint32_t stop_mark = 0;
        std::uint32_t go_mark = 0;
        bool stop_sent = false;
        bool changed = false;
    };
    // Combined queueing: the crossbar from the inputs to the output buffers of a channel.
    struct Crossbar {
        Time busy_until;
        Slot serving = none;
        std::uint32_t moving = 0;  // flits
        std::uint32_t pointer = 0; // of the wire, over lanes
        Slot sent = none;          // the output buffer that the wire's last segment came from
        bool unfinished = false;
    };

    // What Core finds in a network; the templates below do it.
    template <bool plain> struct SwitchingPass {
        CutThrough& network;
        void arrive_at(std::uint32_t segment) { network.arrive_at<plain>(segment); }
        void process_event(const Event& event) { network.process_event<plain>(event); }
        void on_wake_up(std::uint32_t channel) { network.on_wake_up<plain>(channel); }
        void conclude() {
            if (!plain && !(network.changed_.empty() && network.undecided_.empty())) network.conclude_round();
        }
        void arbitrate(std::uint32_t channel) { network.arbitrate<plain>(channel); }
        template <typename Ahead> [[gnu::always_inline]] inline void expect_segments(Ahead&& ahead) const {
            network.expect_segments(ahead);
        }
        [[gnu::always_inline]] inline void expect_event(const Event& event) const {
            network.expect_event(event);
        }
    };
    void run_before(Time limit, std::uint64_t instants) override;
    void settle() override;
    void process_events() override;
    void conclude_round();
    // What segments need that will arrive shortly is prefetched into the cache. (Functions that only do so have
    // to be inlined: GCC 12 takes them for functions that do nothing.)
    template <typename Ahead> [[gnu::always_inline]] inline void expect_segments(Ahead&& ahead) const {
        const Segment& segment = segments_[ahead(2)];
        __builtin_prefetch(&segments_[ahead(5)]);
        paths_.expect(segment.path);
        if (segment.buffer != none) __builtin_prefetch(&lanes_of_[segment.buffer]);
        if (segment.slot != none) {
            __builtin_prefetch(&lanes_of_[segment.slot]);
            __builtin_prefetch(&ports_[channel_of(segment.slot)]);
        }
    }
    // A sender will receive credits.
    [[gnu::always_inline]] inline void expect_event(const Event& event) const {
        if (event.rank != credit) return;
        __builtin_prefetch(&lanes_of_[event.ref]);
        __builtin_prefetch(&ports_[channel_of(event.ref)]);
        expect_message(event.ref);
    }

    // The stages that a segment passes (cut_through_switch.cpp).
    template <bool plain> void process_event(const Event& event);
    template <bool plain> void arrive_at(std::uint32_t index);
    template <bool plain> void offer_first(Slot buffer, Lane& lane);
    template <bool plain> void candidate(Slot buffer, const Lane& lane);
    void decide(std::uint32_t index);
    void join_output(std::uint32_t index);
    template <bool plain> void promote(Slot buffer);
    // At the end of its segment, or (combined queueing) at another time.
    void request_wake(std::uint32_t channel, Time at) {
        Port& port = ports_[channel];
        if (at >= port.wake_at) return;
        port.wake_at = at;
        if (port.listed && at == port.busy_until && ends_.want(port.end_line, port.end_place)) return;
        push(at, wake, channel);
    }
    template <bool plain> void on_wake_up(std::uint32_t channel);
    template <bool plain> void finish(std::uint32_t channel);
    template <bool plain> void arbitrate(std::uint32_t channel);
    template <bool plain> void arbitrate_adapter(std::uint32_t channel);
    template <bool plain> void start_on(std::uint32_t channel, std::uint32_t index);

    // Who may send next (also output_queueing.cpp, combined_queueing.cpp).
    template <bool plain> void arbitrate_input(std::uint32_t channel);
    void arbitrate_output(std::uint32_t channel);
    [[nodiscard]] std::uint32_t before_next(std::uint32_t channel, Slot slot) const;
    void arbitrate_combined(std::uint32_t channel);
    void arbitrate_crossbar(std::uint32_t channel);
    void arbitrate_output_buffer(std::uint32_t channel);
    void finish_crossing(std::uint32_t channel);

    // Flow control: credits. They are acknowledged when room is needed. Where a segment waits for room, the
    // next credit is an event. room_for says whether that many flits fit as far as the sender knows.
    template <bool plain> [[nodiscard]] bool room_for(Slot slot, std::uint32_t flits) {
        Lane& lane = lanes_of_[slot];
        const std::uint32_t needed = plain || credits_on_ ? flits : 1;
        if (lane.room >= needed) return true;
        acknowledge_credits(slot);
        return lane.room >= needed;
    }
    void set_credit_places();
    template <bool plain> void return_credit(Slot slot, Time left, std::uint32_t flits);
    void return_odd_credit(Slot slot, Time known, std::uint32_t flits);
    void acknowledge_credits(Slot slot);
    void add_room(Time time, Slot slot, std::uint32_t flits);
    void wait_for_room(Slot slot) {
        Lane& lane = lanes_of_[slot];
        if (lane.credit_starved) return;
        lane.credit_starved = true;
        if (lane.credits > 0) push(credit_time(slot, lane.acknowledged), credit, slot);
    }
    [[nodiscard]] Time& credit_time(Slot slot, std::uint32_t count) {
        return credit_times_[(std::size_t{slot} << depth_bits_) + (count & ((1U << depth_bits_) - 1))];
    }
    // Stop and go, and what buffers hold (stop_go.cpp).
    void set_marks();
    void hold(Slot buffer, std::int64_t flits);
    void check_marks(Slot buffer);
    void receive_signal(Slot slot, bool stop);

    // Head-of-line blocking.
    void begin_behind(Slot buffer);
    void end_behind(Slot buffer);
    void account(Slot buffer);
    void account_all(std::uint32_t channel) {
        if (ports_[channel].behind) blocking_.for_each(channel, [this](Slot buffer) { account(buffer); });
    }

    const Queueing queueing_;
    const bool plain_;
    const bool credits_on_;  // rather than stop and go
    const bool watched_;     // buffers are followed from the first bit on
    const bool always_wake_; // at the end of each segment
    std::uint32_t capacity_ = 0;
    HugeVector<Port> ports_;
    HugeVector<Lane> lanes_of_;     // by slot
    std::uint32_t depth_bits_ = 0;  // 2^ of them credits have a place,
    HugeVector<Time> credit_times_; // by slot, round: when the sender knows of a whole segment that has left
    HugePool<OddCredit> odd_credits_;
    std::vector<std::uint64_t> missing_; // by slot: flits that segments were shorter than whole ones
    std::vector<Time> room_since_;       // by slot: there is room for a whole segment
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
