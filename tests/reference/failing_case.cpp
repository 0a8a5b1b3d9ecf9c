#include "reference/failing_case.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace orrery::reference {
namespace {

void remove_operation(RankGraph& graph, std::uint32_t op) {
    graph.ops.erase(graph.ops.begin() + op);
    std::erase_if(graph.dependencies, [&](const Dependency& d) { return d.before == op || d.after == op; });
    for (Dependency& d : graph.dependencies) {
        if (d.before > op) --d.before;
        if (d.after > op) --d.after;
    }
}

// Takes away a send and the first receive that could take its message.
void remove_message(std::vector<RankGraph>& ranks, std::uint32_t rank, std::uint32_t send) {
    const Op op = ranks[rank].ops[send];
    remove_operation(ranks[rank], send);
    auto& ops = ranks[op.peer].ops;
    const auto receive = std::find_if(ops.begin(), ops.end(), [&](const Op& other) {
        return other.kind == OpKind::recv && (other.peer == rank || other.peer == any_source) &&
               (other.tag == op.tag || other.tag == any_tag);
    });
    if (receive != ops.end())
        remove_operation(ranks[op.peer], static_cast<std::uint32_t>(receive - ops.begin()));
}

} // namespace

std::string to_goal(const std::vector<RankGraph>& ranks) {
    const auto wild = [](std::uint32_t value) { return value == any_source ? "-1" : std::to_string(value); };
    std::string out = "num_ranks " + std::to_string(ranks.size()) + "\n";
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        out += "rank " + std::to_string(r) + " {\n";
        for (std::size_t i = 0; i < ranks[r].ops.size(); ++i) {
            const Op& op = ranks[r].ops[i];
            out += "l" + std::to_string(i) + ": ";
            if (op.kind == OpKind::calc) {
                out += "calc " + std::to_string(op.size / 1000) + " cpu " + std::to_string(op.cpu) + "\n";
                continue;
            }
            const bool send = op.kind == OpKind::send;
            out += (send ? "send " : "recv ") + std::to_string(op.size) + (send ? "b to " : "b from ");
            out += wild(op.peer) + " tag " + wild(op.tag) + " cpu " + std::to_string(op.cpu) + " nic " +
                   std::to_string(op.nic) + "\n";
        }
        for (const Dependency& d : ranks[r].dependencies) {
            out += "l" + std::to_string(d.after) + (d.on_start ? " irequires l" : " requires l") +
                   std::to_string(d.before) + "\n";
        }
        out += "}\n";
    }
    return out;
}

RandomCase minimise(RandomCase failing, const std::function<bool(const RandomCase&)>& fails) {
    bool smaller = true;
    const auto attempt = [&](auto&& change) {
        RandomCase changed = failing;
        change(changed.ranks);
        if (!fails(changed)) return false;
        failing = std::move(changed);
        return smaller = true;
    };
    while (smaller) {
        smaller = false;
        for (std::uint32_t r = 0; r < failing.ranks.size(); ++r) {
            if (!failing.ranks[r].ops.empty()) attempt([&](auto& ranks) { ranks[r].clear(); });
            if (!failing.ranks[r].dependencies.empty()) {
                attempt([&](auto& ranks) { ranks[r].dependencies.clear(); });
            }
            for (auto i = static_cast<std::uint32_t>(failing.ranks[r].ops.size()); i-- > 0;) {
                if (i >= failing.ranks[r].ops.size()) continue; // a message to oneself took two away
                if (attempt([&](auto& ranks) { remove_operation(ranks[r], i); })) continue;
                if (failing.ranks[r].ops[i].kind == OpKind::send) {
                    attempt([&](auto& ranks) { remove_message(ranks, r, i); });
                }
            }
            for (std::size_t i = failing.ranks[r].dependencies.size(); i-- > 0;) {
                attempt([&](auto& ranks) {
                    ranks[r].dependencies.erase(ranks[r].dependencies.begin() + static_cast<std::ptrdiff_t>(i));
                });
            }
        }
    }
    return failing;
}

} // namespace orrery::reference
