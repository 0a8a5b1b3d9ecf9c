// The events inside a packet network, for observers: traces for Paraver, tests of conservation.
//
// Times never run back within one kind of call about one channel. A channel's buffer is the one at its
// receiving end. Nobody watches: each call site is one test of a pointer.
#pragma once

#include "engine/ids.h"
#include "engine/time.h"

#include <cstdint>

namespace orrery {

class PacketObserver {
  public:
    struct Message {
        std::uint64_t number = 0; // unique in the run, in the order of start
        HostId from;
        HostId to;
        Bytes bytes = 0;
        bool control = false;
        Time start;
    };
    // One segment passes one channel. Told when its last flit has left the sender.
    struct Traversal {
        LinkId channel;
        std::uint32_t lane = 0;
        std::uint64_t message = 0;
        std::uint32_t segment = 0; // of the message, from 0
        bool last = false;         // the last one of its message
        Bytes bytes = 0;           // payload
        Time ready; // its first flit was there to be sent: received by the sender, delays included
        Time start; // its first flit is sent
        Time end;   // its last flit has been sent; it is received one latency later
    };

    virtual ~PacketObserver() = default;
    virtual void message(const Message& /*message*/) {}
    virtual void traversal(const Traversal& /*traversal*/) {}
    // The buffer at the end of a channel holds this much from now on.
    virtual void backlog(LinkId /*channel*/, Time /*now*/, Bytes /*bytes*/) {}
    // The receiving end of a channel signals its sender to stop, and to go on.
    virtual void stop(LinkId /*channel*/, Time /*now*/) {}
    virtual void go(LinkId /*channel*/, Time /*now*/) {}
    // In the buffer at the end of a channel a segment that could go on waits behind one that cannot.
    virtual void blocked(LinkId /*channel*/, Time /*now*/) {}
    virtual void unblocked(LinkId /*channel*/, Time /*now*/) {}
    virtual void arrived(std::uint64_t /*message*/, Time /*now*/) {}
};

} // namespace orrery
