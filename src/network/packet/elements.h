// What a packet network is made of, as plain records in dense arrays: messages, segments, paths.
//
// A *slot* is one lane of one channel, `channel << lane_bits | lane`; it stands for the buffer at the channel's
// end too. Records refer to each other by index; `none` is no one.
#pragma once

#include "engine/huge_pages.h"
#include "engine/ids.h"
#include "engine/pool.h"
#include "engine/time.h"
#include "network/network.h"

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <vector>

namespace orrery::packet {

using Slot = std::uint32_t;
inline constexpr std::uint32_t none = ~std::uint32_t{0};

// A first-in first-out queue of records that are linked by their member `next`.
struct Queue {
    std::uint32_t head = none;
    std::uint32_t tail = none;

    [[nodiscard]] bool empty() const { return head == none; }
    template <typename Records> void append(Records& records, std::uint32_t index) {
        records[index].next = none;
        (head == none ? head : records[tail].next) = index;
        tail = index;
    }
    template <typename Records> void put_first(Records& records, std::uint32_t index) {
        records[index].next = head;
        if (head == none) tail = index;
        head = index;
    }
    template <typename Records> std::uint32_t take(Records& records) {
        const std::uint32_t index = head;
        head = records[index].next;
        if (head == none) tail = none;
        return index;
    }
};

// One cache line, from the adapter that sends it to the host that receives it.
struct alignas(64) Segment {
    std::uint32_t message = none;
    std::uint32_t next = none; // in its queue
    std::uint32_t path = none; // the entry of its next hop in Paths
    std::uint32_t flits = 0;
    Slot buffer = none;         // the buffer where it is or to which it is being sent; none: in its adapter
    Slot slot = none;           // where it goes next; none: not decided yet
    std::uint32_t number = 0;   // of its message, from 0
    std::uint32_t payload = 0;  // bytes
    std::uint32_t block = none; // in Paths, if no other segment has the same path
    Time first;                 // its first flit is available in the switch
    Time last;                  // its last bit too
    Time ready;                 // it may be sent on
};
static_assert(sizeof(Segment) == 64);

// One cache line too: at high load many of them wait in adapters.
struct alignas(64) Message {
    TransferId transfer;
    HostId from;
    HostId to;
    std::uint32_t next = none;      // in its adapter's queue
    std::uint32_t path = none;      // block in Paths; where packets are routed one by one: that of the next one
    std::uint32_t segments = 0;     // how many it has,
    std::uint32_t sent = 0;         // has begun to send,
    std::uint32_t to_come : 31 = 0; // and has not started on the last channel
    bool control : 1 = false;       // has the lane of protocol messages
    Bytes bytes = 0;
    std::uint64_t order = 0; // StartOrder
    Time start;
    Time latest; // arrival of the last segment to come
};
static_assert(sizeof(Message) == 64);

// What it has in addition where packets are routed one by one or an observer is attached.
struct MessageNumbers {
    std::uint64_t number = 0;     // for the observer
    std::uint64_t first_draw = 0; // of its first segment
};

template <typename T> using HugePool = Pool<T, HugeVector<T>>;

// Paths as blocks of slots, each closed by `none`, in memory that is used again. The highest bit of an entry
// says that its channel is faster than the one before.
class Paths {
  public:
    static constexpr std::uint32_t faster = std::uint32_t{1} << 31;

    // A path with this number of hops, to be set: where its first entry lies.
    std::uint32_t add(std::size_t hops) {
        const auto size = static_cast<unsigned>(std::bit_width(hops + 1)); // with head and end
        std::uint32_t block = 0;
        if (free_[size].empty()) {
            block = static_cast<std::uint32_t>(entries_.size());
            entries_.resize(entries_.size() + (std::size_t{1} << size));
        } else {
            block = free_[size].back();
            free_[size].pop_back();
        }
        entries_[block] = size;
        entries_[block + 1 + hops] = none;
        return block + 1;
    }
    void set(std::uint32_t entry, std::uint32_t slot) { entries_[entry] = slot; }
    void remove(std::uint32_t path) { free_[entries_[path - 1]].push_back(path - 1); }
    std::uint32_t operator[](std::uint32_t entry) const { return entries_[entry]; }
    [[gnu::always_inline]] inline void expect(std::uint32_t entry) const {
        if (entry != none) __builtin_prefetch(entries_.data() + entry);
    }

  private:
    HugeVector<std::uint32_t> entries_;
    std::array<std::vector<std::uint32_t>, 32> free_;
};

} // namespace orrery::packet
