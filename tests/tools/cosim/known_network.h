// A network of known times: every message takes a latency and its bytes at a rate, and meets nobody.
#pragma once

#include "network/network.h"

#include <map>
#include <string>
#include <vector>

namespace orrery::test {

class KnownNetwork final : public Network {
  public:
    KnownNetwork(Time latency, double ps_per_byte) : latency_(latency), per_byte_(ps_per_byte) {}

    void start(TransferId transfer, HostId /*from*/, HostId /*to*/, Bytes bytes, Time now) override {
        under_way_.emplace(now + latency_ + Time::from_ps(per_byte_ * static_cast<double>(bytes)), transfer);
        ++data;
    }
    void start_control(TransferId transfer, HostId from, HostId to, Bytes bytes, Time now) override {
        start(transfer, from, to, bytes, now);
        --data;
        ++control;
    }
    Time next() override { return under_way_.empty() ? Time::max() : under_way_.begin()->first; }
    void advance(Time now, std::vector<TransferId>& arrived) override {
        while (!under_way_.empty() && under_way_.begin()->first <= now) {
            arrived.push_back(under_way_.begin()->second);
            under_way_.erase(under_way_.begin());
        }
    }
    Time latency(HostId /*from*/, HostId /*to*/) override { return latency_; }
    [[nodiscard]] std::string validity() const override { return "known"; }

    int data = 0;
    int control = 0;

  private:
    Time latency_;
    double per_byte_;
    std::multimap<Time, TransferId> under_way_;
};

} // namespace orrery::test
