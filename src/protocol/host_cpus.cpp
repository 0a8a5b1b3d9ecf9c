#include "protocol/host_cpus.h"

#include <algorithm>
#include <cmath>

namespace orrery {

namespace {

constexpr auto ends_later = [](const auto& a, const auto& b) {
    return a.ends != b.ends ? a.ends > b.ends : a.number > b.number;
};

} // namespace

HostCpus::HostCpus(const Platform& platform, std::span<const HostId> hosts, Clock& clock)
    : clock_(clock), crowd_of_(platform.host_count()) {
    std::vector<std::uint32_t> ranks(platform.host_count());
    for (const HostId host : hosts) {
        if (++ranks[host.index()] <= platform.host(host).cores || crowd_of_[host.index()] != 0) continue;
        crowds_.emplace_back();
        crowds_.back().cores = platform.host(host).cores;
        crowd_of_[host.index()] = static_cast<std::uint32_t>(crowds_.size());
    }
}

void HostCpus::compute(std::uint32_t fiber, HostId host, Time busy) {
    const std::uint32_t index = crowd_of_[host.index()];
    if (index == 0) return clock_.at(clock_.now() + busy, Clock::Kind::resume, fiber);
    Crowd& crowd = crowds_[index - 1];
    update(crowd);
    crowd.tasks.push_back(
        {crowd.progress + static_cast<double>(busy.ticks()), number_++, fiber, clock_.now() + busy});
    std::push_heap(crowd.tasks.begin(), crowd.tasks.end(), ends_later);
    if (crowd.wake == clock_.now()) return; // others end at this instant: advance() is about to be called
    schedule(host.value, crowd);
}

void HostCpus::advance(std::uint32_t host) {
    Crowd& crowd = crowds_[crowd_of_[host] - 1];
    if (crowd.wake != clock_.now()) return; // outdated: another arrival or departure came between
    update(crowd);
    // Rounding: what ends within half a tick ends now.
    while (!crowd.tasks.empty() && crowd.tasks.front().ends <= crowd.progress + 0.5) {
        waited_seconds_ += (clock_.now() - crowd.tasks.front().alone).seconds();
        ended_.push_back(crowd.tasks.front().fiber);
        std::pop_heap(crowd.tasks.begin(), crowd.tasks.end(), ends_later);
        crowd.tasks.pop_back();
    }
    schedule(host, crowd);
}

void HostCpus::update(Crowd& crowd) const {
    const auto running = static_cast<double>(crowd.tasks.size());
    const double rate = running > crowd.cores ? crowd.cores / running : 1.0;
    crowd.progress += static_cast<double>((clock_.now() - crowd.updated).ticks()) * rate;
    crowd.updated = clock_.now();
    if (crowd.tasks.empty()) crowd.progress = 0; // keeps the numbers small, so that nothing is lost in rounding
}

void HostCpus::schedule(std::uint32_t host, Crowd& crowd) {
    if (crowd.tasks.empty()) {
        crowd.wake = Time::max();
        return;
    }
    const auto running = static_cast<double>(crowd.tasks.size());
    const double rate = running > crowd.cores ? crowd.cores / running : 1.0;
    const double left = std::max(0.0, crowd.tasks.front().ends - crowd.progress);
    crowd.wake = clock_.now() + Time::from_ticks(left / rate, "a computation on a shared core");
    clock_.at(crowd.wake, Clock::Kind::cpu, host);
}

} // namespace orrery
