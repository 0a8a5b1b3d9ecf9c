#include "collectives/algorithms.h"

#include "collectives/registry.h"

#include <algorithm>

namespace orrery {

namespace {

// Calls `visit` with each alias; stops when it says true.
template <typename Visit> bool any_alias(const Algorithm& algorithm, Visit visit) {
    std::string_view rest = algorithm.aliases;
    while (!rest.empty()) {
        const std::size_t blank = std::min(rest.find(' '), rest.size());
        if (visit(rest.substr(0, blank))) return true;
        rest.remove_prefix(std::min(blank + 1, rest.size()));
    }
    return false;
}

// '-' and '_' are the same, and so are large and small letters.
bool same_name(std::string_view a, std::string_view b) {
    const auto plain = [](char c) {
        if (c == '-') return '_';
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](char x, char y) { return plain(x) == plain(y); });
}

std::string_view without_program(std::string_view alias) { return alias.substr(alias.find(':') + 1); }

} // namespace

std::span<const Algorithm> algorithms(Collective operation) {
    switch (operation) {
    case Collective::barrier: return coll::barrier_table();
    case Collective::bcast: return coll::bcast_table();
    case Collective::gather: return coll::gather_table();
    case Collective::gatherv: return coll::gatherv_table();
    case Collective::scatter: return coll::scatter_table();
    case Collective::scatterv: return coll::scatterv_table();
    case Collective::allgather: return coll::allgather_table();
    case Collective::allgatherv: return coll::allgatherv_table();
    case Collective::alltoall: return coll::alltoall_table();
    case Collective::alltoallv: return coll::alltoallv_table();
    case Collective::alltoallw: return coll::alltoallw_table();
    case Collective::reduce: return coll::reduce_table();
    case Collective::allreduce: return coll::allreduce_table();
    case Collective::reduce_scatter: return coll::reduce_scatter_table();
    case Collective::reduce_scatter_block: return coll::reduce_scatter_block_table();
    case Collective::scan: return coll::scan_table();
    case Collective::exscan: return coll::exscan_table();
    case Collective::neighbor_allgather:
    case Collective::neighbor_allgatherv:
    case Collective::neighbor_alltoall:
    case Collective::neighbor_alltoallv:
    case Collective::neighbor_alltoallw: return coll::neighbor_table(operation);
    }
    return {};
}

const Algorithm* find_algorithm(Collective operation, std::string_view name) {
    const std::span<const Algorithm> all = algorithms(operation);
    for (const Algorithm& each : all) {
        if (same_name(each.name, name)) return &each;
    }
    for (const Algorithm& each : all) {
        if (any_alias(each, [&](std::string_view alias) { return same_name(alias, name); })) return &each;
    }
    for (const Algorithm& each : all) {
        if (any_alias(each, [&](std::string_view alias) { return same_name(without_program(alias), name); })) {
            return &each;
        }
    }
    return nullptr;
}

std::optional<Collective> find_collective(std::string_view name) {
    for (std::size_t i = 0; i < collective_count; ++i) {
        const auto operation = static_cast<Collective>(i);
        if (same_name(name_of(operation), name)) return operation;
    }
    return std::nullopt;
}

std::vector<std::string_view> programs_of(const Algorithm& algorithm) {
    std::vector<std::string_view> programs;
    any_alias(algorithm, [&](std::string_view alias) {
        const std::string_view program = alias.substr(0, alias.find(':'));
        if (std::find(programs.begin(), programs.end(), program) == programs.end()) programs.push_back(program);
        return false;
    });
    return programs;
}

std::vector<std::string> algorithm_names(Collective operation) {
    std::vector<std::string> names;
    for (const Algorithm& each : algorithms(operation)) names.emplace_back(each.name);
    for (const Algorithm& each : algorithms(operation)) {
        any_alias(each, [&](std::string_view alias) {
            names.emplace_back(alias);
            names.emplace_back(without_program(alias));
            return false;
        });
    }
    return names;
}

} // namespace orrery
