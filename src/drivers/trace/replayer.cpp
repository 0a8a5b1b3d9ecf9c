// Replayer, part 1 of 4: windows of the traces, what is told about actions.
#include "drivers/trace/replayer.h"

#include "engine/error.h"

#include <chrono>
#include <fmt/format.h>
#include <utility>

namespace orrery {

namespace {

std::vector<HostId> all_hosts(const std::vector<ReplayJob>& jobs) {
    std::vector<HostId> hosts;
    for (const ReplayJob& job : jobs) hosts.insert(hosts.end(), job.hosts.begin(), job.hosts.end());
    return hosts;
}

} // namespace

Replayer::Replayer(std::vector<ReplayJob> jobs, const Platform& platform, Network& network,
                   const ReplayOptions& options)
    : RankEngine(platform, network, options, all_hosts(jobs), nullptr, receiving_of(options.endpoint)),
      jobs_(std::move(jobs)), traces_(hosts_.size()) {
    std::uint32_t first = 0;
    for (std::uint32_t job = 0; job < jobs_.size(); ++job) {
        const std::uint32_t count = jobs_[job].actions->ranks();
        if (jobs_[job].hosts.size() != count)
            throw InputError("a replay needs a host for each rank"); // the mapping sees to it
        first_rank_.push_back(first);
        const std::uint32_t index = communicators_.add_world(first, count);
        for (std::uint32_t rank = 0; rank < count; ++rank) {
            traces_[first + rank].job = job;
            traces_[first + rank].communicators.join(world, index, rank);
        }
        first += count;
    }
}

ReplayPrediction Replayer::run() {
    const auto begin = std::chrono::steady_clock::now();
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
        const Time late = options_.skew.of(RankId{rank});
        ranks_[rank].times[CallKind::other] = late;
        start(rank, jobs_[traces_[rank].job].start + late);
    }
    run_to_end();
    ReplayPrediction result = prediction();
    result.profile = profile_of(counts_, result.collectives);
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
        JobTimes times{
            first_rank_[job], static_cast<std::uint32_t>(jobs_[job].hosts.size()), jobs_[job].start, {}};
        for (std::uint32_t rank = 0; rank < times.ranks; ++rank)
            times.finish = later(times.finish, ranks_[times.first_rank + rank].finish);
        result.jobs.push_back(times);
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    result.base.simulation_seconds = elapsed.count();
    return result;
}

// Performs actions until one has to wait.
void Replayer::go_on(Fiber& fiber) {
    TraceRank& trace = traces_[fiber.rank];
    for (;;) {
        if (fiber.run != nobody) {
            if (advance_collective(fiber) == Outcome::blocked) return;
            continue;
        }
        if (trace.at == trace.end && !fetch(fiber.rank)) return;
        if (fiber.phase == 0) ranks_[fiber.rank].began = clock_.now();
        switch (perform(fiber, *trace.at)) {
        case Outcome::blocked: return;
        case Outcome::again: break;
        case Outcome::done: finish_action(fiber.rank); break;
        }
    }
}

// The next window of the rank's trace; at its end the rank is finished.
bool Replayer::fetch(std::uint32_t index) {
    if (ranks_[index].finished) return false;
    TraceRank& trace = traces_[index];
    const std::span<const Action> window =
        jobs_[trace.job].actions->next(RankId{index - first_rank_[trace.job]});
    trace.at = window.data();
    trace.end = window.data() + window.size();
    if (!window.empty()) return true;
    finish_rank(index);
    // Requests that were never waited for: MPI_Finalize completes them.
    for (RequestId& id : trace.requests) {
        if (id != no_request && messenger_.request(id).kind == Request::Kind::send) messenger_.release(id);
        id = no_request;
    }
    return false;
}

void Replayer::finish_action(std::uint32_t index) {
    TraceRank& trace = traces_[index];
    const RankProgress& rank = ranks_[index];
    fibers_[index].phase = 0;
    const std::size_t number = call_number(*trace.at);
    CallCount& count = counts_[number];
    ++count.calls;
    count.bytes += sent_bytes(*trace.at);
    if (rank.accounted != clock_.now()) account_call(index, number);
    if (options_.observer != nullptr) {
        if (rank.began != clock_.now()) {
            options_.observer->performed({index}, *trace.at, rank.began, clock_.now());
        } else {
            options_.observer->passed({index}, *trace.at, clock_.now());
        }
    }
    ++trace.at;
    ++actions_;
    if ((actions_ & 0xFFFF) == 0 && options_.progress) options_.progress(actions_, clock_.now());
}

void Replayer::account_call(std::uint32_t index, std::size_t number) {
    const Time time = clock_.now() - ranks_[index].accounted;
    counts_[number].ticks += static_cast<double>(time.ticks());
    account(index, call_kind(number));
}

std::string Replayer::place(std::uint32_t rank, std::uint64_t line) const {
    const std::uint32_t job = traces_[rank].job;
    const std::string file = jobs_[job].actions->file(RankId{rank - first_rank_[job]});
    return line == 0 ? file : fmt::format("{}:{}", file, line);
}

std::string Replayer::present_call(std::uint32_t rank) const {
    const Action& action = *traces_[rank].at;
    return fmt::format("{} at {}", call_name(call_number(action)), place(rank, action.line));
}

ReplayPrediction replay(std::vector<ReplayJob> jobs, const Platform& platform, Network& network,
                        const ReplayOptions& options) {
    return Replayer(std::move(jobs), platform, network, options).run();
}

} // namespace orrery
