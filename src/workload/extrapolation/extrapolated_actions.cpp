#include "workload/extrapolation/extrapolated_actions.h"

#include "workload/collective_call.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>

namespace orrery {

namespace {

// A window beside the one of the trace, so a small one if there are many ranks.
std::size_t extrapolated_window(std::size_t ranks) {
    constexpr std::size_t all_ranks = (std::size_t{16} << 20) / sizeof(Action);
    return std::clamp<std::size_t>(all_ranks / std::max<std::size_t>(ranks, 1), 4, 128);
}

constexpr std::size_t enough_extrapolated_counts = 4096;

void append_shifted(std::span<const Bytes> ranks, std::uint32_t shift, std::vector<Bytes>& out) {
    for (const Bytes rank : ranks) out.push_back(rank + shift);
}

} // namespace

ExtrapolatedActions::ExtrapolatedActions(std::unique_ptr<ActionSource> repeated,
                                         const TraceCommunicators& traced)
    : repeated_(std::move(repeated)), traced_(traced), copies_(repeated_->ranks() / traced.ranks()),
      over_all_(traced.all().count()), most_(extrapolated_window(repeated_->ranks())) {
    assert(repeated_->ranks() % traced.ranks() == 0);
    over_all_[world] = 1;
    ranks_.reserve(repeated_->ranks());
    for (std::uint32_t rank = 0; rank < repeated_->ranks(); ++rank) {
        const RankId as_traced{rank % traced.ranks()};
        ranks_.emplace_back(RankCommunicators(traced, as_traced, repeated_->file(RankId{rank})),
                            rank - as_traced.value);
    }
}

std::span<const Action> ExtrapolatedActions::next(RankId rank) {
    Rank& own = ranks_[rank.index()];
    if (own.counts.capacity() > 4 * enough_extrapolated_counts) own.counts = {};
    own.actions.clear();
    own.counts.clear();
    if (own.left.empty()) own.left = repeated_->next(rank);
    while (!own.left.empty() && own.actions.size() < most_ && own.counts.size() < enough_extrapolated_counts) {
        extrapolate(rank, own, own.left.front());
        own.left = own.left.subspan(1);
    }
    return own.actions;
}

void ExtrapolatedActions::extrapolate(RankId rank, Rank& own, const Action& traced) {
    const std::span<const Bytes> counts = repeated_->counts(rank, traced);
    Action action = traced;
    const std::size_t first = own.counts.size();
    switch (traced.kind) {
    case ActionKind::compute:
    case ActionKind::sleep:
    case ActionKind::wait:
    case ActionKind::wait_all:
    case ActionKind::wait_any:
    case ActionKind::wait_some:
    case ActionKind::test:
    case ActionKind::forget:
    case ActionKind::cancel:
    case ActionKind::await: // these know requests of the rank only
        own.counts.insert(own.counts.end(), counts.begin(), counts.end());
        own.communicators.pass(traced, counts);
        break;
    case ActionKind::send:
    case ActionKind::ssend:
    case ActionKind::isend:
    case ActionKind::issend:
    case ActionKind::recv:
    case ActionKind::irecv:
    case ActionKind::sendrecv:
    case ActionKind::probe:
    case ActionKind::one_sided:
        message(own, traced, action);
        own.communicators.pass(traced, counts);
        break;
    case ActionKind::comm_free: own.communicators.pass(traced, counts); break;
    case ActionKind::collective: collective(own, traced, counts); break;
    case ActionKind::neighbours: neighbours(own, traced, counts); break;
    case ActionKind::window: window(own, traced, action, counts); break;
    case ActionKind::aside: aside(own, traced, counts); break;
    case ActionKind::comm_split: split(own, traced, action, counts); break;
    case ActionKind::comm_dup: dup(own, traced, counts); break;
    case ActionKind::comm_create: create(rank.value % traced_.ranks(), own, traced, counts); break;
    }
    action.first_count = static_cast<std::uint32_t>(first);
    action.counts = static_cast<std::uint32_t>(own.counts.size() - first);
    own.actions.push_back(action);
}

std::uint32_t ExtrapolatedActions::shift_in(Rank& own, const Action& traced) const {
    return over_all(own.communicators.of(traced)) ? own.shift : 0;
}

std::uint32_t ExtrapolatedActions::moved(Rank& own, const Action& traced, std::uint32_t peer) const {
    if (peer == any_source) return any_source;
    (void)own.communicators.world_rank(traced, peer); // it must be one of the traced ranks, not of another copy
    return peer + shift_in(own, traced);
}

void ExtrapolatedActions::message(Rank& own, const Action& traced, Action& action) {
    action.peer = moved(own, traced, traced.peer);
    if (traced.kind == ActionKind::sendrecv) action.other = moved(own, traced, traced.other);
}

void ExtrapolatedActions::collective(Rank& own, const Action& traced, std::span<const Bytes> counts) {
    (void)own.communicators.call(traced, counts); // as it was traced, it must be right
    const bool per_rank = over_all(own.communicators.of(traced)) && !is_neighbourhood(traced.collective);
    // Send counts, then receive counts, or one of them: of each rank as of its original.
    const std::size_t length = per_rank ? traced_.ranks() : counts.size();
    for (std::size_t list = 0; list < counts.size(); list += length) {
        const std::span<const Bytes> one = counts.subspan(list, length);
        for (std::uint32_t copy = 0; copy < (per_rank ? copies_ : 1); ++copy)
            own.counts.insert(own.counts.end(), one.begin(), one.end());
    }
    own.communicators.pass(traced, counts);
}

void ExtrapolatedActions::neighbours(Rank& own, const Action& traced, std::span<const Bytes> counts) {
    own.communicators.pass(traced, counts);
    append_shifted(counts, shift_in(own, traced), own.counts);
}

void ExtrapolatedActions::window(Rank& own, const Action& traced, Action& action,
                                 std::span<const Bytes> counts) {
    own.communicators.pass(traced, counts);
    if (has_target(static_cast<WindowCall>(traced.other))) action.peer = moved(own, traced, traced.peer);
    append_shifted(counts, shift_in(own, traced), own.counts);
}

void ExtrapolatedActions::aside(Rank& own, const Action& traced, std::span<const Bytes> counts) {
    if (copies_ > 1 && over_all(own.communicators.of(traced))) {
        own.communicators.fail(
            traced,
            fmt::format("{} between two groups that together are all ranks (an intercommunicator): its steps "
                        "are those of {} ranks and cannot be made for more",
                        name_of(traced.collective), traced_.ranks()));
    }
    own.communicators.pass(traced, counts);
    own.counts.insert(own.counts.end(), counts.begin(), counts.end());
}

// Colours and keys are made anew, so that copies of a group never meet and those of all ranks keep their order:
// the colour of a group is the lowest of its members by rank in it, the key of a member its rank.
void ExtrapolatedActions::split(Rank& own, const Action& traced, Action& action,
                                std::span<const Bytes> counts) {
    const bool parent_over_all = over_all(own.communicators.of(traced));
    own.communicators.pass(traced, counts);
    if (traced.peer == any_source) return;
    Action made = traced;
    made.comm = traced.request;
    const Membership& child = own.communicators.of(made);
    const bool child_over_all = parent_over_all && own.communicators.size(child) == traced_.ranks();
    over_all_[child.index] = child_over_all ? 1 : 0;
    action.peer = own.communicators.world_rank(child, 0) + (parent_over_all && !child_over_all ? own.shift : 0);
    action.other = child.rank + (child_over_all ? own.shift : 0);
}

void ExtrapolatedActions::dup(Rank& own, const Action& traced, std::span<const Bytes> counts) {
    const std::uint8_t parent_over_all = over_all_[own.communicators.of(traced).index];
    own.communicators.pass(traced, counts);
    Action made = traced;
    made.comm = traced.request;
    over_all_[own.communicators.of(made).index] = parent_over_all;
}

void ExtrapolatedActions::create(std::uint32_t traced_rank, Rank& own, const Action& traced,
                                 std::span<const Bytes> counts) {
    // A rank on its own is MPI_COMM_SELF or the like, also in a trace of one rank.
    const bool all = counts.size() == traced_.ranks() && counts.size() > 1;
    own.communicators.pass(traced, counts);
    if (std::find(counts.begin(), counts.end(), traced_rank) != counts.end()) {
        Action made = traced;
        made.comm = traced.request;
        over_all_[own.communicators.of(made).index] = all ? 1 : 0;
    }
    if (!all) return append_shifted(counts, own.shift, own.counts);
    for (std::uint32_t copy = 0; copy < copies_; ++copy)
        append_shifted(counts, copy * traced_.ranks(), own.counts);
}

} // namespace orrery
