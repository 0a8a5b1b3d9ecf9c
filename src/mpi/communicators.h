// Communicators of a replay: who is in them, and whether their members call the same collectives in the same
// order.
#pragma once

#include "collectives/call.h"
#include "engine/ids.h"
#include "workload/action.h"

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

// A communicator as one of its members knows it.
struct Membership {
    std::uint32_t name = 0;  // in the trace
    std::uint32_t index = 0; // of Communicators
    std::uint32_t rank = 0;  // its own, in it
    std::uint32_t calls = 0; // collectives called so far
};

class Communicators {
  public:
    // One world per job: `first` and how many ranks, counted through all jobs.
    std::uint32_t add_world(std::uint32_t first, std::uint32_t ranks);

    [[nodiscard]] std::uint32_t size(std::uint32_t index) const { return all_[index].size; }
    // The rank, counted through all jobs, of a member.
    [[nodiscard]] std::uint32_t member(std::uint32_t index, std::uint32_t rank) const {
        const Communicator& communicator = all_[index];
        return communicator.members.empty() ? communicator.first + rank : communicator.members[rank];
    }
    // The rank in the communicator of a rank counted through all jobs, or any_source if it is no member.
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
    };
    // Null if it fits; otherwise what another member called as its call of the same number.
    const Call* enter(std::uint32_t index, std::uint32_t number, const Call& call);

    // MPI_Comm_split and _dup: each member says its colour and key (in its call number `call`), and once all
    // have, learns its group.
    void offer(std::uint32_t index, std::uint32_t call, std::uint32_t colour, std::uint32_t key,
               std::uint32_t rank);
    std::uint32_t split(std::uint32_t index, std::uint32_t call, std::uint32_t colour);
    // MPI_Comm_create_group: by the members' ranks, counted through all jobs; the n-th time the same ones do
    // so.
    std::uint32_t create(std::vector<std::uint32_t> members, std::uint32_t times);

  private:
    struct Communicator {
        std::uint32_t first = 0; // a world: consecutive ranks
        std::uint32_t size = 0;
        std::vector<std::uint32_t> members; // otherwise
        std::vector<std::uint32_t> nodes;
        std::deque<Call> calls; // not yet made by all members
        std::uint32_t first_call = 0;
    };
    struct Offer {
        std::uint32_t colour = 0;
        std::uint32_t key = 0;
        std::uint32_t rank = 0;
    };
    struct Split {
        std::vector<Offer> offers;
        std::map<std::uint32_t, std::uint32_t> made; // colour -> index
        std::uint32_t taken = 0;
    };

    std::vector<Communicator> all_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Split> splits_; // by communicator and call
    std::map<std::pair<std::vector<std::uint32_t>, std::uint32_t>, std::uint32_t> created_;
};

} // namespace orrery
