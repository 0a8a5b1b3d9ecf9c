#include "drivers/graph/deadlock.h"

#include "drivers/graph/observers.h"
#include "engine/error.h"
#include "engine/units.h"
#include "protocol/matching.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include <tsl/robin_map.h>

namespace orrery {

namespace {

struct Place {
    std::uint32_t rank = 0;
    std::uint32_t op = 0;
    bool operator==(const Place&) const = default;
};

class Explanation {
  public:
    Explanation(const Schedule& schedule, std::span<const std::uint64_t> first_op,
                std::span<const std::uint8_t> state)
        : schedule_(schedule), first_op_(first_op), state_(state) {}

    [[noreturn]] void give(Time now, std::span<const UnreceivedMessage> unreceived);

  private:
    static constexpr std::size_t lines_shown = 8;

    [[nodiscard]] bool started(Place at) const { return (bits(at) & ProgressObserver::has_started) != 0; }
    [[nodiscard]] bool ended(Place at) const { return (bits(at) & ProgressObserver::has_ended) != 0; }
    [[nodiscard]] std::uint8_t bits(Place at) const { return state_[first_op_[at.rank] + at.op]; }
    [[nodiscard]] std::string words(Place at) const {
        return fmt::format("rank {}, operation {}: {}", at.rank, at.op + 1,
                           describe(graph(at.rank).ops[at.op]));
    }
    const RankGraph& graph(std::uint32_t rank) const {
        const auto [found, added] = graphs_.try_emplace(rank);
        if (added) expand_rank(schedule_, RankId{rank}, found.value());
        return found->second;
    }

    [[nodiscard]] std::optional<Place> first_stuck() const;
    [[nodiscard]] std::optional<Place> blocked_by(Place at) const;
    [[nodiscard]] std::optional<Place> partner_that_never_came(Place at) const;
    [[nodiscard]] std::vector<Place> find_cycle(Place start) const;

