#include "formats/allprof/logical_run.h"

#include "workload/op.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <queue>
#include <utility>

namespace orrery::allprof {

namespace {

using Moment = std::uint64_t; // picoseconds

struct Message {
    std::uint32_t source, comm, tag;
};
struct PostedReceive {
    std::uint32_t record, source, comm, tag; // source and tag may be wildcards
};

bool matches(const PostedReceive& receive, const Message& message) {
    return receive.comm == message.comm && (receive.source == any_source || receive.source == message.source) &&
           (receive.tag == any_tag || receive.tag == message.tag);
}

struct RankRun {
    std::size_t next = 0;
    Moment clock = 0;
    std::vector<char> done;              // per record
    std::vector<std::uint32_t> at_slot;  // the record that a slot holds
    std::vector<std::uint32_t> awaiting; // records that must be done before the rank goes on
    std::deque<Message> unexpected;
    std::deque<PostedReceive> posted;
};

// A collective under way.
struct Gathering {
    std::vector<char> arrived; // per member
    std::uint32_t count = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> waiting; // (member, record)
};

class LogicalRun {
  public:
    LogicalRun(const std::vector<RankRecords>& ranks, const Communicators& communicators)
        : ranks_(ranks), communicators_(communicators), runs_(ranks.size()), envelopes_(ranks.size()) {
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            runs_[rank].done.assign(ranks[rank].records.size(), 0);
            runs_[rank].at_slot.assign(ranks[rank].slots, no_slot);
            envelopes_[rank].resize(ranks[rank].records.size());
        }
    }

    // The rank whose next call comes first goes first, so messages arrive in the order of their times.
    std::vector<std::vector<Envelope>> run() {
        for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) schedule(rank);
        while (!runnable_.empty()) {
            const auto [time, rank] = runnable_.top();
            runnable_.pop();
            runs_[rank].clock = time;
            call(rank);
        }
        return std::move(envelopes_);
    }

  private:
    // The rank can go on: its next call starts after the computing time before it.
    void schedule(std::uint32_t rank) {
        RankRun& run = runs_[rank];
        const std::vector<Record>& records = ranks_[rank].records;
        if (run.next == records.size()) return;
        std::size_t last = run.next;
        while (records[last].has(record_flag::joined) && last + 1 < records.size()) ++last;
        runnable_.emplace(run.clock + records[last].gap, rank);
    }

    void call(std::uint32_t rank) {
        RankRun& run = runs_[rank];
        const std::vector<Record>& records = ranks_[rank].records;
        for (bool joined = true; joined && run.next < records.size();) {
            const auto index = static_cast<std::uint32_t>(run.next++);
            const Record& record = records[index];
            joined = record.has(record_flag::joined);
            if (record.has(record_flag::dropped)) {
                run.done[index] = 1;
                continue;
            }
            execute(rank, index, record);
            const bool blocks = record.kind != RecordKind::wait && !record.has(record_flag::nonblocking);
            if (blocks && run.done[index] == 0) run.awaiting.push_back(index);
        }
        if (run.awaiting.empty()) schedule(rank);
    }

    void execute(std::uint32_t rank, std::uint32_t index, const Record& record) {
        RankRun& run = runs_[rank];
        const bool has_slot = record.kind != RecordKind::wait && record.slot != no_slot;
        if (has_slot) run.at_slot[record.slot] = index;
        switch (record.kind) {
        case RecordKind::send:
            run.done[index] = 1;
            deliver(record.peer, {rank, ranks_[rank].comms[record.comm].id, record.tag}, run.clock);
            break;
        case RecordKind::recv:
            receive(rank, {index, record.peer, ranks_[rank].comms[record.comm].id, record.tag});
            break;
        case RecordKind::wait:
            run.done[index] = 1;
            for (std::uint32_t i = 0; i < record.peer; ++i) {
                const std::uint32_t awaited = run.at_slot[ranks_[rank].waits[record.slot + i]];
                if (awaited != no_slot && run.done[awaited] == 0) run.awaiting.push_back(awaited);
            }
            break;
        case RecordKind::collective: arrive(rank, index, record); break;
        case RecordKind::finish: run.done[index] = 1; break;
        }
    }

