// Communicators of a trace: who is in them, and whether their members call the same collectives in the same
// order. Each rank has numbers of its own for them (Memberships); the objects are numbered through here.
#pragma once

#include "collectives/call.h"
#include "engine/ids.h"
#include "workload/action.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

// Of a rank in a communicator with a topology: ranks in it.
struct Neighbours {
    std::vector<std::uint32_t> sources;
    std::vector<std::uint32_t> destinations;
    std::uint64_t line = 0; // of the trace, where they are named
};

// A communicator as one of its members knows it.
struct Membership {
    std::uint32_t name = 0;                       // in the trace
    std::uint32_t index = 0;                      // of Communicators
    std::uint32_t rank = 0;                       // its own, in it
    std::uint32_t calls = 0;                      // collectives called so far
    std::shared_ptr<const Neighbours> neighbours; // a duplicate has those of its original; null: none
};

// Those of one rank, by the numbers in its trace.
class Memberships {
  public:
    [[nodiscard]] Membership* find(std::uint32_t name) {
        for (Membership& each : all_) {
            if (each.name == name) return &each;
        }
        return nullptr;
    }
    template <typename Visit> void for_each(Visit&& visit) const {
        for (const Membership& each : all_) visit(each);
    }
    // A number that is taken stands for the new one from now on.
    Membership& join(std::uint32_t name, std::uint32_t index, std::uint32_t rank) {
        leave(name);
        return all_.emplace_back(Membership{name, index, rank, 0, nullptr});
    }
    void leave(std::uint32_t name) {
        std::erase_if(all_, [&](const Membership& each) { return each.name == name && name != world; });
    }

  private:
    std::vector<Membership> all_; // the first is the world
};

class Communicators {
  public:
    // One world per job: `first` and how many ranks, counted through all jobs.
    std::uint32_t add_world(std::uint32_t first, std::uint32_t ranks);

    [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(all_.size()); }
    [[nodiscard]] std::uint32_t size(std::uint32_t index) const { return all_[index].size; }
    // The rank, counted through all jobs, of a member.
    [[nodiscard]] std::uint32_t member(std::uint32_t index, std::uint32_t rank) const {
        const Communicator& communicator = all_[index];
        return communicator.members.empty() ? communicator.first + rank : communicator.members[rank];
    }
    // The rank in the communicator of a rank counted through all jobs, or any_source if it is no member. Cost:
    // the logarithm of its size at most.
    [[nodiscard]] std::uint32_t rank_in(std::uint32_t index, std::uint32_t rank) const;
    // Matching contexts: messages of collectives never meet those of the application.
    [[nodiscard]] static std::uint32_t messages_context(std::uint32_t index) { return 2 * index; }
    [[nodiscard]] static std::uint32_t collectives_context(std::uint32_t index) { return 2 * index + 1; }

    // The nodes on which its members run, for algorithms that care; computed once.
    std::span<const std::uint32_t> nodes(std::uint32_t index, std::span<const HostId> hosts);

    // A member calls its next collective.
    struct Call {
        Collective operation = Collective::barrier;
        std::uint32_t root = 0;
        std::uint32_t arrived = 0;
        std::uint32_t rank = 0; // who came first
        std::uint64_t line = 0; // in its trace
        // See CollectiveCall.
        Bytes bytes = 0;
        std::uint16_t reduction = 0;
        std::uint8_t basic = 0;
        bool same_bytes = false;

        [[nodiscard]] bool fits(const Call& other) const {
            if (operation != other.operation || root != other.root) return false;
            if (same_bytes && other.same_bytes && bytes != other.bytes) return false;
            if (reduction != 0 && other.reduction != 0 && reduction != other.reduction) return false;
            return basic == 0 || other.basic == 0 || basic == other.basic;
        }
    };
    // Null if it fits; otherwise what another member called as its call of the same number.
    const Call* enter(std::uint32_t index, std::uint32_t number, const Call& call);

    // MPI_Comm_split and _dup: each member says its colour and key (in its call number `call`), and once all
    // have, learns its group. Of equal keys the lower `place`, its rank in the communicator, comes first.
    void offer(std::uint32_t index, std::uint32_t call, std::uint32_t colour, std::uint32_t key,
               std::uint32_t rank, std::uint32_t place);
    [[nodiscard]] bool all_offered(std::uint32_t index, std::uint32_t call) const;
    // Nothing for those of no colour (any_source).
    std::optional<std::uint32_t> split(std::uint32_t index, std::uint32_t call, std::uint32_t colour);
    // MPI_Comm_create_group and its like: by the members' ranks, counted through all jobs. The n-th time that
    // `rank` names the same members is the n-th communicator of theirs.
    std::uint32_t create(std::vector<std::uint32_t> members, std::uint32_t rank);

  private:
    std::uint32_t add(std::vector<std::uint32_t> members);
    struct Communicator {
        Communicator() = default;
        Communicator(Communicator&&) = default; // never copied: who runs a collective points to its nodes
        std::uint32_t first = 0;                // a world and its like: consecutive ranks
        std::uint32_t size = 0;
        std::vector<std::uint32_t> members; // otherwise
        bool ascending = true;              // they are
        // Otherwise their ranks in it, in the ascending order of the members: made when first asked for.
        mutable std::vector<std::uint32_t> sorted;
        std::vector<std::uint32_t> nodes;
        std::deque<Call> calls; // not yet made by all members
        std::uint32_t first_call = 0;
    };
    struct Offer {
        std::uint32_t colour = 0;
        std::uint32_t key = 0;
        std::uint32_t rank = 0;
        std::uint32_t place = 0;
    };
    struct Split {
        std::vector<Offer> offers;                   // once all are there, sorted
        std::map<std::uint32_t, std::uint32_t> made; // colour -> index
        std::uint32_t taken = 0;
    };

    std::vector<Communicator> all_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Split> splits_; // by communicator and call
    struct Creation {
        std::vector<std::uint32_t> made;              // one after the other
        std::map<std::uint32_t, std::uint32_t> times; // by rank: how many of them it has
    };
    std::map<std::vector<std::uint32_t>, Creation> created_; // by members
};

} // namespace orrery
