#include "formats/allprof/communicators.h"

#include "engine/error.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace orrery::allprof {

namespace {

// A communicator that a rank is a member of, made by some call of its.
struct Made {
    std::uint32_t id = world; // index into Communicators::members
    std::uint32_t made = 0;   // index into Communicators::made
    std::uint64_t variable = 0;
    bool freed = false;
    std::optional<std::uint64_t> handle; // once it is known
};

struct RankState {
    std::size_t next = 0; // event
    bool waits = false;   // in an MPI_Comm_split, for the other members
    std::vector<Made> made;
    std::map<std::uint32_t, std::uint32_t> splits; // by parent: how many so far
    std::map<std::uint32_t, std::uint32_t> copies;
    std::size_t unknown_frees = 0; // communicators in `made` that were freed, without its being known which
    std::optional<std::uint64_t> world_handle;
};

// One member's part in an MPI_Comm_split.
struct SplitEntry {
    std::int64_t color, key;
    std::uint32_t parent_rank, rank;
    std::uint64_t variable;
};

class Resolver {
  public:
    explicit Resolver(std::vector<RankRecords>& ranks) : ranks_(ranks), states_(ranks.size()) {}
    Communicators run();

  private:
    void check_world() const;
    void find_world();
    bool advance(std::uint32_t rank);
    bool split(std::uint32_t rank, const CommEvent& event);
    void finish_split(std::vector<SplitEntry> entries);
    static void free(RankState& state, std::uint64_t variable);
    std::uint32_t find(std::uint32_t rank, std::uint32_t use_index);
    std::uint32_t choose(std::uint32_t rank, std::uint32_t use_index, const std::vector<Made*>& fitting);
    std::uint32_t add_made(std::uint32_t id) {
        out_.made.push_back(id);
        return static_cast<std::uint32_t>(out_.made.size() - 1);
    }
    std::uint32_t intern(const std::vector<std::uint32_t>& members);

    std::vector<RankRecords>& ranks_;
    std::vector<RankState> states_;
    Communicators out_;
    std::map<std::vector<std::uint32_t>, std::uint32_t> index_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<SplitEntry>> splits_; // by parent and number
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> copies_; // the same; index into made
    std::vector<AmbiguousHandle> ambiguous_;
    bool permuted_ = false; // some communicator has all ranks in another order
};

// In Open MPI; elsewhere there is no difference.
bool is_fortran(std::uint64_t handle) { return handle <= 0xFFFF; }

std::uint32_t Resolver::intern(const std::vector<std::uint32_t>& members) {
    const auto [entry, added] = index_.try_emplace(members, static_cast<std::uint32_t>(out_.members.size()));
    if (added) out_.members.push_back(members);
    return entry->second;
}

void Resolver::check_world() const {
    const auto ranks = static_cast<std::uint32_t>(ranks_.size());
    std::uint32_t largest = 0;
    for (const RankRecords& rank : ranks_) {
        for (const CommUse& use : rank.comms) {
            if (use.size > ranks) {
                throw InputError(
                    Error{rank.file, use.line, 0,
                          fmt::format("a communicator of {} ranks, but there are files of {} only: "
                                      "those of the other ranks are missing",
                                      use.size, ranks)});
            }
            largest = std::max(largest, use.size);
        }
    }
    if (largest > 1 && largest < ranks) {
        throw InputError(Error{ranks_.front().file, 0, 0,
                               fmt::format("there are files of {} ranks, but no communicator has more than {}: "
                                           "are some of the files left from another run?",
                                           ranks, largest)});
    }
}

// The first communicator of all ranks that a rank names is MPI_COMM_WORLD, and its rank in there is the one in
// the name of its file. Traces made by hand of copies of one file all have the same rank: then the names
// decide.
void Resolver::find_world() {
    std::vector<std::uint32_t> claims(ranks_.size(), 0);
    std::uint32_t wrong = unknown_comm;
    bool copies = false;
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
        const std::vector<CommUse>& uses = ranks_[rank].comms;
        const auto first = std::find_if(uses.begin(), uses.end(),
                                        [&](const CommUse& use) { return use.size == ranks_.size(); });
        if (first == uses.end()) continue;
        states_[rank].world_handle = first->handle;
        copies = copies || ++claims[first->rank] > 1;
        if (first->rank == rank) continue;
        if (wrong == unknown_comm) wrong = rank;
        for (CommUse& use : ranks_[rank].comms) {
            if (use.handle == states_[rank].world_handle && use.size == ranks_.size()) use.rank = rank;
        }
        ++ranks_[rank].tally.renumbered;
    }
    if (wrong != unknown_comm && !copies) {
        throw InputError(Error{ranks_[wrong].file, 0, 0,
                               "by its name this is the file of rank " + std::to_string(wrong) +
                                   ", but in its communicators it has another rank: were the files renamed?"});
    }
}

