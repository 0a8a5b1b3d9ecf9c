#include "observe/recorded_replay.h"

#include "workload/op.h"

#include <algorithm>
#include <cstddef>
#include <tsl/robin_map.h>

namespace orrery {

namespace {

class Telling {
  public:
    Telling(const Recording& recording, const LogGOPS& parameters, ReplayObserver& observer)
        : recording_(recording), parameters_(parameters), observer_(observer), cpus_(cpus_of(recording)),
          free_(std::size_t{recording.ranks} * cpus_) {}

    void tell() {
        for (const Activity& activity : recording_.activities) {
            switch (activity.kind) {
            case ActivityKind::calc: perform(activity, ActionKind::compute); break;
            case ActivityKind::send: send(activity); break;
            case ActivityKind::recv: receive(activity); break;
            case ActivityKind::post: post(activity); break;
            }
        }
    }

  private:
    static std::uint64_t operation(const Activity& activity) {
        return std::uint64_t{activity.rank} << 32 | activity.op;
    }
    Time& free(const Activity& activity) { return free_[std::size_t{activity.rank} * cpus_ + activity.cpu]; }

    static Action action_of(const Activity& activity, ActionKind kind) {
        Action action;
        action.kind = kind;
        action.line = activity.op;
        if (kind == ActionKind::compute) {
            action.volume = static_cast<double>(activity.size);
            return action;
        }
        action.peer = activity.peer;
        action.tag = activity.tag;
        action.bytes = activity.size;
        return action;
    }

    void perform(const Activity& activity, ActionKind kind) {
        perform(activity, kind, activity.start, activity.end);
    }
    void perform(const Activity& activity, ActionKind kind, Time begin, Time end) {
        const CpuOfRank who{activity.rank, activity.cpu};
        if (end > begin) {
            observer_.performed(who, action_of(activity, kind), begin, end);
        } else {
            observer_.passed(who, action_of(activity, kind), begin);
        }
        free(activity) = later(free(activity), end);
    }

    // The first of a handshake is when it was posted.
    void send(const Activity& activity) {
        perform(activity, ActionKind::isend);
        if (activity.control) began_.try_emplace(operation(activity), activity.start);
    }

    void post(const Activity& activity) {
        perform(activity, ActionKind::irecv);
        const auto found = taken_.find(operation(activity));
        if (found == taken_.end()) {
            posted_.try_emplace(operation(activity), activity.start);
            return;
        }
        const Activity& taken = *found->second;
        taken_.erase(found);
        received(taken, activity.start);
        release_sender(taken, activity.start);
    }

    void receive(const Activity& activity) {
        perform(activity, ActionKind::recv);
        if (activity.control) return;
        const Activity& sent = recording_.activities[activity.partner];
        observer_.delivered(sent.rank, activity.rank, activity.tag, activity.size, posted_at(sent),
                            activity.end);
        if (activity.waited) {
            taken_.try_emplace(operation(activity), &activity);
            return;
        }
        const auto found = posted_.find(operation(activity));
        if (found != posted_.end()) {
            received(activity, found->second);
            posted_.erase(found);
        } else { // from the beginning on
            observer_.passed({activity.rank, activity.cpu}, action_of(activity, ActionKind::irecv),
                             Time::zero());
            received(activity, Time::zero());
        }
        release_sender(activity, activity.start);
    }

    // When the application sent it.
    [[nodiscard]] Time posted_at(const Activity& sent) const {
        const auto found = began_.find(operation(sent));
        return found == began_.end() ? sent.start : found->second;
    }

    void received(const Activity& taken, Time posted) {
        const Activity& sent = recording_.activities[taken.partner];
        observer_.received({.from = sent.rank,
                            .to = taken.rank,
                            .from_cpu = sent.cpu,
                            .to_cpu = taken.cpu,
                            .send_line = sent.op,
                            .recv_line = taken.op,
                            .tag = taken.tag,
                            .bytes = taken.size,
                            .sent = posted_at(sent),
                            .left = sent.start,
                            .posted = posted,
                            .arrived = taken.end});
        began_.erase(operation(sent));
        began_.erase(operation(taken)); // by its clear-to-send
    }

    // Its CPU is taken to have been held until its partner was there.
    void release_sender(const Activity& taken, Time at) {
        const Activity& sent = recording_.activities[taken.partner];
        if (parameters_.rendezvous == Rendezvous::handshake || taken.size <= parameters_.S) return;
        if (free(sent) < at) perform(sent, ActionKind::wait, free(sent), at);
    }

    const Recording& recording_;
    const LogGOPS& parameters_;
    ReplayObserver& observer_;
    std::uint32_t cpus_;
    std::vector<Time> free_; // per CPU: the end of what it did last
    // By operation.
    tsl::robin_map<std::uint64_t, Time> began_;            // handshakes under way
    tsl::robin_map<std::uint64_t, Time> posted_;           // receives that wait
    tsl::robin_map<std::uint64_t, const Activity*> taken_; // messages that wait for their receive
};

} // namespace

std::uint32_t cpus_of(const Recording& recording) {
    std::uint32_t cpus = 1;
    for (const Activity& activity : recording.activities) cpus = std::max(cpus, activity.cpu + 1);
    return cpus;
}

void tell(const Recording& recording, const LogGOPS& parameters, ReplayObserver& observer) {
    Telling(recording, parameters, observer).tell();
}

} // namespace orrery
