#include "workload/trace_communicators.h"

#include "engine/error.h"
#include "workload/listed_steps.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace orrery {

namespace {

bool creates(ActionKind kind) {
    return kind == ActionKind::comm_split || kind == ActionKind::comm_dup || kind == ActionKind::comm_create;
}

bool sends(ActionKind kind) {
    return (kind >= ActionKind::send && kind <= ActionKind::issend) || kind == ActionKind::sendrecv;
}

// Finds the sends of a rank that it cancels later.
class Withdrawals {
  public:
    void pass(const Action& action) {
        if (makes_request(action)) {
            if (action.request >= sends_.size()) sends_.resize(action.request + std::size_t{1}, no_send);
            const bool sent = action.kind == ActionKind::isend || action.kind == ActionKind::issend;
            sends_[action.request] = sent ? passed_ : no_send;
        } else if (action.kind == ActionKind::cancel && action.request < sends_.size() &&
                   sends_[action.request] != no_send) {
            found_.push_back(std::exchange(sends_[action.request], no_send));
        }
        ++passed_;
    }
    // Which of the rank's actions they are, in order.
    std::vector<std::uint64_t> take() {
        std::sort(found_.begin(), found_.end());
        return std::move(found_);
    }

  private:
    static constexpr std::uint64_t no_send = ~std::uint64_t{0};
    std::vector<std::uint64_t> sends_; // by request
    std::vector<std::uint64_t> found_;
    std::uint64_t passed_ = 0;
};

// An action that changes the communicators of a rank.
struct Change {
    Action action;
    std::vector<std::uint32_t> members; // of comm_create
};

struct RankChanges {
    std::vector<Change> changes;
    std::size_t at = 0;
    bool offered = false; // waits for the other members to say their colours
    Memberships memberships;
    std::string file;
};

[[noreturn]] void fail(const std::string& file, std::uint32_t rank, const Action& action,
                       const std::string& reason) {
    throw InputError(Error{file, action.line, 0, fmt::format("rank {}: {}", rank, reason)});
}

// Lets a rank make its communicators until it has to wait for others; whether it got on.
class Maker {
  public:
    Maker(Communicators& communicators, std::vector<RankChanges>& ranks,
          std::vector<std::vector<std::uint32_t>>& made, std::uint32_t none)
        : communicators_(communicators), ranks_(ranks), made_(made), none_(none) {}

    bool advance(std::uint32_t rank) {
        RankChanges& own = ranks_[rank];
        const std::size_t before = own.at;
        const bool had_offered = own.offered;
        while (own.at < own.changes.size() && perform(rank, own, own.changes[own.at])) {
            ++own.at;
            own.offered = false;
        }
        return own.at != before || own.offered != had_offered;
    }

  private:
    bool perform(std::uint32_t rank, RankChanges& own, const Change& change) {
        const Action& action = change.action;
        if (action.kind == ActionKind::comm_free) {
            own.memberships.leave(action.comm);
            return true;
        }
        if (action.kind == ActionKind::comm_create) {
            const bool member =
                std::find(change.members.begin(), change.members.end(), rank) != change.members.end();
            enter(rank, own, action,
                  member ? std::optional(communicators_.create(change.members, rank)) : std::nullopt);
            return true;
        }
        Membership* const parent = own.memberships.find(action.comm);
        if (parent == nullptr)
            fail(own.file, rank, action, fmt::format("communicator {} does not exist here", action.comm));
        const bool dup = action.kind == ActionKind::comm_dup;
        const std::uint32_t colour = dup ? 0 : action.peer;
        if (!own.offered) {
            own.offered = true;
            communicators_.offer(parent->index, parent->calls, colour, dup ? parent->rank : action.other, rank,
                                 parent->rank);
        }
        if (!communicators_.all_offered(parent->index, parent->calls)) return false;
        // Whoever comes last may take its part and the others theirs: the offers stay until all have.
        enter(rank, own, action, communicators_.split(parent->index, parent->calls++, colour));
        return true;
    }

    void enter(std::uint32_t rank, RankChanges& own, const Action& action, std::optional<std::uint32_t> index) {
        made_[rank].push_back(index.value_or(none_));
        if (index) own.memberships.join(action.request, *index, communicators_.rank_in(*index, rank));
    }

    Communicators& communicators_;
    std::vector<RankChanges>& ranks_;
    std::vector<std::vector<std::uint32_t>>& made_;
    std::uint32_t none_;
};

} // namespace

