#include "formats/export/world_actions.h"

#include "formats/export/world_actions_rank.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace orrery {

std::vector<std::string> WorldActionsNotes::words() const {
    std::vector<std::string> all;
    const auto note = [&](std::uint64_t count, std::string_view what) {
        if (count > 0) all.push_back(fmt::format("{} {}", count, what));
    };
    note(expanded, "calls of collectives became messages: the grammar has no communicators, no neighbourhoods "
                   "and no nonblocking collectives");
    note(any_tag, "receives of any tag: they may take a message of another communicator");
    note(choices, "waits for any of several requests became waits for the first of them");
    note(probes, "probes are left out");
    note(tests, "tests are left out");
    note(synchronous, "synchronous sends became plain sends");
    note(tags,
         "messages lost their tag: those between two ranks must be received in the order in which they are "
         "sent");
    note(forgotten, "receives were cancelled or freed in the trace; they stay posted");
    left_out.append_words(all);
    return all;
}

WorldActions::WorldActions(ActionSource& source, const TraceCommunicators& communicators,
                           const WorldActionsOptions& options)
    : source_(source), communicators_(communicators), options_(options), tags_(communicators.largest_tag()),
      ranks_(source.ranks()) {}

WorldActions::~WorldActions() = default;

std::span<const Action> WorldActions::next(RankId rank) {
    std::unique_ptr<Rank>& own = ranks_[rank.index()];
    if (own == nullptr) own = std::make_unique<Rank>(*this, rank);
    return own->next();
}

std::span<const Bytes> WorldActions::counts(RankId rank, const Action& action) const {
    return ranks_[rank.index()]->counts(action);
}

WorldActions::Rank::Rank(WorldActions& all, RankId rank)
    : all_(all), rank_(rank), communicators_(all.communicators_, rank, all.source_.file(rank)),
      older_(all.options_.grammar == TiGrammar::older_simgrid) {}

std::span<const Action> WorldActions::Rank::next() {
    actions_.clear();
    counts_.clear();
    while (actions_.empty() && !ended_) {
        const std::span<const Action> window = all_.source_.next(rank_);
        for (const Action& action : window) {
            const std::span<const Bytes> counts = all_.source_.counts(rank_, action);
            if (!all_.notes_.left_out.takes(action, communicators_)) {
                add(action, counts);
            } else if (makes_request(action)) {
                slot(action.request).clear();
            }
            communicators_.pass(action, counts);
        }
        if (!window.empty()) continue;
        ended_ = true;
        if (!forgotten_.empty()) wait_for(std::exchange(forgotten_, {}), 0);
    }
    return actions_;
}

Action& WorldActions::Rank::put(ActionKind kind, std::uint64_t line) {
    Action& action = actions_.emplace_back();
    action.kind = kind;
    action.line = line;
    return action;
}

Action& WorldActions::Rank::put_message(ActionKind kind, std::uint32_t peer, std::uint32_t tag, Bytes bytes,
                                        std::uint64_t line) {
    Action& action = put(kind, line);
    action.peer = peer;
    action.tag = tag;
    action.bytes = bytes;
    if (!older_) return action;
    if (action.tag != 0) ++all_.notes_.tags;
    action.tag = 0;
    return action;
}

std::uint32_t WorldActions::Rank::tag(const Action& action) {
    if (action.tag == any_tag && !all_.communicators_.only_world()) ++all_.notes_.any_tag;
    return all_.tags_.message(communicators_.of(action).index, action.tag);
}

std::vector<std::uint32_t>& WorldActions::Rank::slot(std::uint32_t number) {
    if (number >= requests_.size()) requests_.resize(number + std::size_t{1});
    return requests_[number];
}

std::uint32_t WorldActions::Rank::post(const Action& message) {
    const bool receives = message.kind == ActionKind::irecv;
    return pending_.add(
        {receives ? message.peer : rank_.value, receives ? rank_.value : message.peer, message.tag, world});
}

void WorldActions::Rank::message(const Action& action) {
    ActionKind kind = action.kind;
    if (kind == ActionKind::ssend || kind == ActionKind::issend) {
        ++all_.notes_.synchronous;
        kind = kind == ActionKind::ssend ? ActionKind::send : ActionKind::isend;
    }
    // SimGrid refuses a message that is larger than its receive, and polls for one of any size. There is room
    // for the largest if the size is unknown, or if another message than when it was recorded may come first.
    const bool open = action.bytes == any_bytes || (kind == ActionKind::recv && action.peer == any_source);
    const Bytes bytes = open ? all_.communicators_.largest_message() : action.bytes;
    Action& own =
        put_message(kind, communicators_.world_rank(action, action.peer), tag(action), bytes, action.line);
    if (kind != ActionKind::isend && kind != ActionKind::irecv) return;
    own.request = post(own);
    slot(action.request).assign(1, own.request);
}