    void deliver(std::uint32_t to, const Message& message, Moment now) {
        std::deque<PostedReceive>& posted = runs_[to].posted;
        const auto found = std::find_if(posted.begin(), posted.end(), [&](const PostedReceive& receive) {
            return matches(receive, message);
        });
        if (found == posted.end()) {
            runs_[to].unexpected.push_back(message);
            return;
        }
        const std::uint32_t record = found->record;
        envelopes_[to][record] = {true, message.source, message.tag};
        posted.erase(found);
        complete(to, record, now);
    }

    void receive(std::uint32_t rank, const PostedReceive& receive) {
        std::deque<Message>& unexpected = runs_[rank].unexpected;
        const auto found = std::find_if(unexpected.begin(), unexpected.end(),
                                        [&](const Message& message) { return matches(receive, message); });
        if (found == unexpected.end()) {
            runs_[rank].posted.push_back(receive);
            return;
        }
        envelopes_[rank][receive.record] = {true, found->source, found->tag};
        unexpected.erase(found);
        runs_[rank].done[receive.record] = 1;
    }

    // Something that a rank may be waiting for is done.
    void complete(std::uint32_t rank, std::uint32_t record, Moment now) {
        RankRun& run = runs_[rank];
        run.done[record] = 1;
        if (std::erase(run.awaiting, record) == 0 || !run.awaiting.empty()) return;
        run.clock = std::max(run.clock, now);
        schedule(rank);
    }

    // Whether a member may leave: when those are there whose data it needs.
    static bool may_leave(const Gathering& gathering, const Record& record, std::uint32_t member) {
        switch (record.collective) {
        case Collective::bcast:
        case Collective::scatter:
        case Collective::scatterv: return gathering.arrived[record.peer] != 0;
        case Collective::reduce:
        case Collective::gather:
        case Collective::gatherv: return member != record.peer || gathering.count == gathering.arrived.size();
        case Collective::scan:
        case Collective::exscan:
            return std::all_of(gathering.arrived.begin(), gathering.arrived.begin() + member,
                               [](char arrived) { return arrived != 0; });
        default: return gathering.count == gathering.arrived.size();
        }
    }

    void arrive(std::uint32_t rank, std::uint32_t index, const Record& record) {
        const CommUse& use = ranks_[rank].comms[record.comm];
        const auto key = std::make_pair(use.id, record.tag);
        Gathering& gathering = gatherings_[key];
        if (gathering.arrived.empty()) gathering.arrived.assign(use.size, 0);
        gathering.arrived[use.rank] = 1;
        ++gathering.count;
        if (may_leave(gathering, record, use.rank)) {
            runs_[rank].done[index] = 1;
        } else {
            gathering.waiting.emplace_back(use.rank, index);
        }
        const Moment now = runs_[rank].clock;
        const std::vector<std::uint32_t>& members = communicators_.members[use.id];
        for (std::size_t i = 0; i < gathering.waiting.size();) {
            const auto [member, waiting_record] = gathering.waiting[i];
            if (!may_leave(gathering, ranks_[members[member]].records[waiting_record], member)) {
                ++i;
                continue;
            }
            gathering.waiting.erase(gathering.waiting.begin() + static_cast<std::ptrdiff_t>(i));
            complete(members[member], waiting_record, now);
        }
        if (gathering.count == gathering.arrived.size() && gathering.waiting.empty()) gatherings_.erase(key);
    }

    using Entry = std::pair<Moment, std::uint32_t>; // (time, rank)

    const std::vector<RankRecords>& ranks_;
    const Communicators& communicators_;
    std::vector<RankRun> runs_;
    std::vector<std::vector<Envelope>> envelopes_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Gathering> gatherings_; // by communicator and number
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> runnable_;
};

} // namespace

std::vector<std::vector<Envelope>> run_logically(const std::vector<RankRecords>& ranks,
                                                 const Communicators& communicators) {
    return LogicalRun(ranks, communicators).run();
}

} // namespace orrery::allprof
