// A pattern with each of the options that change its shape: what the property tests run over.
#pragma once

#include "workload/patterns/pattern.h"

#include <fmt/format.h>
#include <functional>
#include <string>
#include <vector>

namespace orrery::play {

struct Case {
    std::string pattern;
    std::string what; // how it differs from the defaults
    std::function<void(PatternOptions&)> change;

    [[nodiscard]] PatternOptions options(std::uint32_t ranks) const {
        PatternOptions o = find_pattern(pattern).defaults;
        o.ranks = ranks;
        change(o);
        return o;
    }
};

inline std::vector<Case> cases_of(const PatternInfo& info) {
    std::vector<Case> cases;
    const std::string name(info.name);
    const auto add = [&](const std::string& what, std::function<void(PatternOptions&)> change) {
        cases.push_back({name, what, std::move(change)});
    };
    add("defaults", [](PatternOptions&) {});
    add("overlap", [](PatternOptions& o) {
        o.overlap = Time::ns(1000);
        o.overlap_chunk = Time::ns(300);
    });
    if ((info.uses & option::bytes) != 0) {
        add("12345 bytes", [](PatternOptions& o) { o.bytes = 12345; });
        if (name != "linear-alltoallv") add("0 bytes", [](PatternOptions& o) { o.bytes = 0; });
    }
    if ((info.uses & option::root) != 0) {
        add("last root", [](PatternOptions& o) { o.root = o.ranks - 1; });
        add("middle root", [](PatternOptions& o) { o.root = o.ranks / 2; });
    }
    if ((info.uses & option::radix) != 0) {
        for (std::uint32_t radix : {1u, 2u, 3u, 5u}) {
            add(fmt::format("radix {}", radix), [radix](PatternOptions& o) { o.radix = radix; });
        }
    }
    if ((info.uses & option::fan) != 0) {
        add("fan 0", [](PatternOptions& o) { o.fan = 0; });
        add("fan 2", [](PatternOptions& o) { o.fan = o.ranks >= 4 ? 2 : 0; });
    }
    if ((info.uses & option::segment) != 0) {
        add("segments of 1000", [](PatternOptions& o) { o.bytes = 3500, o.segment = 1000; });
    }
    if ((info.uses & option::iterations) != 0) {
        add("3 iterations", [](PatternOptions& o) { o.iterations = 3; });
    }
    if ((info.uses & option::compute) != 0) {
        add("compute", [](PatternOptions& o) { o.compute = Time::us(1), o.iterations = 2; });
    }
    if ((info.uses & option::reduce_cost) != 0) {
        add("reduce cost", [](PatternOptions& o) { o.reduce_cost = 125; });
    }
    if ((info.uses & option::pause) != 0) {
        add("pause", [](PatternOptions& o) { o.pause = Time::ns(100); });
    }
    if ((info.uses & option::seed) != 0) {
        add("another seed", [](PatternOptions& o) { o.seed = 4711; });
    }
    if ((info.uses & option::group) != 0) {
        add("groups", [](PatternOptions& o) { o.group = o.ranks % 3 == 0 ? 3 : o.ranks; });
    }
    if ((info.uses & option::periodic) != 0) {
        add("periodic", [](PatternOptions& o) { o.periodic = true, o.iterations = 2; });
    }
    if ((info.uses & option::octants) != 0) {
        add("3 octants, 2 blocks", [](PatternOptions& o) { o.octants = 3, o.blocks = 2; });
    }
    if ((info.uses & option::outcast) != 0) {
        add("outcast", [](PatternOptions& o) { o.outcast = true, o.bytes = 1000, o.skew = 2.5; });
    }
    return cases;
}

inline std::vector<std::uint32_t> rank_counts() {
    std::vector<std::uint32_t> counts;
    for (std::uint32_t n = 1; n <= 40; ++n) counts.push_back(n);
    counts.insert(counts.end(), {47, 48, 60, 64, 65, 97});
    return counts;
}

} // namespace orrery::play
