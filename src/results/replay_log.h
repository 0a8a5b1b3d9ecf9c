// What a replay tells those who watch: which call each rank was in and when, and which messages travelled.
//
// Nobody watching costs one branch per action and per message.
#pragma once

#include "engine/time.h"
#include "workload/action.h"

#include <cstdint>

namespace orrery {

class ReplayObserver {
  public:
    virtual ~ReplayObserver() = default;
    // The rank performed the action in [begin, end); only told if it took any time.
    virtual void performed(std::uint32_t rank, const Action& action, Time begin, Time end) = 0;
    // The message was posted at `sent` and its last byte arrived at `arrived`.
    virtual void delivered(std::uint32_t from, std::uint32_t to, std::uint32_t tag, Bytes bytes, Time sent,
                           Time arrived) = 0;

    // The rank performed the action in no time at all.
    virtual void passed(std::uint32_t /*rank*/, const Action& /*action*/, Time /*at*/) {}
    // The message has arrived and there is a receive for it, whichever came last.
    struct Received {
        std::uint32_t from = 0;
        std::uint32_t to = 0;
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
