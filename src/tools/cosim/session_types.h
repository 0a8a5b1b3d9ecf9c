// What a co-simulation session is told at its start, and what it has to say at its end.
#pragma once

#include "engine/ids.h"
#include "engine/time.h"

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

namespace orrery {

struct CosimOptions {
    std::vector<HostId> nodes;              // the host of each node of the client
    Bytes control_bytes = 64;               // of a request and an acknowledgement; 0: a latency without load
    std::uint32_t most_messages = 1U << 20; // under way at once
    Bytes largest_message = Bytes{1} << 40;
    // Called every few milliseconds while the network runs; throws SessionError if the session is to end.
    std::function<void()> look_around;
};

struct CosimFigures {
    std::uint64_t messages = 0;   // delivered
    std::uint64_t bytes = 0;      // in them
    std::uint64_t rendezvous = 0; // of the messages
    std::uint64_t rounds = 0;     // turns taken
    std::uint64_t drifts = 0;     // messages that were sent in our past, and were moved to the present
    Time last;                    // the last delivery
};

// The client did something that it may not do, in words; its session is over.
class SessionError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

} // namespace orrery
