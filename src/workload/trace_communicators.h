// Who is in which communicator of a trace, found out without replaying it.
//
// Exports and the communication matrix go through a trace rank by rank, but a rank that splits a communicator
// does not say who else is in its part. So all ranks are read once before, for their communicators only.
#pragma once

#include "workload/action.h"
#include "workload/collective_call.h"
#include "workload/communicators.h"

#include <cstdint>
#include <string>
#include <vector>

namespace orrery {

class TraceCommunicators {
  public:
    // Reads all actions of the source. Throws InputError if members of a communicator do not all take part in
    // splitting it, or if something names a communicator that is not there.
    explicit TraceCommunicators(ActionSource& source);

    [[nodiscard]] std::uint32_t ranks() const { return static_cast<std::uint32_t>(made_.size()); }
    [[nodiscard]] const Communicators& all() const { return communicators_; }
    [[nodiscard]] std::uint32_t largest_tag() const { return largest_tag_; } // of all messages
    [[nodiscard]] Bytes largest_message() const { return largest_message_; }
    [[nodiscard]] bool only_world() const { return only_world_; }

  private:
    friend class RankCommunicators;
    static constexpr std::uint32_t none = 0xFFFF'FFFF;

    Communicators communicators_;
    std::vector<std::vector<std::uint32_t>> made_; // per rank: what each of its creating actions gave, or none
    std::vector<std::vector<std::uint64_t>>
        withdrawn_; // per rank: which of its actions are sends that it cancels
    std::uint32_t largest_tag_ = 0;
    Bytes largest_message_ = 0;
    bool only_world_ = true;
};

// The communicators of one rank as it goes through its actions.
class RankCommunicators {
  public:
    // `file` is for messages.
    RankCommunicators(const TraceCommunicators& trace, RankId rank, std::string file);

    // What the action makes, frees or says of communicators. To be told every action, in order, once it has
    // been dealt with.
    void pass(const Action& action, std::span<const Bytes> counts);

    // The communicator of an action. Throws InputError if there is none.
    Membership& of(const Action& action);
    [[nodiscard]] std::uint32_t size(const Membership& member) const {
        return trace_.communicators_.size(member.index);
    }
    // The rank in the world of a peer in the action's communicator; any_source stays.
    std::uint32_t world_rank(const Action& action, std::uint32_t peer);
    [[nodiscard]] std::uint32_t world_rank(const Membership& member, std::uint32_t peer) const {
        return trace_.communicators_.member(member.index, peer);
    }
    // Whether the action that pass() is to be told next is a send that the rank cancels: nobody receives it.
    [[nodiscard]] bool is_withdrawn() const {
        const std::vector<std::uint64_t>& own = trace_.withdrawn_[rank_.index()];
        return withdrawn_ < own.size() && own[withdrawn_] == passed_;
    }
    // The call of a collective, comm_split, comm_dup or fence. Throws InputError if it does not fit.
    CollectiveCall call(const Action& action, std::span<const Bytes> counts);

    [[noreturn]] void fail(const Action& action, const std::string& reason) const;

  private:
    void check_window(const Action& action, std::span<const Bytes> ranks);

    const TraceCommunicators& trace_;
    RankId rank_;
    std::string file_;
    Memberships memberships_;
    std::size_t made_ = 0;      // how many of the rank's creating actions are behind it
    std::uint64_t passed_ = 0;  // and how many of all
    std::size_t withdrawn_ = 0; // and of its cancelled sends
};

} // namespace orrery
