#include "network/packet/blocking.h"

namespace orrery::packet {

void Blocking::begin(Slot index, Slot target, std::uint32_t channel, Time now) {
    Buffer& buffer = buffers_[index];
    buffer.since = now;
    buffer.target = target;
    buffer.previous = none;
    buffer.next = lists_[channel];
    if (buffer.next != none) buffers_[buffer.next].previous = index;
    lists_[channel] = index;
}

void Blocking::end(Slot index, std::uint32_t channel) {
    Buffer& buffer = buffers_[index];
    (buffer.previous == none ? lists_[channel] : buffers_[buffer.previous].next) = buffer.next;
    if (buffer.next != none) buffers_[buffer.next].previous = buffer.previous;
    buffer.target = none;
}

void Blocking::count(Slot index, LinkId buffer_of, Time free_since, Time now, PacketObserver* observer) {
    Buffer& buffer = buffers_[index];
    const Time since = later(buffer.since, free_since);
    buffer.since = now;
    if (since >= now) return;
    buffer.blocked += now - since;
    if (observer == nullptr) return;
    observer->blocked(buffer_of, since);
    observer->unblocked(buffer_of, now);
}

} // namespace orrery::packet
