// Which of several communicators a handle stands for, by what the members do with it: all members of a
// communicator make the same collective calls in the same order, and what one sends another receives.
#include "formats/allprof/communicators.h"
#include "workload/op.h"

#include <algorithm>
#include <map>
#include <utility>

namespace orrery::allprof {

namespace {

struct CollectiveUse {
    std::size_t record;
    Collective collective;
    std::uint32_t root;
};

// What one rank does with one or more handles.
struct Profile {
    std::vector<CollectiveUse> collectives;
    std::map<std::uint32_t, std::uint64_t> sent; // to a rank in the communicator: messages
    std::map<std::uint32_t, std::uint64_t> received;
    bool from_anybody = false;

    void merge(const Profile& other) {
        collectives.insert(collectives.end(), other.collectives.begin(), other.collectives.end());
        std::sort(collectives.begin(), collectives.end(),
                  [](const CollectiveUse& a, const CollectiveUse& b) { return a.record < b.record; });
        for (const auto& [peer, count] : other.sent) sent[peer] += count;
        for (const auto& [peer, count] : other.received) received[peer] += count;
        from_anybody = from_anybody || other.from_anybody;
    }
};

bool same_collectives(const Profile& a, const Profile& b) {
    return std::equal(a.collectives.begin(), a.collectives.end(), b.collectives.begin(), b.collectives.end(),
                      [](const CollectiveUse& x, const CollectiveUse& y) {
                          return x.collective == y.collective && x.root == y.root;
                      });
}

std::uint64_t count_in(const std::map<std::uint32_t, std::uint64_t>& counts, std::uint32_t peer) {
    const auto found = counts.find(peer);
    return found == counts.end() ? 0 : found->second;
}

std::vector<Profile> profiles_of(const RankRecords& rank) { // per CommUse
    std::vector<Profile> profiles(rank.comms.size());
    for (std::size_t i = 0; i < rank.records.size(); ++i) {
        const Record& record = rank.records[i];
        const bool names_comm = record.kind != RecordKind::wait && record.kind != RecordKind::finish;
        if (!names_comm) continue;
        Profile& profile = profiles[record.comm];
        switch (record.kind) {
        case RecordKind::collective: profile.collectives.push_back({i, record.collective, record.peer}); break;
        case RecordKind::send: ++profile.sent[record.peer]; break;
        case RecordKind::recv:
            ++profile.received[record.peer];
            profile.from_anybody = profile.from_anybody || record.peer == any_source;
            break;
        default: break;
        }
    }
    return profiles;
}

class Judge {
  public:
    Judge(const std::vector<RankRecords>& ranks, const Communicators& communicators)
        : ranks_(ranks), communicators_(communicators) {
        for (const RankRecords& rank : ranks) profiles_.push_back(profiles_of(rank));
    }

    // Whether what the other members do rules out that the handle stands for communicator `made`.
    [[nodiscard]] bool contradicted(const AmbiguousHandle& open, std::uint32_t made) const {
        const std::uint32_t rank = open.rank;
        Profile mine = known(rank, made).first;
        for (const std::uint32_t use : open.uses) mine.merge(profiles_[rank][use]);
        const std::vector<std::uint32_t>& members = communicators_.members[communicators_.made[made]];
        const std::uint32_t my_rank = ranks_[rank].comms[open.uses.front()].rank;
        for (std::uint32_t other_rank = 0; other_rank < members.size(); ++other_rank) {
            if (members[other_rank] == rank) continue;
            const auto [theirs, uses] = known(members[other_rank], made);
            if (uses == 0) continue; // cannot tell: it may be an open question there as well
            if (!same_collectives(mine, theirs)) return true;
            if (!theirs.from_anybody && count_in(mine.sent, other_rank) != count_in(theirs.received, my_rank)) {
                return true;
            }
            if (!mine.from_anybody && count_in(mine.received, other_rank) != count_in(theirs.sent, my_rank)) {
                return true;
            }
        }
        return false;
    }

  private:
    // What the rank does with the handles that are known to stand for `made`, and how many uses that are.
    [[nodiscard]] std::pair<Profile, std::size_t> known(std::uint32_t rank, std::uint32_t made) const {
        std::pair<Profile, std::size_t> found;
        for (std::size_t use = 0; use < ranks_[rank].comms.size(); ++use) {
            if (ranks_[rank].comms[use].made != made) continue;
            found.first.merge(profiles_[rank][use]);
            ++found.second;
        }
        return found;
    }

    const std::vector<RankRecords>& ranks_;
    const Communicators& communicators_;
    std::vector<std::vector<Profile>> profiles_;
};

} // namespace

void decide_by_behaviour(std::vector<RankRecords>& ranks, const Communicators& communicators,
                         std::vector<AmbiguousHandle> ambiguous) {
    if (ambiguous.empty()) return;
    const Judge judge(ranks, communicators);
    const auto possible = [&](const AmbiguousHandle& open) {
        std::vector<std::uint32_t> fitting = open.candidates;
        std::erase_if(fitting, [&](std::uint32_t made) { return judge.contradicted(open, made); });
        return fitting;
    };
    // Decisions help each other on. When nothing is left that can be decided, the first open question is
    // decided by the order in which the communicators were made.
    while (!ambiguous.empty()) {
        auto clear = ambiguous.begin();
        std::vector<std::uint32_t> fitting;
        for (; clear != ambiguous.end(); ++clear) {
            fitting = possible(*clear);
            if (fitting.size() == 1) break;
        }
        if (clear == ambiguous.end()) {
            clear = ambiguous.begin();
            fitting = possible(*clear);
            if (fitting.empty()) fitting = clear->candidates;
            ++ranks[clear->rank].tally.guessed_communicators;
        }
        const AmbiguousHandle settled = *clear;
        ambiguous.erase(clear);
        if (fitting.empty()) continue; // others have taken all that it could be: its members stay unknown
        for (const std::uint32_t use : settled.uses) {
            ranks[settled.rank].comms[use].made = fitting.front();
            ranks[settled.rank].comms[use].id = communicators.made[fitting.front()];
        }
        // A communicator has one handle: the rank's other handles do not stand for it.
        for (AmbiguousHandle& other : ambiguous) {
            if (other.rank == settled.rank && other.handle != settled.handle) {
                std::erase(other.candidates, fitting.front());
            }
        }
    }
}

} // namespace orrery::allprof
