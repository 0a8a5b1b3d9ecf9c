// A network in closed form: how long a message takes depends on where it goes and on its size, not on others.
//
// Some pairs of hosts are farther apart than others, so that messages overtake each other. What arrives at the
// same instant arrives in the order in which it started.
#pragma once

#include "network/network.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace orrery::reference {

struct Delays {
    Time latency;
    Time step;           // pairs of hosts are 0, 1, 2 or 3 of them farther apart
    double per_byte = 0; // ps

    [[nodiscard]] Time of_envelope(HostId from, HostId to) const {
        return latency + static_cast<std::int64_t>((3 * from.value + 2 * to.value) % 4) * step;
    }
    [[nodiscard]] Time of(HostId from, HostId to, Bytes bytes) const {
        return of_envelope(from, to) + Time::from_ps(per_byte * static_cast<double>(bytes));
    }
};

class DelayNetwork final : public Network {
  public:
    explicit DelayNetwork(const Delays& delays) : delays_(delays) {}

    void start(TransferId transfer, HostId from, HostId to, Bytes bytes, Time now) override {
        flights_.push_back({now + delays_.of(from, to, bytes), transfer});
    }
    Time next() override {
        Time first = Time::max();
        for (const Flight& flight : flights_) first = std::min(first, flight.arrives);
        return first;
    }
    void advance(Time now, std::vector<TransferId>& arrived) override {
        for (const Flight& flight : flights_) {
            if (flight.arrives == now) arrived.push_back(flight.transfer);
        }
        std::erase_if(flights_, [&](const Flight& flight) { return flight.arrives == now; });
    }
    Time latency(HostId from, HostId to) override { return delays_.of_envelope(from, to); }
    [[nodiscard]] std::string validity() const override { return "closed form"; }

  private:
    struct Flight {
        Time arrives;
        TransferId transfer;
    };
    Delays delays_;
    std::vector<Flight> flights_; // in the order in which they started
};

} // namespace orrery::reference
