// Simulated time and what is to happen at it: shared by all parts of one replay.
//
// Two kinds of things happen: events at a future instant (a computation ends, a delayed transfer starts), which
// lie in the event queue, and strands that can go on at this instant, which lie in a first-in-first-out list.
// The order is total and depends on the input only: at one instant first all strands that can go on, then all
// events, then what CPUs begin to do and what leaves for the network (RankEngine::settle), then the network.
#pragma once

#include "engine/event_queue.h"
#include "engine/time.h"
#include "engine/too_long.h"

#include <cstdint>
#include <vector>

namespace orrery {

class Clock {
  public:
    enum class Kind : std::uint8_t {
        resume,
        start_transfer,
        cpu,
        taken, // a CPU has taken a message
        told,  // the sender of a message that is fetched is told so
        arrival,
        answer,
        wake,
        operation, // of a schedule: its CPU is done with it
    };
    // A place in the order of all that is due at one instant, and of all that wait for one CPU.
    using Turn = std::uint64_t;

    [[nodiscard]] Time now() const { return now_; }

    void at(Time time, Kind kind, std::uint32_t ref) { at(time, draw(), kind, 0, ref); }
    void at(Time time, Turn turn, Kind kind, std::uint32_t detail, std::uint32_t ref) {
        queue_.push({time, order(turn, kind), detail, ref});
        ++events_;
    }
    // The next turn. The one after it (turn + 1) is never drawn and may be given to who comes right behind.
    Turn draw() { return number_++ << turn_step_bits; }
    static std::uint64_t order(Turn turn, Kind kind) {
        return turn << kind_bits | static_cast<std::uint64_t>(kind);
    }
    static Turn turn_of(std::uint64_t order) { return order >> kind_bits; }
    // A strand goes on then unless it is woken before; `timed_wait` is not 0 and says which of its timed waits
    // this ends.
    void at_end_of_timed_wait(Time time, std::uint32_t timed_wait, std::uint32_t strand) {
        at(time, draw(), Kind::resume, timed_wait, strand);
    }
    // A strand goes on at this instant.
    void go_on(std::uint32_t strand) { ready_.push_back(strand); }

    // The next strand that goes on now; false if there is none.
    bool take_ready(std::uint32_t& strand) {
        if (head_ == ready_.size()) {
            ready_.clear();
            head_ = 0;
            return false;
        }
        strand = ready_[head_++];
        return true;
    }
    // The strand that goes on `after` others at this instant; false if there is none yet.
    [[nodiscard]] bool soon_ready(std::size_t after, std::uint32_t& strand) const {
        if (head_ + after >= ready_.size()) return false;
        strand = ready_[head_ + after];
        return true;
    }
    // The same of events: the strand that an event lets go on after `after` others.
    [[nodiscard]] bool soon_due(std::size_t after, std::uint32_t& strand) const {
        const Event* const event = queue_.ahead(after);
        if (event == nullptr || kind_of(*event) != Kind::resume) return false;
        strand = event->ref;
        return true;
    }
    [[nodiscard]] Time next_event() { return queue_.empty() ? Time::max() : queue_.next_time(); }
    Event pop() {
        const Event event = queue_.pop();
        now_ = event.time;
        return event;
    }
    static Kind kind_of(const Event& event) { return static_cast<Kind>(event.order & ((1U << kind_bits) - 1)); }
    void move_to(Time time) {
        check_length(time);
        now_ = time;
    }
    // No strand goes on, and no event comes, before that instant or at it.
    [[nodiscard]] bool undisturbed_until(Time time) { return head_ == ready_.size() && next_event() > time; }
    // The same as move_to, without an event. False: the run would be too long.
    bool pass_to(Time time) {
        if (time >= Time::longest()) return false;
        now_ = time;
        return true;
    }
    [[nodiscard]] std::uint64_t events() const { return events_; }

  private:
    static constexpr unsigned kind_bits = 4;
    static constexpr unsigned turn_step_bits = 8;

    Time now_;
    std::uint64_t number_ = 0;
    std::uint64_t events_ = 0;
    EventQueue queue_;
    std::vector<std::uint32_t> ready_;
    std::size_t head_ = 0;
};

} // namespace orrery