Communicators Resolver::run() {
    check_world();
    find_world();
    std::vector<std::uint32_t> all(ranks_.size());
    for (std::uint32_t rank = 0; rank < all.size(); ++rank) all[rank] = rank;
    intern(all);
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
        for (const CommUse& use : ranks_[rank].comms) {
            permuted_ = permuted_ || (use.size == ranks_.size() && use.rank != rank);
        }
    }
    for (;;) {
        bool progress = false;
        for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
            while (advance(rank)) progress = true;
        }
        if (progress) continue;
        // Somebody waits for a member that never splits this communicator, or not by a handle that is known
        // here. What the split made stays unknown.
        std::uint32_t stuck = 0;
        while (stuck < states_.size() && !states_[stuck].waits) ++stuck;
        if (stuck == states_.size()) break;
        RankState& state = states_[stuck];
        const CommEvent& event = ranks_[stuck].events[state.next++];
        ++state.splits[ranks_[stuck].comms[event.comm].id];
        state.waits = false;
    }
    decide_by_behaviour(ranks_, out_, std::move(ambiguous_));
    return std::move(out_);
}

// Takes one step through the rank's events, if what the other ranks have done so far allows.
bool Resolver::advance(std::uint32_t rank) {
    RankState& state = states_[rank];
    RankRecords& records = ranks_[rank];
    if (state.next == records.events.size()) return false;
    const CommEvent& event = records.events[state.next];
    switch (event.kind) {
    case CommEvent::Kind::use: records.comms[event.comm].id = find(rank, event.comm); break;
    case CommEvent::Kind::free: free(state, event.variable); break;
    case CommEvent::Kind::copy: {
        const std::uint32_t parent = records.comms[event.comm].id;
        if (parent == unknown_comm) break;
        const auto [copy, first] = copies_.try_emplace({parent, state.copies[parent]++}, 0);
        if (first) copy->second = add_made(parent);
        state.made.push_back({parent, copy->second, event.variable, false, {}});
        break;
    }
    case CommEvent::Kind::split:
        if (records.comms[event.comm].id != unknown_comm && !split(rank, event)) return false;
        break;
    }
    ++state.next;
    return true;
}

// False while other members have not called it yet.
bool Resolver::split(std::uint32_t rank, const CommEvent& event) {
    RankState& state = states_[rank];
    const CommUse& parent = ranks_[rank].comms[event.comm];
    std::vector<SplitEntry>& entries = splits_[{parent.id, state.splits[parent.id]}];
    if (!state.waits) {
        entries.push_back({event.color, event.key, parent.rank, rank, event.variable});
        state.waits = true;
        if (entries.size() == parent.size) finish_split(entries);
    }
    if (entries.size() < parent.size) return false;
    ++state.splits[parent.id];
    state.waits = false;
    return true;
}

// The variable may be another one than that which took the handle when the communicator was made.
void Resolver::free(RankState& state, std::uint64_t variable) {
    const auto made = std::find_if(state.made.rbegin(), state.made.rend(), [&](const Made& candidate) {
        return !candidate.freed && candidate.variable == variable;
    });
    if (made != state.made.rend()) {
        made->freed = true;
        return;
    }
    ++state.unknown_frees;
    const auto left =
        std::count_if(state.made.begin(), state.made.end(), [](const Made& each) { return !each.freed; });
    if (state.unknown_frees < static_cast<std::size_t>(left)) return;
    for (Made& each : state.made) each.freed = true; // all of them
    state.unknown_frees = 0;
}

