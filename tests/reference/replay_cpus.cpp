// ReplayTwin, part 2 of 6: who has a CPU.
//
// Computations and overheads occupy the rank's CPU, one after the other, and are not interrupted. While a rank
// has nothing else to do, its CPU takes messages: those that have arrived and have a receive, in the order in
// which they got both. Nonblocking collectives have a second CPU, where they take turns.
#include "reference/replay_twin.h"

#include <algorithm>
#include <tuple>

namespace orrery::reference {

// Of the last piece that begins below that size; the first holds below its own threshold, too.
Time ReplayTwin::cost(const Piecewise& table, Bytes bytes) {
    if (table.pieces().empty()) return Time::zero();
    Piecewise::Piece holds = table.pieces().front();
    for (const Piecewise::Piece& each : table.pieces()) {
        if (each.above < bytes) holds = each;
    }
    return Time::from_ps(holds.base + holds.per_byte * static_cast<double>(bytes));
}

Time ReplayTwin::with_noise(const Fiber& fiber, Time busy) {
    if (options_.noise == nullptr) return busy;
    return busy + options_.noise->delay(RankId{fiber.rank}, by_cpu() ? fiber.cpu : 0, now_, busy);
}

Time ReplayTwin::taking_until(std::uint32_t rank) const {
    const RankCpuState& cpu = cpus_[rank][0];
    return cpu.taking ? cpu.taking_until : now_;
}

// An operation of a nonblocking collective is about to start: it may have to wait for its turn.
Routine ReplayTwin::begin(Fiber& fiber, bool takes_time) {
    if (fiber.cpu == 0 || !by_cpu()) co_return;
    RankCpuState& cpu = cpu_of(fiber);
    const bool others_first = std::any_of(cpu.operations.begin(), cpu.operations.end(),
                                          [&](const CpuOperation& other) { return other.since < now_; });
    const bool free = !cpu.occupied && !cpu.taking && !others_first;
    if (takes_time || fiber.ready_since < now_ || !free) {
        cpu.operations.push_back({fiber.ready_since, takes_time, &fiber});
        co_await FiberPause{fiber};
    }
    fiber.ready_since = now_;
}

Routine ReplayTwin::work(Fiber& fiber, Time busy) {
    if (busy == Time::zero()) co_return;
    if (by_cpu()) busy = with_noise(fiber, busy);
    co_await sleep_until(fiber, now_ + busy);
    if (fiber.cpu != 0) cpu_of(fiber).occupied = false;
}

Routine ReplayTwin::compute(Fiber& fiber, Time busy) {
    co_await begin(fiber, busy > Time::zero());
    if (busy == Time::zero()) co_return;
    busy = with_noise(fiber, busy);
    SharedHost* const host = shared_hosts_[hosts_[fiber.rank].index()].get();
    if (host == nullptr) {
        co_await sleep_until(fiber, now_ + busy);
    } else {
        read_clock(*host);
        host->computations.push_back({host->clock + static_cast<double>(busy.ticks()), &fiber});
        plan_next_end(*host);
        co_await FiberPause{fiber};
    }
    if (fiber.cpu != 0) cpu_of(fiber).occupied = false;
    fiber.ready_since = now_;
}

namespace {

// Each of n computations on c cores gets c/n of a core, at most one.
double speed_of(std::size_t computations, std::uint32_t cores) {
    return computations > cores ? static_cast<double>(cores) / static_cast<double>(computations) : 1;
}

} // namespace

void ReplayTwin::read_clock(SharedHost& host) {
    const double speed = speed_of(host.computations.size(), host.cores);
    host.clock += static_cast<double>((now_ - host.read).ticks()) * speed;
    host.read = now_;
    if (host.computations.empty()) host.clock = 0;
}

void ReplayTwin::plan_next_end(SharedHost& host) {
    if (host.next_end == now_) return; // some end at this instant; then the next end is planned
    if (host.computations.empty()) {
        host.next_end = Time::max();
        return;
    }
    double first = host.computations.front().ends;
    for (const SharedHost::Computation& each : host.computations) first = std::min(first, each.ends);
    const double left = std::max(0.0, first - host.clock);
    host.next_end = now_ + Time::from_ticks(left / speed_of(host.computations.size(), host.cores));
    at(host.next_end, [this, &host] { end_computations(host); });
}

// Those that end within half a tick end now.
void ReplayTwin::end_computations(SharedHost& host) {
    if (host.next_end != now_) return; // another one has begun or ended since this was planned
    read_clock(host);
    std::vector<SharedHost::Computation> ended;
    std::vector<SharedHost::Computation> left;
    for (const SharedHost::Computation& each : host.computations)
        (each.ends <= host.clock + 0.5 ? ended : left).push_back(each);
    std::stable_sort(ended.begin(), ended.end(), [](const auto& a, const auto& b) { return a.ends < b.ends; });
    host.computations = left;
    host.next_end = Time::max();
    plan_next_end(host);
    for (const SharedHost::Computation& each : ended) ready_.push_back(each.fiber);
}

// When all else of the instant has happened. Whether any did.
bool ReplayTwin::cpus_begin() {
    bool any = false;
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
        for (std::uint32_t number = 0; number < 2; ++number) {
            RankCpuState& cpu = cpus_[rank][number];
            if (cpu.occupied || cpu.taking) continue;
            if (!cpu.operations.empty()) {
                const auto place = [](const CpuOperation& each) {
                    return std::tuple(each.since, each.takes_time, each.fiber->number);
                };
                const auto first = std::min_element(
                    cpu.operations.begin(), cpu.operations.end(),
                    [&](const CpuOperation& a, const CpuOperation& b) { return place(a) < place(b); });
                cpu.occupied = first->takes_time;
                ready_.push_back(first->fiber);
                cpu.operations.erase(first);
                any = true;
            } else if (!cpu.messages.empty() && (number == 1 || fibers_[rank]->state != Fiber::State::going)) {
                take_next(rank, number);
                any = true;
            }
        }
    }
    return any;
}

