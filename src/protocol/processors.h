// The CPUs and network interfaces of the ranks: until when each is taken, and what waits for it.
//
// A rank has two CPUs, one for what it does itself and one for its nonblocking collectives, and an interface
// that sends and receives independently. Whatever needs a CPU (and an interface) starts when all of it is free
// and is not interrupted. Of several that wait, the first in the order of ties (Clock::Due) starts first.
//
// All that wait for the same thing wait until the same instant, so only the oldest has an event in the queue:
// k waiting ones cost O(k log k), not O(k^2).
#pragma once

#include "protocol/clock.h"
#include "protocol/wait_set.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace orrery {

class Processors {
  public:
    enum class Use : std::uint8_t { compute, send, receive }; // the last two take the interface, too
    static constexpr std::uint32_t cpus = 2;

    explicit Processors(Clock& clock) : clock_(clock) {}
    void set_ranks(std::size_t ranks) { ranks_.resize(ranks); }

    // When the CPU is free, as far as that is known.
    [[nodiscard]] Time cpu_free(std::uint32_t rank, std::uint32_t cpu) const {
        const Time free = ranks_[rank].cpu[cpu];
        return free == until_released() ? Time::zero() : free;
    }
    // When all that it needs is free.
    [[nodiscard]] Time free(std::uint32_t rank, std::uint32_t cpu, Use use) const {
        const Rank& each = ranks_[rank];
        switch (use) {
        case Use::send: return later(each.cpu[cpu], each.sending);
        case Use::receive: return later(each.cpu[cpu], each.receiving);
        case Use::compute: break;
        }
        return each.cpu[cpu];
    }
    void occupy(std::uint32_t rank, std::uint32_t cpu, Time until) { ranks_[rank].cpu[cpu] = until; }
    void occupy(std::uint32_t rank, std::uint32_t cpu, Time until, Use use, Time interface_until) {
        Rank& each = ranks_[rank];
        each.cpu[cpu] = until;
        (use == Use::send ? each.sending : each.receiving) = interface_until;
    }

    // The CPU was held until then, if not for longer.
    void extend(std::uint32_t rank, std::uint32_t cpu, Time until) {
        ranks_[rank].cpu[cpu] = later(ranks_[rank].cpu[cpu], until);
    }
    // Occupied until somebody says so.
    static constexpr Time until_released() { return Time::max(); }
    void release(std::uint32_t rank, std::uint32_t cpu);

    // `due` could not start: it is due again when all that it needs is free.
    void wait(const Clock::Due& due, std::uint32_t rank, std::uint32_t cpu, Use use);
    // An event of Clock::Kind::wake: true and `next` is due, after which `go_on` is called; or nothing is.
    bool wake(const Clock::Due& event, Clock::Due& next);
    void go_on(const Clock::Due& event);
    // All that waits to be received on a CPU, in no order.
    template <typename Visit>
    void for_each_arrival(std::uint32_t rank, std::uint32_t cpu, Visit&& visit) const {
        const std::size_t at = class_of(cpu, Use::receive);
        if (at < ranks_[rank].waiting.size())
            ranks_[rank].waiting[at].set.for_each([&](const Waiter& each) { visit(each.ref); });
    }

  private:
    struct Waiter {
        Clock::Turn turn = ~Clock::Turn{0};
        std::uint32_t source = 0;
        std::uint32_t ref = 0;
        Clock::Kind kind = Clock::Kind::resume;

        [[nodiscard]] bool before(const Waiter& other) const {
            if (source == other.source || Clock::instant_of(turn) != Clock::instant_of(other.turn))
                return turn < other.turn;
            return source < other.source;
        }
    };
    struct Class {
        WaitSet<Waiter> set;
        Waiter wake; // who has its wake-up in the event queue; as it is made: nobody

        [[nodiscard]] bool wakes() const { return wake.turn != Waiter{}.turn; }
    };
    struct Rank {
        std::array<Time, cpus> cpu{};
        Time sending;
        Time receiving;
        std::vector<Class> waiting; // by class_of(); empty until something has to wait
    };
    static std::size_t class_of(std::uint32_t cpu, Use use) {
        return std::size_t{cpu} * 3 + static_cast<std::size_t>(use);
    }
    void schedule(std::uint32_t rank, std::uint32_t index);

    Clock& clock_;
    std::vector<Rank> ranks_;
};

} // namespace orrery
