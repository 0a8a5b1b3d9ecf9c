// A network without cost: no latency, unlimited bandwidth. Everything arrives at the instant it starts.
//
// What an application would take on it is what its computation, its dependencies and its messages' endpoints
// take: the yardstick of the transfer efficiency. It sees no topology, contention or size. What starts at one
// instant arrives by source host, and of a host in the order of its starts.
#pragma once

#include "network/network.h"

#include <algorithm>
#include <string>
#include <vector>

namespace orrery {

class IdealNetwork final : public Network {
  public:
    void start(TransferId transfer, HostId from, HostId /*to*/, Bytes /*bytes*/, Time now) override {
        started_.push_back({from, transfer});
        now_ = now;
    }
    Time next() override { return started_.empty() ? Time::max() : now_; }
    void advance(Time /*now*/, std::vector<TransferId>& arrived) override {
        std::stable_sort(started_.begin(), started_.end(),
                         [](const Started& a, const Started& b) { return a.from < b.from; });
        for (const Started& each : started_) arrived.push_back(each.transfer);
        started_.clear();
    }
    Time latency(HostId /*from*/, HostId /*to*/) override { return Time::zero(); }
    Uncontended uncontended(HostId /*from*/, HostId /*to*/, Bytes /*bytes*/) override { return {}; }
    [[nodiscard]] std::string validity() const override { return "ideal: messages take no time"; }

  private:
    struct Started {
        HostId from;
        TransferId transfer;
    };
    std::vector<Started> started_; // at now_
    Time now_;
};

} // namespace orrery