// SimGrid's sendRecv has no tag.
void WorldActions::Rank::exchange(const Action& action) {
    const std::uint32_t to = communicators_.world_rank(action, action.peer);
    const std::uint32_t from = communicators_.world_rank(action, action.other);
    if (to == rank_.value && from == rank_.value) return; // a copy
    const std::uint32_t tagged = tag(action);
    if (!older_ && tagged == 0 && from != any_source) {
        Action& own = put_message(ActionKind::sendrecv, to, 0, action.bytes, action.line);
        own.other = from;
        own.more_bytes = action.more_bytes;
        return;
    }
    Action& sent = put_message(ActionKind::isend, to, tagged, action.bytes, action.line);
    const std::uint32_t first = sent.request = post(sent);
    Action& received = put_message(ActionKind::irecv, from, tagged, action.more_bytes, action.line);
    const std::uint32_t second = received.request = post(received);
    wait_for({first, second}, action.line);
}

void WorldActions::Rank::wait(std::uint32_t number, std::uint64_t line) {
    wait_for(std::exchange(slot(number), {}), line);
}

// Each by the name that the grammar has for it: the oldest of those with the same source, destination and tag.
void WorldActions::Rank::wait_for(std::vector<std::uint32_t> own, std::uint64_t line) {
    std::erase_if(own, [&](std::uint32_t number) { return !pending_.pending(number); });
    if (own.empty()) return;
    if (own.size() == pending_.size() && (own.size() > 1 || older_)) {
        put(ActionKind::wait_all, line);
        pending_.clear();
        return;
    }
    while (!own.empty()) {
        const std::uint32_t number = older_ ? pending_.latest().value_or(0) : own.front();
        if (std::erase(own, number) == 0) {
            Action at;
            at.line = line;
            communicators_.fail(at, "waits for a request that is neither the latest one nor all that are "
                                    "pending: the older grammar has no word for that");
        }
        const std::uint32_t named = older_ ? number : pending_.oldest(pending_.name(number)).value_or(number);
        put(ActionKind::wait, line).request = named;
        pending_.remove(named);
        if (named == number) continue;
        // The younger one stands for the older one from now on.
        std::replace(own.begin(), own.end(), named, number);
        std::replace(forgotten_.begin(), forgotten_.end(), named, number);
        for (std::vector<std::uint32_t>& each : requests_)
            std::replace(each.begin(), each.end(), named, number);
    }
}

void WorldActions::Rank::choose(const Action& action, std::span<const Bytes> counts) {
    ++all_.notes_.choices;
    for (const Bytes number : counts) {
        if (!slot(static_cast<std::uint32_t>(number)).empty())
            return wait(static_cast<std::uint32_t>(number), action.line);
    }
    for (std::uint32_t number = 0; counts.empty() && number < requests_.size(); ++number) {
        if (!requests_[number].empty()) return wait(number, action.line);
    }
}

void WorldActions::Rank::add(const Action& action, std::span<const Bytes> counts) {
    switch (action.kind) {
    case ActionKind::compute:
    case ActionKind::sleep:
        actions_.push_back(action);
        actions_.back().other = 0; // a pause is a pause
        actions_.back().bytes = 0;
        return;
    case ActionKind::send:
    case ActionKind::ssend:
    case ActionKind::isend:
    case ActionKind::issend:
    case ActionKind::recv:
    case ActionKind::irecv: return message(action);
    case ActionKind::sendrecv: return exchange(action);
    case ActionKind::probe: ++all_.notes_.probes; return;
    case ActionKind::test: {
        const std::vector<std::uint32_t>& own = slot(action.request);
        if (!older_ && own.size() == 1) {
            put(ActionKind::test, action.line).request = own.front();
        } else {
            ++all_.notes_.tests;
        }
        return;
    }
    case ActionKind::wait: return wait(action.request, action.line);
    case ActionKind::wait_all: {
        std::vector<std::uint32_t> own;
        const auto take = [&](std::uint32_t number) {
            own.insert(own.end(), slot(number).begin(), slot(number).end());
            slot(number).clear();
        };
        for (const Bytes number : counts) take(static_cast<std::uint32_t>(number));
        for (std::uint32_t number = 0; counts.empty() && number < requests_.size(); ++number) take(number);
        return wait_for(std::move(own), action.line);
    }
    case ActionKind::wait_any:
    case ActionKind::wait_some: return choose(action, counts);
    case ActionKind::collective:
    case ActionKind::comm_split:
    case ActionKind::comm_dup:
    case ActionKind::window: return collective(action, counts); // a fence
    case ActionKind::forget:
        for (const std::uint32_t number : slot(action.request)) {
            if (pending_.name(number).from == rank_.value) {
                forgotten_.push_back(number);
            } else {
                ++all_.notes_.forgotten;
            }
        }
        slot(action.request).clear();
        return;
    case ActionKind::comm_create:
    case ActionKind::comm_free:
    case ActionKind::neighbours:
    case ActionKind::one_sided:
    case ActionKind::cancel:
    case ActionKind::aside:
    case ActionKind::await: return; // the wait itself follows
    }
}

} // namespace orrery