void ReplayTwin::to_be_taken(PostedRequest& request) {
    cpus_[request.rank][by_cpu() ? request.cpu : 0].messages.push_back({now_, &request});
}

void ReplayTwin::take_next(std::uint32_t rank, std::uint32_t number) {
    RankCpuState& cpu = cpus_[rank][number];
    const auto first = std::min_element(
        cpu.messages.begin(), cpu.messages.end(), [](const CpuMessage& a, const CpuMessage& b) {
            return std::tie(a.since, a.request->order) < std::tie(b.since, b.request->order);
        });
    PostedRequest& request = *first->request;
    cpu.messages.erase(first);
    Time busy = taking_cost(request);
    Time begin = now_;
    if (by_cpu()) {
        if (options_.noise != nullptr) busy += options_.noise->delay(RankId{rank}, number, now_, busy);
    } else if (!fibers_[rank]->awaited.empty() && !fibers_[rank]->one_is_enough) {
        begin = later(now_, fibers_[rank]->paid_until);
    }
    cpu.taking = true;
    cpu.taking_until = begin + busy;
    if (request.kind == PostedRequest::Kind::receive && request.fetched) {
        at(later(now_, cpu.taking_until - options_.endpoint.fetch_tail),
           [this, &request] { told(*request.partner); });
    }
    at(cpu.taking_until, [this, &cpu, &request] {
        cpu.taking = false;
        taken(request);
    });
}

// A test or probe: it takes one message, and costs something itself.
Routine ReplayTwin::look(Fiber& fiber) {
    const std::int64_t times = options_.endpoint.test_grows ? std::int64_t{failed_looks_} + 1 : 1;
    const Time end = now_ + times * options_.endpoint.test;
    const RankCpuState& cpu = cpus_[fiber.rank][0];
    if (!cpu.taking && !cpu.messages.empty()) take_next(fiber.rank, 0);
    co_await sleep_until(fiber, later(end, taking_until(fiber.rank)));
}

} // namespace orrery::reference
