// Sends messages over a network as a driver would: starts each at its time, moves from instant to instant.
#pragma once

#include "network/network.h"
#include "reference/max_min.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace orrery::test {

using reference::Message;

struct Carried {
    std::vector<Time> arrival; // by message
    std::vector<std::uint32_t> order;
};

inline Carried run(Network& network, const std::vector<Message>& messages) {
    std::vector<std::uint32_t> by_start(messages.size());
    std::iota(by_start.begin(), by_start.end(), 0U);
    std::stable_sort(by_start.begin(), by_start.end(),
                     [&](auto a, auto b) { return messages[a].start < messages[b].start; });
    Carried carried;
    carried.arrival.resize(messages.size(), Time::max());
    std::vector<TransferId> arrived;
    std::size_t next = 0;
    for (;;) {
        const Time event = network.next();
        const Time start = next < by_start.size() ? messages[by_start[next]].start : Time::max();
        const Time now = std::min(event, start);
        if (now == Time::max()) return carried;
        arrived.clear();
        network.advance(now, arrived);
        for (const TransferId transfer : arrived) {
            carried.arrival[transfer.index()] = now;
            carried.order.push_back(transfer.value);
        }
        for (; next < by_start.size() && messages[by_start[next]].start == now; ++next) {
            const Message& message = messages[by_start[next]];
            network.start({by_start[next]}, message.from, message.to, message.bytes, now);
        }
    }
}

} // namespace orrery::test
