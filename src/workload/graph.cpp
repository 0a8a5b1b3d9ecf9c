#include "workload/graph.h"

#include "engine/error.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery {

namespace {

Error at(const RankGraph& graph, RankId rank, std::uint32_t op, const std::string& file,
         const std::string& reason) {
    const std::uint64_t line = op < graph.lines.size() ? graph.lines[op] : 0;
    return {file, line, 0, fmt::format("rank {}, operation {}: {}", rank.value, op + 1, reason)};
}

std::string check_op(const Op& op, std::uint32_t ranks) {
    if (op.size > max_op_size) return fmt::format("size {} is too large (limit {})", op.size, max_op_size);
    if (op.cpu > max_cpu) return fmt::format("cpu {} is too large (limit {})", op.cpu, max_cpu);
    if (op.nic > max_nic) return fmt::format("nic {} is too large (limit {})", op.nic, max_nic);
    if (op.kind == OpKind::calc) return {};
    const bool wildcard = op.kind == OpKind::recv && op.peer == any_source;
    if (op.peer >= ranks && !wildcard) {
        return fmt::format("peer rank {} does not exist (ranks are 0 to {})", op.peer, ranks - 1);
    }
    if (op.kind == OpKind::send && op.tag == any_tag) return "a send needs a tag of its own (not -1)";
    return {};
}

// Looks for a cycle by depth-first search, without recursion; returns its operations in order, or nothing.
std::vector<std::uint32_t> find_cycle(const RankGraph& graph) {
    const std::size_t count = graph.ops.size();
    std::vector<std::uint32_t> first(count + 1, 0);
    for (const Dependency& dependency : graph.dependencies) ++first[dependency.after + 1];
    for (std::size_t i = 0; i < count; ++i) first[i + 1] += first[i];
    std::vector<std::uint32_t> before(graph.dependencies.size());
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    for (const Dependency& dependency : graph.dependencies)
        before[next[dependency.after]++] = dependency.before;

    enum : std::uint8_t { unseen, open, closed };
    std::vector<std::uint8_t> state(count, unseen);
    std::copy(first.begin(), first.end() - 1, next.begin());
    std::vector<std::uint32_t> path;
    for (std::uint32_t start = 0; start < count; ++start) {
        if (state[start] != unseen) continue;
        path.push_back(start);
        state[start] = open;
        while (!path.empty()) {
            const std::uint32_t op = path.back();
            if (next[op] == first[op + 1]) {
                state[op] = closed;
                path.pop_back();
                continue;
            }
            const std::uint32_t predecessor = before[next[op]++];
            if (state[predecessor] == open) {
                path.erase(path.begin(), std::find(path.begin(), path.end(), predecessor));
                return path;
            }
            if (state[predecessor] == unseen) {
                state[predecessor] = open;
                path.push_back(predecessor);
            }
        }
    }
    return {};
}

std::string name_cycle(const RankGraph& graph, const std::vector<std::uint32_t>& cycle) {
    constexpr std::size_t shown = 6;
    std::string words = "the dependencies form a cycle:";
    for (std::size_t i = 0; i < cycle.size() && i < shown; ++i) {
        const std::uint32_t op = cycle[i];
        words += fmt::format("{} operation {} ({}", i == 0 ? "" : " needs", op + 1, describe(graph.ops[op]));
        if (op < graph.lines.size()) words += fmt::format(", line {}", graph.lines[op]);
        words += ")";
    }
    if (cycle.size() > shown) words += fmt::format(" needs {} more", cycle.size() - shown);
    return words + fmt::format(" needs operation {}", cycle.front() + 1);
}

} // namespace

void check_rank(const RankGraph& graph, RankId rank, std::uint32_t ranks, const std::string& file) {
    for (std::uint32_t i = 0; i < graph.ops.size(); ++i) {
        const Op& op = graph.ops[i];
        const bool usual = op.size <= max_op_size && (op.cpu | op.nic) <= max_cpu &&
                           (op.kind == OpKind::calc || (op.peer < ranks && op.tag != any_tag));
        if (usual) continue;
        if (const std::string reason = check_op(op, ranks); !reason.empty()) {
            throw InputError(at(graph, rank, i, file, reason));
        }
    }
    bool forward = true; // all dependencies point back to earlier operations: no cycle is possible
    for (const Dependency& dependency : graph.dependencies) {
        if (dependency.before >= graph.ops.size() || dependency.after >= graph.ops.size()) {
            throw InputError(
                Error{file, 0, 0,
                      fmt::format("rank {}: a dependency names operation {}, but there are only {}", rank.value,
                                  std::max(dependency.before, dependency.after) + 1, graph.ops.size())});
        }
        forward = forward && dependency.before < dependency.after;
    }
    if (forward) return;
    if (const auto cycle = find_cycle(graph); !cycle.empty()) {
        throw InputError(at(graph, rank, cycle.front(), file, name_cycle(graph, cycle)));
    }
}

std::string describe(const Op& op) {
    const auto wild = [](std::uint32_t value) {
        return value == any_tag ? std::string("any") : fmt::to_string(value);
    };
    switch (op.kind) {
    case OpKind::send: return fmt::format("send {} B to {} tag {}", op.size, op.peer, op.tag);
    case OpKind::recv: return fmt::format("recv {} B from {} tag {}", op.size, wild(op.peer), wild(op.tag));
    case OpKind::calc: break;
    }
    return op.size % 1000 == 0 ? fmt::format("calc {} ns", op.size / 1000) : fmt::format("calc {} ps", op.size);
}

} // namespace orrery
