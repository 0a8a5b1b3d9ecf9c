#include "workload/patterns/pattern.h"

#include "engine/units.h"
#include "workload/patterns/building.h"
#include "workload/patterns/factories.h"

#include <vector>

namespace orrery {

using patterns_detail::expect;

const PatternInfo& find_pattern(std::string_view name) {
    std::vector<std::string_view> names;
    for (const PatternInfo& info : patterns()) {
        if (info.name == name || (!info.alias.empty() && info.alias == name)) return info;
        names.push_back(info.name);
        if (!info.alias.empty()) names.push_back(info.alias);
    }
    const std::string nearest = nearest_word(name, names);
    throw UsageError(fmt::format("no pattern is called '{}'{}; 'orrery generate --list' shows them all", name,
                                 nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest)));
}

std::unique_ptr<Pattern> make_pattern(std::string_view name, const PatternOptions& options) {
    const PatternInfo& info = find_pattern(name);
    expect(options.ranks >= 1 && options.ranks <= max_ranks,
           fmt::format("the number of ranks is from 1 to {}, not {}", max_ranks, options.ranks));
    expect(options.root < options.ranks,
           fmt::format("--root {}: ranks are 0 to {}", options.root, options.ranks - 1));
    expect(options.bytes <= max_op_size, fmt::format("--bytes {} is too large", options.bytes));
    expect(options.iterations >= 1, "--iterations is at least 1");
    const double reduction = static_cast<double>(options.bytes) * options.reduce_cost;
    expect(reduction >= 0 && reduction < 0x1p62, "--reduce-cost times --bytes is too long a time");
    std::unique_ptr<Pattern> pattern = info.make(options);
    if (options.overlap == Time::zero()) return pattern;
    return patterns_detail::overlapped(std::move(pattern), options);
}

void generate(const Pattern& pattern, std::uint32_t ranks, ScheduleSink& sink) {
    RankGraph graph;
    sink.begin(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        graph.clear();
        pattern.program({rank}, graph);
        sink.rank({rank}, graph);
    }
    sink.finish();
}

} // namespace orrery
