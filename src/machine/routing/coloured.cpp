#include "machine/routing/coloured.h"

#include "machine/routing/colouring.h"
#include "machine/routing/contention_bound.h"
#include "machine/routing/edge_colouring.h"
#include "machine/routing/families.h"
#include "machine/routing/fat_tree_routing.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

namespace orrery {

namespace {

// A choice is a port for each level, the lowest level fastest; downwards the parallel cable of the same
// number is taken.
class FatTreeChoices final : public ColourChoices {
  public:
    explicit FatTreeChoices(const FatTreePaths& tree) : tree_(tree) {}

    [[nodiscard]] std::uint32_t count(const ColourPair& pair) const override {
        std::uint64_t count = 1;
        const std::uint32_t height = tree_.height(pair.from, pair.to);
        for (std::uint32_t level = 0; level < height; ++level)
            count = std::min<std::uint64_t>(count * tree_.ports(level), 1U << 30U);
        return static_cast<std::uint32_t>(count);
    }
    void channels(const ColourPair& pair, std::uint32_t choice, std::vector<LinkId>& out) const override {
        thread_local std::vector<Hop> hops;
        hops.clear();
        path(pair.from, pair.to, choice, hops);
        for (const Hop& hop : hops) out.push_back(hop.channel);
    }
    void path(HostId from, HostId to, std::uint32_t choice, std::vector<Hop>& hops) const {
        std::array<std::uint32_t, 32> ports{};
        std::array<std::uint32_t, 32> copies{};
        const std::uint32_t height = tree_.height(from, to);
        for (std::uint32_t level = 0; level < height; ++level) {
            ports[level] = choice % tree_.ports(level);
            choice /= tree_.ports(level);
            copies[level] = ports[level] / tree_.shape().up[level];
        }
        tree_.append(from, to, ports, copies, hops);
    }

