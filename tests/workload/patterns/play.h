// Plays a schedule without a clock: operations run when their dependencies allow, messages arrive at once.
// Tells whether it can end at all, and what each rank knows at the end.
#pragma once

#include "workload/graph.h"
#include "workload/patterns/pattern.h"

#include <bitset>
#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace orrery::play {

inline std::vector<RankGraph> programs(const Pattern& pattern, std::uint32_t ranks) {
    std::vector<RankGraph> all(ranks);
    // Backwards: a program may not lean on the ones before it.
    for (std::uint32_t rank = ranks; rank-- > 0;) pattern.program({rank}, all[rank]);
    return all;
}

using Ranks = std::bitset<128>; // which ranks; more than any test plays with

struct Rules {
    bool synchronous = false; // a send ends only when it is received (a rendezvous); otherwise at once
    // Which rank runs next: 0: the ranks in turn; otherwise the seed of a random choice. The operations of a
    // rank run in the order in which they become ready, always: MPI promises order between two ranks.
    unsigned shuffle = 0;
    // A message carries all that its rank knows by then; otherwise only the sender's own data and that of the
    // operations which the send waits for, directly or not.
    bool carries_all = false;
};

struct Outcome {
    std::uint64_t messages = 0;
    std::uint64_t unfinished = 0;    // operations that never ended
    std::uint64_t size_mismatch = 0; // a receive matched a message of another size
    std::vector<Ranks> known;        // whose data each rank has at the end
};

class Player {
  public:
    Player(const std::vector<RankGraph>& ranks, Rules rules)
        : ranks_(ranks), rules_(rules), random_(rules.shuffle) {
        ops_.resize(ranks.size());
        ready_.resize(ranks.size());
        knows_.resize(ranks.size());
        for (std::uint32_t r = 0; r < ranks.size(); ++r) {
            ops_[r].resize(ranks[r].ops.size());
            for (State& op : ops_[r]) op.known.set(r);
            for (const Dependency& d : ranks[r].dependencies) {
                ops_[r][d.before].dependents.push_back(d);
                ++ops_[r][d.after].waits;
            }
            for (std::uint32_t i = 0; i < ops_[r].size(); ++i) {
                if (ops_[r][i].waits == 0) make_ready(r, i);
            }
        }
    }

    Outcome run() {
        while (!active_.empty()) {
            const std::size_t pick = rules_.shuffle == 0 ? 0 : random_() % active_.size();
            std::swap(active_[pick], active_.front());
            const std::uint32_t rank = active_.front();
            active_.pop_front();
            const std::uint32_t op = ready_[rank].front();
            ready_[rank].pop_front();
            if (!ready_[rank].empty()) active_.push_back(rank);
            start({rank, op});
        }
        outcome_.known.resize(ranks_.size());
        for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
            outcome_.known[r].set(r);
            for (const State& op : ops_[r]) {
                if (!op.ended) ++outcome_.unfinished;
                outcome_.known[r] |= op.known;
            }
        }
        return outcome_;
    }

  private:
    struct At {
        std::uint32_t rank;
        std::uint32_t op;
    };
    struct State {
        std::uint32_t waits = 0;
        bool ended = false;
        std::vector<Dependency> dependents;
        Ranks known;
    };
    using Channel = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>; // from, to, tag

    const Op& op(At at) const { return ranks_[at.rank].ops[at.op]; }
    State& state(At at) { return ops_[at.rank][at.op]; }

    void make_ready(std::uint32_t rank, std::uint32_t op) {
        if (ready_[rank].empty()) active_.push_back(rank);
        ready_[rank].push_back(op);
    }
    void release(At at, bool on_start) {
        for (const Dependency& d : state(at).dependents) {
            if (d.on_start != on_start) continue;
            State& after = ops_[at.rank][d.after];
            after.known |= state(at).known;
            if (--after.waits == 0) make_ready(at.rank, d.after);
        }
    }
    void end(At at) {
        state(at).ended = true;
        release(at, false);
    }
    void start(At at) {
        release(at, true);
        switch (op(at).kind) {
        case OpKind::calc: end(at); break;
        case OpKind::send: {
            ++outcome_.messages;
            if (rules_.carries_all) state(at).known |= knows_[at.rank];
            const Channel channel{at.rank, op(at).peer, op(at).tag};
            if (auto& posted = posted_[channel]; !posted.empty()) {
                const At recv = posted.front();
                posted.pop_front();
                match(at, recv);
            } else {
                arrived_[channel].push_back(at);
                if (!rules_.synchronous) end(at);
            }
            break;
        }
        case OpKind::recv: {
            const Channel channel{op(at).peer, at.rank, op(at).tag};
            if (auto& arrived = arrived_[channel]; !arrived.empty()) {
                const At send = arrived.front();
                arrived.pop_front();
                match(send, at);
            } else {
                posted_[channel].push_back(at);
            }
            break;
        }
        }
    }
    void match(At send, At recv) {
        if (op(send).size != op(recv).size) ++outcome_.size_mismatch;
        state(recv).known |= state(send).known;
        knows_[recv.rank] |= state(recv).known;
        if (!state(send).ended) end(send);
        end(recv);
    }

    const std::vector<RankGraph>& ranks_;
    Rules rules_;
    std::mt19937 random_;
    std::vector<std::vector<State>> ops_;
    std::vector<std::deque<std::uint32_t>> ready_; // operations of each rank
    std::vector<Ranks> knows_;                     // what each rank has received
    std::deque<std::uint32_t> active_;             // ranks that have some
    std::map<Channel, std::deque<At>> posted_;
    std::map<Channel, std::deque<At>> arrived_;
    Outcome outcome_;
};

} // namespace orrery::play
