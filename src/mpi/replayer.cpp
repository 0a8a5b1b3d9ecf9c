// Replayer, part 1 of 4: the loop and waiting.
#include "mpi/replayer.h"

#include "engine/error.h"
#include "observe/calls.h"

#include <algorithm>
#include <chrono>
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
    : jobs_(std::move(jobs)), platform_(platform), network_(network), options_(options),
      hosts_(all_hosts(jobs_)), cpus_(platform, hosts_, clock_),
      messenger_(options.endpoint, network, clock_, hosts_, options.observer), ranks_(hosts_.size()),
      probers_(hosts_.size(), nobody) {
    messenger_.let_driver_fetch();
    std::uint32_t first = 0;
    for (std::uint32_t job = 0; job < jobs_.size(); ++job) {
        const std::uint32_t count = jobs_[job].actions->ranks();
        if (jobs_[job].hosts.size() != count)
            throw InputError("a replay needs a host for each rank"); // the mapping sees to it
        first_rank_.push_back(first);
        const std::uint32_t index = communicators_.add_world(first, count);
        for (std::uint32_t rank = 0; rank < count; ++rank) {
            RankReplay& each = ranks_[first + rank];
            each.job = job;
            each.communicators.join(world, index, rank);
            const Time late = options.skew.of(RankId{first + rank});
            each.accounted = jobs_[job].start + late;
            each.times[CallKind::other] = late;
            Strand& strand = strands_.emplace_back();
            strand.index = strand.rank = first + rank;
        }
        first += count;
    }
    unfinished_ = first;
}

ReplayPrediction Replayer::run() {
    const auto begin = std::chrono::steady_clock::now();
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
        const Time start = ranks_[rank].accounted;
        if (start == Time::zero()) {
            clock_.go_on(rank);
        } else {
            clock_.at(start, Clock::Kind::resume, rank);
        }
    }
    for (;;) {
        std::uint32_t strand = 0;
        while (clock_.take_ready(strand)) go(strand);
        const Time event = clock_.next_event();
        const Time network = network_.next_until(event);
        if (event == Time::max() && network == Time::max()) {
            if (!messenger_.settle_forgotten()) break;
            drain();
            continue;
        }
        if (event <= network) {
            const Event due = clock_.pop();
            switch (Clock::kind_of(due)) {
            case Clock::Kind::resume: go(due.ref); break;
            case Clock::Kind::start_transfer: messenger_.start_transfer(due.ref); break;
            case Clock::Kind::cpu: cpus_.advance(due.ref); break;
            case Clock::Kind::fetched: end_fetch(due.ref); break;
            }
        } else {
            clock_.move_to(network);
            arrived_.clear();
            network_.advance(network, arrived_);
            messenger_.arrive(arrived_);
            drain();
        }
    }
    if (unfinished_ > 0 || !messenger_.all_received()) explain_deadlock();
    ReplayPrediction result = prediction();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    result.base.simulation_seconds = elapsed.count();
    return result;
}

// Performs what the strand has to do until it must wait.
void Replayer::go(std::uint32_t index) {
    Strand& strand = strands_[index];
    strand.mode = Strand::Mode::going;
    RankReplay& rank = ranks_[strand.rank];
    for (;;) {
        if (strand.run != nobody) {
            if (advance_collective(strand) == Outcome::blocked) return;
            continue;
        }
        if (index >= ranks_.size()) return end_strand(strand);
        if (rank.at == rank.end && !fetch(strand.rank)) return;
        if (strand.phase == 0) rank.began = clock_.now();
        switch (perform(strand, *rank.at)) {
        case Outcome::blocked: return;
        case Outcome::again: break;
        case Outcome::done: finish_action(strand.rank); break;
        }
    }
}

// The next window of the rank's trace; at its end the rank is finished.
bool Replayer::fetch(std::uint32_t index) {
    RankReplay& rank = ranks_[index];
    if (rank.finished) return false;
    const std::span<const Action> window = jobs_[rank.job].actions->next(RankId{index - first_rank_[rank.job]});
    rank.at = window.data();
    rank.end = window.data() + window.size();
    if (!window.empty()) return true;
    rank.finished = true;
    rank.finish = clock_.now();
    strands_[index].mode = Strand::Mode::over;
    start_fetch(index);
    --unfinished_;
    // Requests that were never waited for: MPI_Finalize completes them.
    for (RequestId& id : rank.requests) {
        if (id != no_request && messenger_.request(id).kind == Request::Kind::send) messenger_.release(id);
        id = no_request;
    }
    return false;
}

void Replayer::account(RankReplay& rank, CallKind kind) {
    rank.times[kind] += clock_.now() - rank.accounted;
    rank.accounted = clock_.now();
}

void Replayer::finish_action(std::uint32_t index) {
    RankReplay& rank = ranks_[index];
    strands_[index].phase = 0;
    if (rank.accounted != clock_.now()) account(rank, call_kind(*rank.at));
    if (options_.observer != nullptr) {
        if (rank.began != clock_.now()) {
            options_.observer->performed(index, *rank.at, rank.began, clock_.now());
        } else {
            options_.observer->passed(index, *rank.at, clock_.now());
        }
    }
    ++rank.at;
    ++actions_;
    if ((actions_ & 0xFFFF) == 0 && options_.progress) options_.progress(actions_, clock_.now());
}

