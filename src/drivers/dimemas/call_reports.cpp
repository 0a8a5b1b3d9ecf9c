#include "drivers/dimemas/call_reports.h"

#include "drivers/dimemas/record_calls.h"
#include "formats/dimemas/dim_collectives.h"

namespace orrery::dimemas {

namespace {

constexpr double ns_per_second = 1e9; // the volume of a burst is in ns, as in every other model (dim_actions.h)

} // namespace

Action CallReports::action_of(std::uint32_t task, const DimRecord& record) const {
    Action action;
    action.kind = kind_of_call(record);
    if (record.kind != RecordKind::collective) {
        action.peer = record.peer == any_task ? any_source : static_cast<std::uint32_t>(record.peer);
        action.tag = static_cast<std::uint32_t>(record.tag);
        action.bytes = record.bytes;
        return action;
    }
    const std::uint32_t which = *trace_.find_communicator(record.communicator);
    const DimCommunicator& communicator = trace_.communicators()[which];
    action.comm = trace_.is_world(which) ? world : which + 1;
    if (action.kind == ActionKind::wait) return action;
    fill_collective(record, static_cast<std::uint32_t>(communicator.tasks.size()), action);
    action.nonblocking = record.synchrony == Synchrony::nonblocking;
    if (!is_rooted(record.operation)) return action;
    if (record.operation == dim_reduce) {
        action.peer = communicator.rank_of(static_cast<std::uint32_t>(record.peer));
    } else if (record.peer == 1) {
        action.peer = communicator.rank_of(task);
    } else {
        // A nonblocking call ends before its root is known.
        action.peer = action.nonblocking ? any_source : communicator.rank_of(root_);
    }
    return action;
}

void CallReports::computed(std::uint32_t thread, const DimRecord& burst, Time begin, Time end) {
    if (begin == end) return;
    Action action;
    action.volume = burst.seconds * ns_per_second;
    observer_.performed(CpuOfRank{thread, 0}, action, begin, end);
}

void CallReports::called(std::uint32_t thread, std::uint32_t task, const DimRecord& record, Time begin,
                         Time end) {
    if (!is_call(record)) return;
    const Action action = action_of(task, record);
    if (begin == end) {
        observer_.passed(CpuOfRank{thread, 0}, action, end);
    } else {
        observer_.performed(CpuOfRank{thread, 0}, action, begin, end);
    }
}

void CallReports::sent(std::uint32_t transfer, Time at) {
    if (transfer >= times_.size()) times_.resize(transfer + std::size_t{1});
    times_[transfer] = {at, at, at};
}

void CallReports::arrived(std::uint32_t transfer, const Transfer& message, std::uint32_t to, Time at) {
    Times& times = times_[transfer];
    times.arrived = at;
    observer_.delivered(message.thread, to, static_cast<std::uint32_t>(message.tag), message.bytes, times.sent,
                        at);
}

void CallReports::posted(std::uint32_t thread, const DimRecord& receive, Time at) {
    receives_[key_of(thread, receive)].push_back(at);
}

void CallReports::received(std::uint32_t transfer, const Transfer& message, std::uint32_t thread,
                           const Thread& receiver) {
    Time posted = receiver.since;
    if (receiver.record.kind == RecordKind::wait) {
        const auto found = receives_.find(key_of(thread, receiver.record));
        if (found != receives_.end()) {
            posted = found->second.front();
            found->second.pop_front();
            if (found->second.empty()) receives_.erase(found);
        }
    }
    const Times& times = times_[transfer];
    observer_.received({.from = message.thread,
                        .to = thread,
                        .tag = static_cast<std::uint32_t>(message.tag),
                        .bytes = message.bytes,
                        .sent = times.sent,
                        .left = times.left,
                        .posted = posted,
                        .arrived = times.arrived});
}

} // namespace orrery::dimemas
