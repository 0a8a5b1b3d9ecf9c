// Simulated time and what is to happen at it: shared by all parts of one replay.
//
// Two kinds of things happen: events at a future instant (a computation ends, a delayed transfer starts), which
// lie in the event queue, and fibers that can go on at this instant, which lie in a first-in-first-out list.
// The order is total and depends on the input only: at one instant first all fibers that can go on, then all
// events, then what CPUs begin to do and what leaves for the network (RankEngine::settle), then the network.
// Which event of an instant comes first does not matter to the times, but for endpoints with interfaces: there
// events are ordered by turns.
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
    // With interfaces (by_turns): when something was drawn, as the instant's number and, below it, how many
    // were drawn at that instant before it. Should there be more than fit, the next instant's numbers follow.
    using Turn = std::uint64_t;

    // What is due.
    struct Due {
        Time time;
        Turn turn = 0;            // this and the next two: with interfaces
        std::uint32_t rank = 0;   // where; ranks above all are nobody in particular
        std::uint32_t source = 0; // 0: the rank itself; 1 + source of a message
        std::uint32_t detail = 0;
        std::uint32_t ref = 0;
        Kind kind = Kind::resume;

        // The order of ties of docs/loggops.md.
        [[nodiscard]] bool before(const Due& other) const {
            if (time != other.time) return time < other.time;
            if (instant_of(turn) != instant_of(other.turn)) return turn < other.turn;
            if ((source == 0) != (other.source == 0)) return source == 0;
            if (rank != other.rank) return rank < other.rank;
            return source != other.source ? source < other.source : turn < other.turn;
        }
    };
    static constexpr std::uint32_t no_rank = 0xFFFF'FFFF;

    // Ties are broken by turns from now on.
    void use_turns() { by_turns_ = true; }
    [[nodiscard]] Time now() const { return now_; }

    void at(Time time, Kind kind, std::uint32_t ref, std::uint32_t detail = 0, std::uint32_t rank = no_rank) {
        ++events_;
        if (by_turns_) return turns_.push({time, draw(), rank, 0, detail, ref, kind});
        queue_.push({time, number_++ << kind_bits | static_cast<std::uint64_t>(kind), detail, ref});
    }
    // With a turn that was drawn before.
    void at(const Due& due) {
        ++events_;
        turns_.push(due);
    }
    // The next turn. The one after it (turn + 1) is never drawn and may be given to who comes right behind.
    Turn draw() {
        if (now_ != drawn_at_) {
            drawn_at_ = now_;
            turn_ = (instant_of(turn_) + 1) << instant_bits;
        }
        const Turn turn = turn_;
        turn_ += 2;
        return turn;
    }
    static std::uint64_t instant_of(Turn turn) { return turn >> instant_bits; }
    // A fiber goes on then unless it is woken before; `timed_wait` is not 0 and says which of its timed waits
    // this ends.
    void at_end_of_timed_wait(Time time, std::uint32_t timed_wait, std::uint32_t fiber, std::uint32_t rank) {
        at(time, Kind::resume, fiber, timed_wait, rank);
    }
    // A fiber goes on at this instant.
    void go_on(std::uint32_t fiber) { ready_.push_back(fiber); }

    // The next fiber that goes on now; false if there is none.
    bool take_ready(std::uint32_t& fiber) {
        if (head_ == ready_.size()) {
            ready_.clear();
            head_ = 0;
            return false;
        }
        fiber = ready_[head_++];
        return true;
    }
    // The fiber that goes on `after` others at this instant; false if there is none yet.
    [[nodiscard]] bool soon_ready(std::size_t after, std::uint32_t& fiber) const {
        if (head_ + after >= ready_.size()) return false;
        fiber = ready_[head_ + after];
        return true;
    }
    // The same of events: the fiber that an event lets go on after `after` others.
    [[nodiscard]] bool soon_due(std::size_t after, std::uint32_t& fiber) const {
        const Event* const event = queue_.ahead(after);
        if (event == nullptr || kind_of(*event) != Kind::resume) return false; // never by turns
        fiber = event->ref;
        return true;
    }
    [[nodiscard]] Time next_event() {
        if (by_turns_) return turns_.empty() ? Time::max() : turns_.next_time();
        return queue_.empty() ? Time::max() : queue_.next_time();
    }
    Due pop() {
        if (by_turns_) {
            const Due due = turns_.pop();
            now_ = due.time;
            return due;
        }
        const Event event = queue_.pop();
        now_ = event.time;
        return {event.time, 0, 0, 0, event.rank, event.ref, kind_of(event)};
    }
    void move_to(Time time) {
        check_length(time);
        now_ = time;
    }
    // No fiber goes on, and no event comes, before that instant or at it.
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
    static constexpr unsigned instant_bits = 26;
    static Kind kind_of(const Event& event) { return static_cast<Kind>(event.order & ((1U << kind_bits) - 1)); }

    Time now_;
    std::uint64_t number_ = 0;
    std::uint64_t events_ = 0;
    EventQueue queue_;
    bool by_turns_ = false;
    Time drawn_at_;
    Turn turn_ = 0;
    BasicEventQueue<Due> turns_;
    std::vector<std::uint32_t> ready_;
    std::size_t head_ = 0;
};

} // namespace orrery