    const Schedule& schedule_;
    std::span<const std::uint64_t> first_op_;
    std::span<const std::uint8_t> state_;
    mutable tsl::robin_map<std::uint32_t, RankGraph> graphs_;
};

// What `at` waits for: an operation of its own rank that it depends on, or the call on the other side.
std::optional<Place> Explanation::blocked_by(Place at) const {
    if (started(at)) return partner_that_never_came(at);
    for (const Dependency& dependency : graph(at.rank).dependencies) {
        const Place before{at.rank, dependency.before};
        if (dependency.after != at.op) continue;
        if (dependency.on_start ? !started(before) : !ended(before)) return before;
    }
    return std::nullopt;
}

// For a receive: a send that would match and has not started. For a rendezvous send: a receive likewise.
std::optional<Place> Explanation::partner_that_never_came(Place at) const {
    const Op op = graph(at.rank).ops[at.op];
    const auto search = [&](std::uint32_t rank) -> std::optional<Place> {
        const RankGraph& other = graph(rank);
        for (std::uint32_t i = 0; i < other.ops.size(); ++i) {
            const Op& candidate = other.ops[i];
            if (started({rank, i}) || candidate.kind == op.kind || candidate.kind == OpKind::calc) continue;
            const Op& sender = op.kind == OpKind::send ? op : candidate;
            const Op& receiver = op.kind == OpKind::send ? candidate : op;
            const std::uint32_t sending = op.kind == OpKind::send ? at.rank : rank;
            const std::uint32_t receiving = op.kind == OpKind::send ? rank : at.rank;
            if (sender.peer == receiving &&
                accepts({0, receiver.peer, receiver.tag}, {0, sending, sender.tag})) {
                return Place{rank, i};
            }
        }
        return std::nullopt;
    };
    if (op.peer != any_source) return op.peer < schedule_.ranks() ? search(op.peer) : std::nullopt;
    for (std::uint32_t rank = 0; rank < schedule_.ranks(); ++rank) {
        if (auto found = search(rank)) return found;
    }
    return std::nullopt;
}

std::vector<Place> Explanation::find_cycle(Place start) const {
    std::vector<Place> path;
    tsl::robin_map<std::uint64_t, std::size_t> position;
    std::optional<Place> at = start;
    while (at) {
        const std::uint64_t key = first_op_[at->rank] + at->op;
        if (const auto met = position.find(key); met != position.end()) {
            path.erase(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(met->second));
            return path;
        }
        position[key] = path.size();
        path.push_back(*at);
        at = blocked_by(*at);
    }
    return {};
}

std::optional<Place> Explanation::first_stuck() const {
    for (std::uint32_t rank = 0; rank < schedule_.ranks(); ++rank) {
        const std::uint32_t ops = schedule_.program(RankId{rank}).ops();
        for (std::uint32_t op = 0; op < ops; ++op) {
            if (!ended({rank, op})) return Place{rank, op};
        }
    }
    return std::nullopt;
}

void Explanation::give(Time now, std::span<const UnreceivedMessage> unreceived) {
    std::uint64_t stuck = 0;
    std::uint64_t stuck_ranks = 0;
    std::vector<Place> alone; // calls whose partner does not exist
    for (std::uint32_t rank = 0; rank < schedule_.ranks(); ++rank) {
        const std::uint32_t ops = schedule_.program(RankId{rank}).ops();
        const std::uint64_t before = stuck;
        for (std::uint32_t op = 0; op < ops; ++op) {
            const Place at{rank, op};
            if (ended(at)) continue;
            ++stuck;
            if (started(at) && alone.size() < lines_shown && !partner_that_never_came(at)) alone.push_back(at);
            if (graphs_.size() > 4096) graphs_.clear(); // bounded memory on large schedules
        }
        if (stuck != before) ++stuck_ranks;
    }
    std::vector<Place> cycle;
    if (const auto start = first_stuck(); start && alone.empty()) cycle = find_cycle(*start);
    const bool own_cycle = !cycle.empty() && std::all_of(cycle.begin(), cycle.end(), [&](Place at) {
        return at.rank == cycle.front().rank && !started(at);
    });
    if (own_cycle) {
        throw InputError(Error{schedule_.name(), 0, 0,
                               fmt::format("the dependencies of rank {} form a cycle; it contains operation {}",
                                           cycle.front().rank, cycle.front().op + 1)});
    }

    std::string text;
    if (stuck == 0) {
        text =
            fmt::format("messages were left unreceived when all operations had ended, at {}", format_time(now));
    } else {
        text = fmt::format("deadlock at {}: {} operation{} on {} rank{} can never complete", format_time(now),
                           format_count(stuck), stuck == 1 ? "" : "s", format_count(stuck_ranks),
                           stuck_ranks == 1 ? "" : "s");
    }
    for (const Place at : alone) {
        const bool sending = graph(at.rank).ops[at.op].kind == OpKind::send;
        text += fmt::format("\n  {} - no matching {} is left", words(at), sending ? "receive" : "send");
    }
    if (!cycle.empty()) {
        text += "\n  they wait for each other in a cycle:";
        for (std::size_t i = 0; i < cycle.size() && i < lines_shown; ++i) {
            const Place at = cycle[i];
            const Place next = cycle[(i + 1) % cycle.size()];
            text +=
                fmt::format("\n    {} - waits for rank {}, operation {}", words(at), next.rank, next.op + 1);
        }
        if (cycle.size() > lines_shown) text += fmt::format("\n    and {} more", cycle.size() - lines_shown);
    }
    for (std::size_t i = 0; i < unreceived.size() && i < lines_shown; ++i) {
        const Place at{unreceived[i].source, unreceived[i].op};
        if (std::find(alone.begin(), alone.end(), at) != alone.end()) continue;
        text += fmt::format("\n  {} - its message was never received", words(at));
    }
    throw SimulationError(text);
}

} // namespace

std::vector<std::uint64_t> first_operations(const Schedule& schedule) {
    std::vector<std::uint64_t> first;
    first.reserve(schedule.ranks());
    std::uint64_t total = 0;
    for (std::uint32_t rank = 0; rank < schedule.ranks(); ++rank) {
        first.push_back(total);
        total += schedule.checked_program(RankId{rank}).ops();
    }
    return first;
}

void throw_deadlock(const Schedule& schedule, std::span<const std::uint64_t> first_op,
                    std::span<const std::uint8_t> state, std::span<const UnreceivedMessage> unreceived,
                    Time now) {
    Explanation(schedule, first_op, state).give(now, unreceived);
}

} // namespace orrery
