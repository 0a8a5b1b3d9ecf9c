#include "workload/patterns/pattern.h"

#include "workload/patterns/building.h"
#include "workload/patterns/factories.h"

#include <vector>

namespace orrery {

using patterns_detail::expect;

std::unique_ptr<Pattern> make_pattern(std::string_view name, const PatternOptions& options) {
    const PatternInfo& info = find_pattern(name);
    expect(options.ranks >= 1 && options.ranks <= max_ranks,
           fmt::format("the number of ranks is from 1 to {}, not {}", max_ranks, options.ranks));
    expect(options.root < options.ranks,
           fmt::format("--root {}: ranks are 0 to {}", options.root, options.ranks - 1));
    expect(fits(info, options.ranks),
           fmt::format("the pattern '{}' needs {} ranks, not {}", info.name,
                       info.sizes == PatternSizes::powers_of_four ? "4^n" : "2^n", options.ranks));
    expect(options.bytes <= max_op_size, fmt::format("--bytes {} is too large", options.bytes));
    expect(options.iterations >= 1, "--iterations is at least 1");
    const double reduction = static_cast<double>(options.bytes) * options.reduce_cost;
    expect(reduction >= 0 && reduction < 0x1p62, "--reduce-cost times --bytes is too long a time");
    std::unique_ptr<Pattern> pattern = info.make(options);
    if (options.overlap == Time::zero()) return pattern;
    return patterns_detail::overlapped(std::move(pattern), options);
}

std::vector<PatternMessage> messages_of(const Pattern& pattern, std::uint32_t ranks) {
    constexpr std::uint64_t most = std::uint64_t{1} << 28;
    expect(pattern.messages() <= most,
           fmt::format("the pattern has {} messages; at most {} can be studied one by one", pattern.messages(),
                       most));
    std::vector<PatternMessage> messages;
    messages.reserve(pattern.messages());
    RankGraph graph;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        graph.clear();
        pattern.program({rank}, graph);
        for (const Op& op : graph.ops) {
            if (op.kind == OpKind::send && op.peer != rank) messages.push_back({rank, op.peer, op.size});
        }
    }
    return messages;
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
