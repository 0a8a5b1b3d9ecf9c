// What the driver tells while it runs. The driver is a template over its observer, so nobody watching costs
// nothing.
#pragma once

#include "engine/ids.h"
#include "engine/time.h"

#include <cstdint>
#include <vector>

namespace orrery {

// A message in flight, or unexpected and waiting for its receive. 32 bytes.
struct Message {
    std::uint32_t source = 0;
    std::uint32_t op = 0; // the send operation, in the source's program
    std::uint32_t tag = 0;
    std::uint32_t aux = 0;  // in the pool: next free one; in a handshake: the receive operation
    std::uint64_t size = 0; // bytes; for an unexpected message: when its overhead ended, in ticks
    std::uint32_t flags = 0;
    std::uint16_t cpu = 0; // where its reception is charged
    std::uint16_t nic = 0;
};
static_assert(sizeof(Message) == 32);

// Where and when a CPU and, for messages, a NIC were occupied.
struct Occupation {
    std::uint32_t cpu = 0;
    std::uint32_t nic = 0;
    Time start;
    Time end;      // of the CPU's
    Time port_end; // of the NIC's
    Time noise;
};

// Nobody watches.
struct NullObserver {
    struct Why {}; // the reason for an instant: which activity, and which moment of it
    static Why at_start(Why why) { return why; }
    static Why calc(std::uint32_t, std::uint32_t, const Occupation&, std::uint64_t) { return {}; }
    static Why send(std::uint32_t, std::uint32_t, const Occupation&, const Message&, std::uint32_t,
                    std::uint32_t, Time, bool) {
        return {};
    }
    static Why recv(std::uint32_t, const Occupation&, const Message&, std::uint32_t, bool) { return {}; }
    static Why post(std::uint32_t, std::uint32_t, const Occupation&, std::uint32_t, std::uint32_t,
                    std::uint64_t) {
        return {};
    }
    static Why later_of(Why a, Time, Why, Time) { return a; }
    static Why reception(std::uint32_t) { return {}; } // the end of a message's reception
    static Why injection(std::uint32_t) { return {}; } // the end of its sender's overhead
    static void held_until(std::uint32_t, Why, Time) {}
    static Why partner(Why why) { return why; }
    static void matched(std::uint32_t, std::uint32_t) {}
    static void ready(std::uint32_t, std::uint32_t, Why, Time) {}
    static void recv_queued(std::uint32_t, std::uint32_t, std::uint32_t, Time) {}
    static void task_ready(std::uint32_t, Why, Time) {}
    static void released(std::uint32_t, std::uint32_t, Why) {}
    static void started(std::uint32_t, std::uint32_t) {}
    static void ended(std::uint32_t, std::uint32_t) {}
    static void message_done(std::uint32_t) {}
};

// Remembers which operations started and which ended: used to explain a deadlock, in a second run.
struct ProgressObserver : NullObserver {
    explicit ProgressObserver(const std::vector<std::uint64_t>& first_op, std::uint64_t operations)
        : first_op_(first_op), state(operations) {}
    static constexpr std::uint8_t has_started = 1;
    static constexpr std::uint8_t has_ended = 2;
    void started(std::uint32_t rank, std::uint32_t op) { state[first_op_[rank] + op] |= has_started; }
    void ended(std::uint32_t rank, std::uint32_t op) { state[first_op_[rank] + op] |= has_ended; }

    const std::vector<std::uint64_t>& first_op_;
    std::vector<std::uint8_t> state;
};

} // namespace orrery
