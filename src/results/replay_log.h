// What a replay tells those who watch: which call each rank was in and when, and which messages travelled.
//
// Nobody watching costs one branch per action and per message.
#pragma once

#include "engine/time.h"
#include "workload/action.h"

#include <cstdint>

namespace orrery {

// Who does something. Ranks of traces and programs have one CPU, those of schedules may have several.
struct CpuOfRank {
    std::uint32_t rank = 0;
    std::uint32_t cpu = 0;
};

class ReplayObserver {
  public:
    virtual ~ReplayObserver() = default;
    // The CPU performed the action in [begin, end); only told if it took any time. One after the other on each
    // CPU, and in this order.
    virtual void performed(CpuOfRank who, const Action& action, Time begin, Time end) = 0;
    // Between ranks: the message was posted at `sent` and its last byte arrived at `arrived`.
    virtual void delivered(std::uint32_t from, std::uint32_t to, std::uint32_t tag, Bytes bytes, Time sent,
                           Time arrived) = 0;

    // The same in no time at all.
    virtual void passed(CpuOfRank /*who*/, const Action& /*action*/, Time /*at*/) {}
    // The message has arrived and there is a receive for it, whichever came last.
    struct Received {
        std::uint32_t from = 0;
        std::uint32_t to = 0;
        std::uint32_t from_cpu = 0;
        std::uint32_t to_cpu = 0;
        std::uint32_t send_line = 0; // of the action in its file; the number of the operation in its schedule
        std::uint32_t recv_line = 0;
        std::uint32_t tag = 0;
        bool collective = false; // a message of a collective, not of the application itself
        Bytes bytes = 0;
        Time sent;    // posted
        Time left;    // its first byte was handed to the network
        Time posted;  // the receive
        Time arrived; // its last byte
    };
    virtual void received(const Received& /*message*/) {}
};

} // namespace orrery
