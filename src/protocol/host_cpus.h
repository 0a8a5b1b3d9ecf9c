// Computation on hosts whose cores are shared.
//
// A host with c cores of equal speed runs n computations at once, each on one core at most, all equally fast:
// each gets min(1, c/n) of a core. Progress is counted in a virtual time per host that runs at that rate, so
// that an arrival or departure costs O(log n) whatever n is. Hosts that can never be crowded (no more ranks
// than cores) cost one event per computation.
#pragma once

#include "machine/platform.h"
#include "protocol/clock.h"

#include <cstdint>
#include <span>
#include <vector>

namespace orrery {

class HostCpus {
  public:
    // `hosts`: where each rank runs.
    HostCpus(const Platform& platform, std::span<const HostId> hosts, Clock& clock);

    // The fiber goes on when `busy` of one core's time is done.
    void compute(std::uint32_t fiber, HostId host, Time busy);
    // An event of Clock::Kind::cpu is due.
    void advance(std::uint32_t host);
    // Fibers whose computation has ended by it.
    std::vector<std::uint32_t>& ended() { return ended_; }
    // Its ranks may have to share its cores.
    [[nodiscard]] bool crowded(HostId host) const { return crowd_of_[host.index()] != 0; }
    // What computations have lasted longer than alone on a core, all together.
    [[nodiscard]] double waited_seconds() const { return waited_seconds_; }

  private:
    struct Task {
        double ends; // virtual time, ticks
        std::uint64_t number;
        std::uint32_t fiber;
        Time alone; // when it would have ended alone on a core
    };
    struct Crowd { // a host with more ranks than cores
        double cores = 1;
        double progress = 0; // virtual time, ticks
        Time updated;
        Time wake = Time::max(); // of the event in the queue; others are outdated
        std::vector<Task> tasks; // heap, the first to end on top
    };
    void update(Crowd& crowd) const;
    void schedule(std::uint32_t host, Crowd& crowd);

    Clock& clock_;
    std::vector<std::uint32_t> crowd_of_; // per host: 1 + index, 0 if never crowded
    std::vector<Crowd> crowds_;
    std::uint64_t number_ = 0;
    std::vector<std::uint32_t> ended_;
    double waited_seconds_ = 0;
};

} // namespace orrery