  private:
    const FatTreePaths& tree_;
};

// D-mod-k or S-mod-k as a choice for each pair; `local`: by the place of the host in its subtree, so that hosts
// of the same place in different subtrees have the same choice.
std::vector<std::uint32_t> mod_start(const FatTreePaths& tree, std::span<const ColourPair> pairs,
                                     bool by_source, bool local) {
    std::vector<std::uint32_t> out;
    for (const ColourPair& pair : pairs) {
        const std::uint32_t host = (by_source ? pair.from : pair.to).value;
        std::uint32_t divisor = 1;
        std::uint32_t scale = 1;
        std::uint32_t choice = 0;
        const std::uint32_t height = tree.height(pair.from, pair.to);
        for (std::uint32_t level = 0; level < height; ++level) {
            const std::uint32_t number =
                local ? host % tree.hosts_below(level) : tree.shape().first_position + host;
            choice += number / divisor % tree.ports(level) * scale;
            scale *= tree.ports(level);
            divisor *= tree.shape().up[level];
        }
        out.push_back(choice);
    }
    return out;
}

// Level by level by edge colouring: on a tree that is not slimmed a permutation comes out without conflict.
std::vector<std::uint32_t> edge_start(const FatTreePaths& tree, std::span<const ColourPair> pairs) {
    std::vector<std::uint32_t> choice(pairs.size(), 0);
    std::vector<std::uint32_t> node(pairs.size(), 0); // digits of the parents chosen so far
    std::uint32_t scale = 1;
    std::uint32_t width = 1;
    for (std::uint32_t level = 0; level < tree.levels(); ++level) {
        using Vertex = std::pair<std::uint32_t, std::uint32_t>;
        std::map<Vertex, std::uint32_t> left;
        std::map<Vertex, std::uint32_t> right;
        const auto number = [](std::map<Vertex, std::uint32_t>& side, Vertex vertex) {
            return side.emplace(vertex, static_cast<std::uint32_t>(side.size())).first->second;
        };
        std::vector<std::uint32_t> going; // pairs that go further up
        std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
        for (std::uint32_t i = 0; i < pairs.size(); ++i) {
            if (tree.height(pairs[i].from, pairs[i].to) <= level) continue;
            going.push_back(i);
            edges.emplace_back(number(left, {node[i], pairs[i].from.value / tree.hosts_below(level)}),
                               number(right, {node[i], pairs[i].to.value / tree.hosts_below(level)}));
        }
        const std::vector<std::uint32_t> port = colour_edges(edges, tree.ports(level));
        for (std::size_t k = 0; k < going.size(); ++k) {
            choice[going[k]] += port[k] * scale;
            node[going[k]] += port[k] % tree.shape().up[level] * width;
        }
        scale *= tree.ports(level);
        width *= tree.shape().up[level];
    }
    return choice;
}

struct PairTable {
    std::vector<ColourPair> pairs; // by (from, to)
    std::uint32_t phases = 1;
};

PairTable pairs_of(const HostPattern& pattern) {
    std::map<std::pair<HostId, HostId>, std::set<std::uint32_t>> phases_of;
    std::map<std::uint32_t, std::uint32_t> phases; // numbered densely
    for (const Flow& flow : pattern.flows) {
        if (flow.from == flow.to) continue;
        phases_of[{flow.from, flow.to}].insert(flow.phase);
        phases.emplace(flow.phase, 0);
    }
    std::uint32_t next = 0;
    for (auto& [phase, number] : phases) number = next++;
    PairTable table;
    table.phases = std::max(1U, next);
    for (const auto& [ends, used] : phases_of) {
        ColourPair pair{ends.first, ends.second, {}};
        for (const std::uint32_t phase : used) pair.phases.push_back(phases[phase]);
        table.pairs.push_back(std::move(pair));
    }
    return table;
}

class Coloured final : public ColouredRouting {
  public:
    Coloured(const Fabric& fabric, const HostPattern& pattern, std::uint64_t seed, std::uint32_t rounds)
        : tree_(fabric), choices_(tree_), other_(make_d_mod_k(fabric, ModForm::parents)),
          words_(pattern.words) {
        PairTable table = pairs_of(pattern);
        pairs_ = std::move(table.pairs);
        ColourTask task{pairs_, fabric.channel_count(), table.phases, contention_bound(tree_, pairs_), seed,
                        rounds};
        const std::array starts{mod_start(tree_, pairs_, false, false), mod_start(tree_, pairs_, true, false),
                                mod_start(tree_, pairs_, false, true), mod_start(tree_, pairs_, true, true),
                                edge_start(tree_, pairs_)};
        const Colouring best = colour(task, choices_, starts);
        choice_ = best.choice;
        report_ = {pairs_.size(), best.contention, task.bound, judge(task, choices_, starts[0]).contention,
                   judge(task, choices_, starts[1]).contention};
    }

    void path(HostId from, HostId to, std::uint64_t draw, const LoadView& load,
              std::vector<Hop>& hops) const override {
        const auto found = std::lower_bound(
            pairs_.begin(), pairs_.end(), std::pair(from, to),
            [](const ColourPair& pair, const auto& ends) { return std::pair(pair.from, pair.to) < ends; });
        if (found == pairs_.end() || found->from != from || found->to != to)
            return other_->path(from, to, draw, load, hops);
        choices_.path(from, to, choice_[static_cast<std::size_t>(found - pairs_.begin())], hops);
    }
    [[nodiscard]] std::string words() const override {
        return fmt::format("coloured for {} ({} pairs): contention {}, where {} is the least possible and "
                           "D-mod-k has {}",
                           words_, report_.pairs, report_.contention, report_.bound, report_.d_mod_k);
    }
    [[nodiscard]] const ColourReport& report() const override { return report_; }

  private:
    FatTreePaths tree_;
    FatTreeChoices choices_;
    std::unique_ptr<Routing> other_;
    std::string words_;
    std::vector<ColourPair> pairs_;
    std::vector<std::uint32_t> choice_;
    ColourReport report_;
};

} // namespace

std::unique_ptr<ColouredRouting> make_coloured(const Fabric& fabric, const HostPattern& pattern,
                                               std::uint64_t seed, std::uint32_t rounds) {
    return std::make_unique<Coloured>(fabric, pattern, seed, rounds);
}

} // namespace orrery