TraceCommunicators::TraceCommunicators(ActionSource& source)
    : made_(source.ranks()), withdrawn_(source.ranks()) {
    const std::uint32_t count = source.ranks();
    communicators_.add_world(0, count);
    std::vector<RankChanges> ranks(count);
    for (std::uint32_t rank = 0; rank < count; ++rank) {
        RankChanges& own = ranks[rank];
        own.memberships.join(world, 0, rank);
        Withdrawals withdrawals;
        for (std::span<const Action> window; !(window = source.next(RankId{rank})).empty();) {
            for (const Action& action : window) {
                withdrawals.pass(action);
                if (action.tag != any_tag && action.kind != ActionKind::window)
                    largest_tag_ = std::max(largest_tag_, action.tag);
                if (sends(action.kind)) largest_message_ = std::max(largest_message_, action.bytes);
                if (!creates(action.kind) && action.kind != ActionKind::comm_free) continue;
                Change& change = own.changes.emplace_back();
                change.action = action;
                if (action.kind != ActionKind::comm_create) continue;
                for (const Bytes member : source.counts(RankId{rank}, action)) {
                    if (member >= count)
                        fail(source.file(RankId{rank}), rank, action,
                             fmt::format("names rank {}, which does not exist", member));
                    change.members.push_back(static_cast<std::uint32_t>(member));
                }
            }
        }
        withdrawn_[rank] = withdrawals.take();
        if (own.changes.empty()) continue;
        only_world_ = false;
        own.file = source.file(RankId{rank});
    }
    if (only_world_) return;
    Maker maker(communicators_, ranks, made_, none);
    for (bool any = true; any;) {
        any = false;
        for (std::uint32_t rank = 0; rank < count; ++rank) any = maker.advance(rank) || any;
    }
    for (std::uint32_t rank = 0; rank < count; ++rank) {
        const RankChanges& own = ranks[rank];
        if (own.at < own.changes.size()) {
            fail(own.file, rank, own.changes[own.at].action,
                 "makes communicators of one that not all of its ranks divide");
        }
    }
}

RankCommunicators::RankCommunicators(const TraceCommunicators& trace, RankId rank, std::string file)
    : trace_(trace), rank_(rank), file_(std::move(file)) {
    memberships_.join(world, 0, rank.value);
}

void RankCommunicators::fail(const Action& action, const std::string& reason) const {
    orrery::fail(file_, rank_.value, action, reason);
}

Membership& RankCommunicators::of(const Action& action) {
    if (Membership* const found = memberships_.find(action.comm)) return *found;
    fail(action, fmt::format("communicator {} does not exist here", action.comm));
}

std::uint32_t RankCommunicators::world_rank(const Action& action, std::uint32_t peer) {
    if (peer == any_source) return any_source;
    const Membership& member = of(action);
    if (peer >= size(member))
        fail(action, fmt::format("names rank {}, but its communicator has {} ranks", peer, size(member)));
    return world_rank(member, peer);
}

CollectiveCall RankCommunicators::call(const Action& action, std::span<const Bytes> counts) {
    const Membership& member = of(action);
    CollectiveCall call;
    if (const auto fault = make_call(action, counts, member, size(member), call)) fail(action, *fault);
    return call;
}

void RankCommunicators::check_window(const Action& action, std::span<const Bytes> ranks) {
    if (has_target(static_cast<WindowCall>(action.other))) (void)world_rank(action, action.peer);
    for (const Bytes rank : ranks) (void)world_rank(action, static_cast<std::uint32_t>(rank));
    Membership& member = of(action);
    if (is_fence(action)) ++member.calls;
}

void RankCommunicators::pass(const Action& action, std::span<const Bytes> counts) {
    if (is_withdrawn()) ++withdrawn_;
    ++passed_;
    switch (action.kind) {
    case ActionKind::collective: ++of(action).calls; return;
    case ActionKind::comm_free: memberships_.leave(action.comm); return;
    case ActionKind::neighbours: {
        Membership& member = of(action);
        if (const auto fault = fault_of_neighbours(action, counts, size(member))) fail(action, *fault);
        member.neighbours = std::make_shared<const Neighbours>(neighbours_of(action, counts));
        return;
    }
    case ActionKind::one_sided: (void)world_rank(action, action.peer); return;
    case ActionKind::window: check_window(action, counts); return;
    case ActionKind::aside:
        if (const char* const fault = fault_of_steps(counts, size(of(action)))) fail(action, fault);
        return;
    case ActionKind::comm_split:
    case ActionKind::comm_dup:
    case ActionKind::comm_create: break;
    default: return;
    }
    std::shared_ptr<const Neighbours> inherited;
    if (action.kind != ActionKind::comm_create) {
        Membership& parent = of(action);
        ++parent.calls;
        if (action.kind == ActionKind::comm_dup) inherited = parent.neighbours;
    }
    const std::uint32_t index = trace_.made_[rank_.index()][made_++];
    if (index == TraceCommunicators::none) return;
    memberships_.join(action.request, index, trace_.communicators_.rank_in(index, rank_.value)).neighbours =
        std::move(inherited);
}

} // namespace orrery