// Within a colour, members are ranked by key, and by their rank in the parent where keys are equal.
void Resolver::finish_split(std::vector<SplitEntry> entries) {
    std::sort(entries.begin(), entries.end(), [](const SplitEntry& a, const SplitEntry& b) {
        return std::tie(a.color, a.key, a.parent_rank) < std::tie(b.color, b.key, b.parent_rank);
    });
    for (std::size_t begin = 0; begin < entries.size();) {
        std::size_t end = begin;
        std::vector<std::uint32_t> members;
        for (; end < entries.size() && entries[end].color == entries[begin].color; ++end) {
            members.push_back(entries[end].rank);
        }
        if (entries[begin].color >= 0) { // else MPI_UNDEFINED: no communicator
            const std::uint32_t id = intern(members);
            const std::uint32_t made = add_made(id);
            for (std::size_t i = begin; i < end; ++i) {
                states_[entries[i].rank].made.push_back({id, made, entries[i].variable, false, {}});
            }
        }
        begin = end;
    }
}

std::uint32_t Resolver::find(std::uint32_t rank, std::uint32_t use_index) {
    CommUse& use = ranks_[rank].comms[use_index];
    const bool like_world = use.size == ranks_.size() && use.rank == rank;
    if (like_world && (!permuted_ || use.handle == states_[rank].world_handle)) return world;
    if (use.size == 1) return intern({rank}); // nobody else can be in it

    RankState& state = states_[rank];
    Made* known = nullptr;
    std::vector<Made*> fitting;
    for (Made& made : state.made) {
        if (made.freed) continue;
        const std::vector<std::uint32_t>& members = out_.members[made.id];
        const bool fits = use.size == members.size() && members[use.rank] == rank;
        if (made.handle == use.handle && !fits && state.unknown_frees > 0) {
            made.freed = true; // this is one of them: its handle stands for another one now
            --state.unknown_frees;
        } else if (made.handle == use.handle && fits) {
            known = &made;
        } else if (fits && (!made.handle || is_fortran(*made.handle) != is_fortran(use.handle))) {
            // A handle stands for one communicator, but the same one may have a handle in C and one in Fortran.
            fitting.push_back(&made);
        }
    }
    const auto has_handle = [](const Made* made) { return made->handle.has_value(); };
    if (!std::all_of(fitting.begin(), fitting.end(), has_handle)) std::erase_if(fitting, has_handle);
    if (known != nullptr) {
        // It may have been freed, and a younger one have its handle.
        std::erase_if(fitting, [&](const Made* made) { return made->handle || made < known; });
        if (state.unknown_frees == 0 || fitting.empty()) {
            use.made = known->made;
            return known->id;
        }
        fitting.insert(fitting.begin(), known);
    }
    return fitting.empty() ? unknown_comm : choose(rank, use_index, fitting);
}

// The handle stands for one of `fitting`. If they all have the same members it does not matter for which.
std::uint32_t Resolver::choose(std::uint32_t rank, std::uint32_t use_index, const std::vector<Made*>& fitting) {
    CommUse& use = ranks_[rank].comms[use_index];
    const bool same = std::all_of(fitting.begin(), fitting.end(),
                                  [&](const Made* made) { return made->id == fitting.front()->id; });
    if (same) {
        Made& made = *fitting.front();
        if (!made.handle) made.handle = use.handle;
        use.made = made.made;
        for (AmbiguousHandle& other : ambiguous_) {
            if (other.rank == rank && other.handle != use.handle) std::erase(other.candidates, made.made);
        }
        return made.id;
    }
    std::vector<std::uint32_t> candidates;
    candidates.reserve(fitting.size());
    for (const Made* made : fitting) candidates.push_back(made->made);
    // Met before, and some of those that it could be are still there: it is one of them.
    const auto before = std::find_if(ambiguous_.rbegin(), ambiguous_.rend(), [&](const AmbiguousHandle& other) {
        return other.rank == rank && other.handle == use.handle;
    });
    if (before != ambiguous_.rend()) {
        std::vector<std::uint32_t> both = before->candidates;
        std::erase_if(both, [&](std::uint32_t made) {
            return std::find(candidates.begin(), candidates.end(), made) == candidates.end();
        });
        if (!both.empty()) {
            before->candidates = both;
            before->uses.push_back(use_index);
            return unknown_comm;
        }
    }
    ambiguous_.push_back({rank, use.handle, {use_index}, candidates});
    return unknown_comm;
}

} // namespace

Communicators resolve_communicators(std::vector<RankRecords>& ranks) { return Resolver(ranks).run(); }

} // namespace orrery::allprof
