// A network without cost: no latency, unlimited bandwidth. Everything arrives at the instant it starts.
//
// What an application would take on it is what its computation, its dependencies and its messages' endpoints
// take: the yardstick of the transfer efficiency. It sees no topology, contention or size.
#pragma once

#include "network/network.h"

#include <string>
#include <vector>

namespace orrery {

class IdealNetwork final : public Network {
  public:
    void start(TransferId transfer, HostId /*from*/, HostId /*to*/, Bytes /*bytes*/, Time now) override {
        started_.push_back(transfer);
        now_ = now;
    }
    Time next() override { return started_.empty() ? Time::max() : now_; }
    void advance(Time /*now*/, std::vector<TransferId>& arrived) override {
        arrived.insert(arrived.end(), started_.begin(), started_.end());
        started_.clear();
    }
    Time latency(HostId /*from*/, HostId /*to*/) override { return Time::zero(); }
    Uncontended uncontended(HostId /*from*/, HostId /*to*/, Bytes /*bytes*/) override { return {}; }
    [[nodiscard]] std::string validity() const override { return "ideal: messages take no time"; }

  private:
    std::vector<TransferId> started_; // at now_, in order
    Time now_;
};

} // namespace orrery
