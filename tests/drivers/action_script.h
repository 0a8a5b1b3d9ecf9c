// Traces written down in a test: a vector of actions per rank.
#pragma once

#include "workload/action.h"

#include <string>
#include <utility>
#include <vector>

namespace orrery::test {

class ActionScript : public ActionSource {
  public:
    explicit ActionScript(std::uint32_t ranks) : ranks_(ranks) {}

    ActionScript& add(std::uint32_t rank, Action action) {
        action.line = ranks_[rank].actions.size() + 1;
        ranks_[rank].actions.push_back(action);
        return *this;
    }
    ActionScript& compute(std::uint32_t rank, double volume) {
        Action action;
        action.kind = ActionKind::compute;
        action.volume = volume;
        return add(rank, action);
    }
    ActionScript& message(std::uint32_t rank, ActionKind kind, std::uint32_t peer, Bytes bytes,
                          std::uint32_t request = 0, std::uint32_t tag = 0, std::uint32_t comm = world) {
        Action action;
        action.kind = kind;
        action.peer = peer;
        action.bytes = bytes;
        action.request = request;
        action.tag = tag;
        action.comm = comm;
        return add(rank, action);
    }
    ActionScript& wait(std::uint32_t rank, std::uint32_t request, ActionKind kind = ActionKind::wait) {
        Action action;
        action.kind = kind;
        action.request = request;
        return add(rank, action);
    }
    ActionScript& wait_all(std::uint32_t rank) { return wait(rank, 0, ActionKind::wait_all); }
    ActionScript& collective(std::uint32_t rank, Collective what, Bytes bytes, std::uint32_t comm = world,
                             std::uint32_t root = 0) {
        Action action;
        action.kind = ActionKind::collective;
        action.collective = what;
        action.bytes = bytes;
        action.comm = comm;
        action.peer = root;
        return add(rank, action);
    }
    ActionScript& nonblocking(std::uint32_t rank, Collective what, Bytes bytes, std::uint32_t request) {
        Action action;
        action.kind = ActionKind::collective;
        action.collective = what;
        action.bytes = bytes;
        action.nonblocking = true;
        action.request = request;
        return add(rank, action);
    }
    ActionScript& split(std::uint32_t rank, std::uint32_t name, std::uint32_t colour, std::uint32_t key) {
        Action action;
        action.kind = ActionKind::comm_split;
        action.request = name;
        action.peer = colour;
        action.other = key;
        return add(rank, action);
    }
    ActionScript& dup(std::uint32_t rank, std::uint32_t name, std::uint32_t of = world) {
        Action action;
        action.kind = ActionKind::comm_dup;
        action.request = name;
        action.comm = of;
        return add(rank, action);
    }
    ActionScript& create(std::uint32_t rank, std::uint32_t name, const std::vector<Bytes>& members) {
        Action action;
        action.kind = ActionKind::comm_create;
        action.request = name;
        return add(rank, with_counts(action, members));
    }
    ActionScript& neighbours(std::uint32_t rank, std::vector<Bytes> sources, const std::vector<Bytes>& to,
                             std::uint32_t comm = world) {
        Action action;
        action.kind = ActionKind::neighbours;
        action.comm = comm;
        action.peer = static_cast<std::uint32_t>(sources.size());
        sources.insert(sources.end(), to.begin(), to.end());
        return add(rank, with_counts(action, sources));
    }
    // From the beginning again.
    void rewind() {
        for (Rank& rank : ranks_) rank.told = false;
    }

    [[nodiscard]] std::uint32_t ranks() const override { return static_cast<std::uint32_t>(ranks_.size()); }
    std::span<const Action> next(RankId rank) override {
        if (std::exchange(ranks_[rank.index()].told, true)) return {};
        return ranks_[rank.index()].actions;
    }
    [[nodiscard]] std::span<const Bytes> counts(RankId, const Action& action) const override {
        return std::span<const Bytes>(counts_).subspan(action.first_count, action.counts);
    }
    [[nodiscard]] std::string file(RankId rank) const override {
        return "rank" + std::to_string(rank.value) + ".txt";
    }

    // Appends counts for the next action; put the result into it with `with_counts`.
    Action with_counts(Action action, const std::vector<Bytes>& counts) {
        action.first_count = static_cast<std::uint32_t>(counts_.size());
        action.counts = static_cast<std::uint32_t>(counts.size());
        counts_.insert(counts_.end(), counts.begin(), counts.end());
        return action;
    }

  private:
    struct Rank {
        std::vector<Action> actions;
        bool told = false;
    };
    std::vector<Rank> ranks_;
    std::vector<Bytes> counts_;
};

} // namespace orrery::test
