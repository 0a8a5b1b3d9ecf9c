// What a flit-by-flit network consists of: segments, where they are, and the two ends of each channel.
#pragma once

#include "reference/flit_network.h"

#include <deque>
#include <list>

namespace orrery::reference {

struct FlitSegment {
    std::uint32_t message = 0;
    std::uint32_t number = 0; // within its message
    std::uint32_t flits = 0;
    std::uint64_t draw = 0;           // its number among those of its host
    std::vector<Hop>* path = nullptr; // as far as it is decided
};

// A segment at the sending end of its next channel: in an adapter, an input buffer or an output buffer.
struct Passage {
    FlitSegment segment;
    std::size_t hop = 0;               // of its path: the channel that it takes next
    LinkId arrived_by = no_link;       // the channel by which it arrived, whose buffer it is in
    std::uint32_t arrived_by_lane = 0; // of that channel
    Time incoming_flit_time;           // of each of its flits, on that channel
    Time pace;                         // and on the next
    std::vector<Time> available;       // each flit that has begun to arrive; delays included
    std::uint32_t sent = 0;            // flits that have left
    bool begun = false;
    Time start;
    bool in_output_buffer = false; // of combined queueing; then:
    Time cross_begin;              // x
    Time cross_end;                // xe

    [[nodiscard]] bool decided() const { return hop < segment.path->size(); }
    [[nodiscard]] const Hop& next() const { return (*segment.path)[hop]; }
    // `first` and `last` of the page.
    [[nodiscard]] Time first() const { return available.front(); }
    [[nodiscard]] Time last() const { return first() + segment.flits * incoming_flit_time; }
};

// A message in an adapter, and how much of it has been taken.
struct Outgoing {
    std::deque<FlitSegment> segments;
    Time time;
    std::uint64_t draw = 0; // its number among the messages of its host
};

// Where the routing decides for each segment: the messages of a host (one of two, by priority).
struct Undecided {
    std::deque<Outgoing> messages;
    bool offered = false; // the first segment of the first one is decided, and has not started
};

struct FlitOnWire {
    Time arrives; // its first bit
    FlitSegment segment;
    std::size_t hop = 0;
    std::uint32_t flit = 0;
    Time flit_time;
};

// To the sender of a channel: places that are free again, or stop, or go.
struct Notice {
    enum class Kind : std::uint8_t { credit, stop, go };
    Time arrives;
    Kind kind = Kind::credit;
    std::uint32_t lane = 0;
    std::uint32_t flits = 0;
};

// A channel: its sending end, what is on the way, its receiving end.
struct Line {
    Channel channel;
    Time flit_time;
    bool used = false;      // it is a channel at all
    bool from_host = false; // its sender is an adapter
    bool to_switch = false; // there is a buffer at its end

    Passage* sending = nullptr; // whose flit is leaving
    Time flit_ends;
    Passage* keeper = nullptr;    // had the wire until now, and is not over
    std::vector<Passage*> holder; // wormhole: of each lane, the segment between its first and its last flit
    std::uint64_t pointer = 0;
    std::uint64_t wire_pointer = 0;             // combined queueing: over lanes
    std::vector<std::int64_t> room;             // credits: free flits of each lane, as far as the sender knows
    std::vector<bool> stopped;                  // stop and go: the last signal received
    std::vector<std::deque<Outgoing>> messages; // of an adapter, by lane
    std::list<Passage> leaving;                 // of an adapter
    std::vector<std::list<Passage>> output;     // combined queueing, by lane
    std::vector<std::int64_t> output_room;      // free flits
    Passage* crossing = nullptr;                // combined queueing: what the crossbar moves to this output
    bool input_busy = false;                    // combined queueing: the crossbar takes from this input
    std::deque<FlitOnWire> wire;                // in order
    std::deque<Notice> notices;                 // in order
    std::vector<std::list<Passage>> buffer;     // by lane
    std::vector<std::int64_t> count;            // flits that the buffer counts, by lane
    std::vector<bool> stop_sent;                // by lane
};

} // namespace orrery::reference
