#include "workload/allprof/communicators.h"

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
    std::uint32_t id = world;
    std::uint64_t variable = 0;
    bool freed = false;
    std::optional<std::uint64_t> handle; // once it is known
};

struct RankState {
    std::size_t next = 0; // event
    bool waits = false;   // in an MPI_Comm_split, for the other members
    std::vector<Made> made;
    std::map<std::uint32_t, std::uint32_t> splits; // by parent: how many so far
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
    std::uint32_t find(std::uint32_t rank, std::uint32_t use_index);
    std::uint32_t intern(const std::vector<std::uint32_t>& members);

    std::vector<RankRecords>& ranks_;
    std::vector<RankState> states_;
    Communicators out_;
    std::map<std::vector<std::uint32_t>, std::uint32_t> index_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<SplitEntry>> splits_; // by parent and number
    std::vector<AmbiguousUse> ambiguous_;
    bool permuted_ = false; // some communicator has all ranks in another order
};

bool is_fortran(std::uint64_t handle) {
    return handle <= 0xFFFF;
} // in Open MPI; elsewhere there is no difference

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
    case CommEvent::Kind::free:
        for (auto made = state.made.rbegin(); made != state.made.rend(); ++made) {
            if (made->freed || made->variable != event.variable) continue;
            made->freed = true;
            break;
        }
        break;
    case CommEvent::Kind::copy:
        if (records.comms[event.comm].id != unknown_comm) {
            state.made.push_back({records.comms[event.comm].id, event.variable, false, {}});
        }
        break;
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
            for (std::size_t i = begin; i < end; ++i) {
                states_[entries[i].rank].made.push_back({id, entries[i].variable, false, {}});
            }
        }
        begin = end;
    }
}

std::uint32_t Resolver::find(std::uint32_t rank, std::uint32_t use_index) {
    const CommUse& use = ranks_[rank].comms[use_index];
    const bool like_world = use.size == ranks_.size() && use.rank == rank;
    if (like_world && (!permuted_ || use.handle == states_[rank].world_handle)) return world;
    if (use.size == 1) return intern({rank}); // nobody else can be in it

    std::vector<Made*> fitting;
    for (Made& made : states_[rank].made) {
        const std::vector<std::uint32_t>& members = out_.members[made.id];
        if (made.freed || use.size != members.size() || members[use.rank] != rank) continue;
        if (made.handle == use.handle) return made.id;
        // A handle stands for one communicator, but the same one may have a handle in C and one in Fortran.
        if (!made.handle || is_fortran(*made.handle) != is_fortran(use.handle)) fitting.push_back(&made);
    }
    const auto has_handle = [](const Made* made) { return made->handle.has_value(); };
    if (!std::all_of(fitting.begin(), fitting.end(), has_handle)) std::erase_if(fitting, has_handle);
    std::vector<std::uint32_t> ids;
    for (const Made* made : fitting) {
        if (std::find(ids.begin(), ids.end(), made->id) == ids.end()) ids.push_back(made->id);
    }
    if (ids.size() > 1) {
        ambiguous_.push_back({rank, use_index, ids});
        return unknown_comm;
    }
    if (ids.size() == 1) {
        if (!fitting.front()->handle) fitting.front()->handle = use.handle;
        return ids.front();
    }
    return like_world ? world
                      : unknown_comm; // the same communicator may have one handle in C and one in Fortran
}

} // namespace

Communicators resolve_communicators(std::vector<RankRecords>& ranks) { return Resolver(ranks).run(); }

} // namespace orrery::allprof
