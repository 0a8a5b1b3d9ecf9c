#include "network/loggops/loggops_transport.h"

#include <algorithm>

namespace orrery {

void LogGOPSTransport::start(TransferId transfer, HostId from, HostId to, Bytes bytes, Time now) {
    if (transfer.index() >= transfers_.size()) {
        transfers_.resize(std::max<std::size_t>(transfer.index() + 1, 2 * transfers_.size()));
    }
    transfers_[transfer.index()] = {to, bytes};
    Nic& nic = nics_[from.index()];
    const Time leaves = later(now, nic.send_free);
    nic.send_free = leaves + network_.occupation(bytes);
    events_.push({leaves + network_.latency(), order_++, transfer.value, first_byte});
}

void LogGOPSTransport::advance(Time now, std::vector<TransferId>& arrived) {
    while (!events_.empty() && events_.next_time() <= now) {
        const Event event = events_.pop();
        if (event.ref == last_byte) {
            arrived.push_back({event.rank});
            continue;
        }
        const Transfer& transfer = transfers_[event.rank];
        Nic& nic = nics_[transfer.to.index()];
        const Time received = later(event.time, nic.receive_free);
        nic.receive_free = received + network_.occupation(transfer.bytes);
        events_.push({received + network_.drain(transfer.bytes), order_++, event.rank, last_byte});
    }
}

} // namespace orrery