void Replayer::drain() {
    std::vector<RequestId>& completed = messenger_.completed();
    for (std::size_t i = 0; i < completed.size(); ++i) on_complete(completed[i]);
    completed.clear();
    for (const RequestId send : messenger_.to_fetch()) {
        const std::uint32_t rank = messenger_.request(send).peer;
        ranks_[rank].to_fetch.push_back(send);
        if (in_call(rank)) start_fetch(rank);
    }
    messenger_.to_fetch().clear();
}

bool Replayer::in_call(std::uint32_t rank) const { return strands_[rank].mode != Strand::Mode::going; }

void Replayer::start_fetch(std::uint32_t index) {
    RankReplay& rank = ranks_[index];
    if (rank.fetching || rank.to_fetch.empty()) return;
    const RequestId send = rank.to_fetch.front();
    rank.to_fetch.erase(rank.to_fetch.begin()); // few
    rank.fetching = true;
    const Strand& strand = strands_[index];
    const Time begin =
        strand.mode == Strand::Mode::waiting ? later(clock_.now(), strand.busy_until) : clock_.now();
    rank.fetched_until = begin + options_.endpoint.recv_cost(messenger_.request(send).bytes);
    clock_.at(rank.fetched_until, Clock::Kind::fetched, send);
}

void Replayer::end_fetch(RequestId send) {
    const std::uint32_t rank = messenger_.request(send).peer;
    ranks_[rank].fetching = false;
    messenger_.fetched(send);
    drain();
    if (in_call(rank)) start_fetch(rank); // its call waits for something else too
}

// A request that a strand waits for has completed.
void Replayer::on_complete(RequestId id) {
    Request& request = messenger_.request(id);
    Strand& strand = strands_[request.waiter];
    if (strand.mode == Strand::Mode::choosing) return resume(strand); // it finds out which one itself
    if (strand.mode != Strand::Mode::waiting) return; // another one let it go on at this same instant
    Time begin = clock_.now();
    const RankReplay& rank = ranks_[strand.rank];
    if (request.is(Request::fetch) && request.kind == Request::Kind::send) {
        // The sender was told a little before, but may have been fetching something itself.
        begin = later(begin - options_.endpoint.fetch_tail, rank.fetched_until);
    } else if (rank.fetching) {
        begin = rank.fetched_until;
    }
    strand.busy_until = later(strand.busy_until, begin) + messenger_.completion_cost(request);
    messenger_.release(id);
    if (--strand.outstanding == 0) resume(strand);
}

void Replayer::resume(Strand& strand) {
    if (strand.mode == Strand::Mode::going) return; // somebody else resumed it at this instant
    Time at = strand.mode == Strand::Mode::waiting ? strand.busy_until : clock_.now();
    if (ranks_[strand.rank].fetching)
        at = later(at, ranks_[strand.rank].fetched_until); // nothing interrupts it
    strand.mode = Strand::Mode::going;
    if (at <= clock_.now()) {
        clock_.go_on(strand.index);
    } else {
        clock_.at(at, Clock::Kind::resume, strand.index);
    }
}

void Replayer::begin_wait(Strand& strand) {
    strand.outstanding = 0;
    strand.busy_until = clock_.now();
}

void Replayer::add_wait(Strand& strand, RequestId id) {
    Request& request = messenger_.request(id);
    if (request.is(Request::complete)) {
        strand.busy_until += messenger_.completion_cost(request);
        messenger_.release(id);
    } else {
        request.waiter = strand.index;
        ++strand.outstanding;
    }
}

Replayer::Outcome Replayer::end_wait(Strand& strand) {
    if (strand.outstanding == 0) return sleep_until(strand, strand.busy_until);
    strand.mode = Strand::Mode::waiting;
    if (in_call(strand.rank)) start_fetch(strand.rank);
    return Outcome::blocked;
}

Replayer::Outcome Replayer::sleep_until(Strand& strand, Time time) {
    if (time <= clock_.now()) return Outcome::done;
    clock_.at(time, Clock::Kind::resume, strand.index);
    return Outcome::blocked;
}

ReplayPrediction Replayer::prediction() {
    ReplayPrediction result;
    Prediction& base = result.base;
    base.ranks.resize(ranks_.size());
    result.calls.resize(ranks_.size());
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
        const RankReplay& each = ranks_[rank];
        base.ranks[rank].finish = each.finish;
        base.ranks[rank].compute = each.times[CallKind::compute];
        result.calls[rank] = each.times;
        if (each.finish > base.time) {
            base.time = each.finish;
            base.critical_rank = rank;
        }
    }
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
        JobTimes times{
            first_rank_[job], static_cast<std::uint32_t>(jobs_[job].hosts.size()), jobs_[job].start, {}};
        for (std::uint32_t rank = 0; rank < times.ranks; ++rank)
            times.finish = later(times.finish, ranks_[times.first_rank + rank].finish);
        result.jobs.push_back(times);
    }
    base.operations = actions_;
    base.messages = messenger_.statistics().messages;
    base.bytes = messenger_.statistics().bytes;
    base.events = actions_ + base.messages;
    result.point_to_point = messenger_.statistics().point_to_point;
    result.point_to_point_bytes = messenger_.statistics().point_to_point_bytes;
    result.by_size = messenger_.statistics().by_size;
    if (messenger_.statistics().truncated > 0) {
        result.notes.push_back(std::to_string(messenger_.statistics().truncated) +
                               " receives name a smaller size than the message that they got");
    }
    return result;
}

ReplayPrediction replay(std::vector<ReplayJob> jobs, const Platform& platform, Network& network,
                        const ReplayOptions& options) {
    return Replayer(std::move(jobs), platform, network, options).run();
}

} // namespace orrery
