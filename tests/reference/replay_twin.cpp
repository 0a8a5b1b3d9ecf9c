// ReplayTwin, part 1 of 6: what happens when.
#include "reference/replay_twin.h"

#include <algorithm>

namespace orrery::reference {

ReplayTwin::ReplayTwin(ActionSource& actions, const Platform& platform, const std::vector<HostId>& hosts,
                       const Delays& delays, const ReplayOptions& options)
    : actions_(actions), platform_(platform), hosts_(hosts), delays_(delays), options_(options),
      cpus_(hosts.size(), std::vector<RankCpuState>(2)), ranks_(hosts.size()) {
    std::vector<std::uint32_t> world_members;
    std::vector<std::uint32_t> ranks_on(platform.host_count());
    for (std::uint32_t rank = 0; rank < hosts.size(); ++rank) {
        world_members.push_back(rank);
        ++ranks_on[hosts[rank].index()];
    }
    for (std::uint32_t host = 0; host < platform.host_count(); ++host) {
        const bool crowded = ranks_on[host] > platform.host(HostId{host}).cores;
        shared_hosts_.push_back(crowded ? std::make_unique<SharedHost>() : nullptr);
        if (crowded) shared_hosts_.back()->cores = platform.host(HostId{host}).cores;
    }
    const std::uint32_t index = add_communicator(std::move(world_members));
    for (std::uint32_t rank = 0; rank < hosts.size(); ++rank) join(rank, world, index);
}

ReferenceReplay ReplayTwin::run() {
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) add_fiber(rank, 0);
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
        Fiber& fiber = *fibers_[rank];
        fiber.program = run_rank(fiber);
        fiber.goes_on = fiber.program.begin();
        const Time late = options_.skew.of(RankId{rank});
        ranks_[rank].calls[CallKind::other] = ranks_[rank].accounted = late;
        go_on_at(fiber, late);
    }
    for (;;) {
        if (happens_now() || cpus_begin() || messages_leave() || land()) continue;
        Time next = Time::max();
        for (const TimedEvent& event : events_) next = std::min(next, event.time);
        for (const MessageFlight& flight : flights_) next = std::min(next, flight.arrives);
        if (next != Time::max()) {
            now_ = next;
        } else if (!forgotten_receive()) {
            break;
        }
    }
    result_.stuck = !unexpected_.empty();
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
        if (fibers_[rank]->state != Fiber::State::over) result_.stuck = true;
        result_.finish.push_back(ranks_[rank].finish);
        result_.calls.push_back(ranks_[rank].calls);
    }
    return std::move(result_);
}

void ReplayTwin::at(Time time, std::function<void()> happens) {
    const auto later_ones = [&](const TimedEvent& event) { return event.time > time; };
    events_.insert(std::find_if(events_.begin(), events_.end(), later_ones), {time, std::move(happens)});
}

void ReplayTwin::go_on_at(Fiber& fiber, Time time) {
    if (time <= now_) {
        ready_.push_back(&fiber);
    } else {
        at(time, [this, &fiber] { go_on(fiber); });
    }
}

// One thing: first what fibers do, then events.
bool ReplayTwin::happens_now() {
    if (!ready_.empty()) {
        Fiber& fiber = *ready_.front();
        ready_.erase(ready_.begin());
        go_on(fiber);
        return true;
    }
    if (events_.empty() || events_.front().time > now_) return false;
    const std::function<void()> happens = std::move(events_.front().happens);
    events_.erase(events_.begin());
    happens();
    return true;
}

Fiber& ReplayTwin::add_fiber(std::uint32_t rank, std::uint32_t cpu) {
    Fiber& fiber = *fibers_.emplace_back(std::make_unique<Fiber>());
    fiber.rank = rank;
    fiber.cpu = cpu;
    fiber.number = static_cast<std::uint32_t>(fibers_.size());
    fiber.ready_since = now_;
    return fiber;
}

void ReplayTwin::go_on(Fiber& fiber) {
    fiber.goes_on.resume();
    fiber.program.rethrow();
}

Routine ReplayTwin::sleep_until(Fiber& fiber, Time time) {
    if (time <= now_) co_return;
    at(time, [this, &fiber] { go_on(fiber); });
    co_await FiberPause{fiber};
}

// Until let_go_on: meanwhile the rank's CPU takes messages.
Routine ReplayTwin::be_in_call(Fiber& fiber) {
    fiber.state = Fiber::State::in_call;
    ++fiber.calls;
    co_await FiberPause{fiber};
}

// Of who is in a call that waits. The message that its CPU takes at present is taken to its end.
void ReplayTwin::let_go_on(Fiber& fiber) {
    if (fiber.state != Fiber::State::in_call) return;
    fiber.state = Fiber::State::going;
    const bool own_cpu = fiber.cpu == 0 || !by_cpu();
    Time time = own_cpu ? later(now_, taking_until(fiber.rank)) : now_;
    if (!by_cpu() && !fiber.awaited.empty()) time = later(time, fiber.paid_until);
    go_on_at(fiber, time);
}

ReferenceReplay reference_replay(ActionSource& actions, const Platform& platform,
                                 const std::vector<HostId>& hosts, const Delays& delays,
                                 const ReplayOptions& options) {
    return ReplayTwin(actions, platform, hosts, delays, options).run();
}

} // namespace orrery::reference
