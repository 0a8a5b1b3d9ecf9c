#include "machine/routing/pattern.h"

#include "engine/error.h"
#include "engine/units.h"
#include "machine/machine_file.h"
#include "machine/platform.h"
#include "machine/topologies/dragonfly.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace orrery {

namespace {

std::optional<std::uint64_t> number_in(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return value;
}

// Where one comes to on a grid of routers.
class GridWalk {
  public:
    explicit GridWalk(const RouterGrid& grid) : dimensions_(grid.dimensions), nodes_(grid.nodes) {}

    // The host at the same place of the router so many steps further on in a
    // dimension, round the ring.
    [[nodiscard]] std::uint32_t moved(std::uint32_t host, std::size_t axis, std::uint32_t by) const {
        std::uint32_t stride = 1;
        for (std::size_t i = 0; i < axis; ++i) stride *= dimensions_[i];
        const std::uint32_t router = host / nodes_;
        const std::uint32_t size = dimensions_[axis];
        const std::uint32_t at = router / stride % size;
        const std::uint32_t there = (at + by) % size;
        return (router - at * stride + there * stride) * nodes_ + host % nodes_;
    }

  private:
    std::vector<std::uint32_t> dimensions_;
    std::uint32_t nodes_;
};

// Almost halfway round in each dimension.
std::vector<Flow> tornado_on(const RouterGrid& grid, std::uint32_t hosts) {
    const GridWalk walk(grid);
    std::vector<Flow> flows;
    for (std::uint32_t host = 0; host < hosts; ++host) {
        std::uint32_t to = host;
        for (std::size_t axis = 0; axis < grid.dimensions.size(); ++axis)
            to = walk.moved(to, axis, (grid.dimensions[axis] + 1) / 2 - 1);
        if (to != host) flows.push_back({{host}, {to}});
    }
    return flows;
}

// Hosts one step away; of a host that has another one twice, once.
template <typename Visit> void each_neighbour(const RouterGrid& grid, std::uint32_t host, Visit visit) {
    const GridWalk walk(grid);
    const bool wraps = grid.joined != Joined::in_lines;
    for (std::size_t axis = 0; axis < grid.dimensions.size(); ++axis) {
        const std::uint32_t up = walk.moved(host, axis, 1);
        const std::uint32_t down = walk.moved(host, axis, grid.dimensions[axis] - 1);
        // Hosts are numbered along the dimensions: what goes round an edge of a
        // mesh runs backwards.
        if (wraps || up > host) visit(up);
        if (wraps || down < host) visit(down);
    }
}
std::vector<Flow> neighbours_on(const RouterGrid& grid, std::uint32_t hosts) {
    std::vector<Flow> flows;
    for (std::uint32_t host = 0; host < hosts; ++host) {
        const std::size_t first = flows.size();
        each_neighbour(grid, host, [&](std::uint32_t to) {
            const bool known = std::any_of(flows.begin() + static_cast<std::ptrdiff_t>(first), flows.end(),
                                           [&](const Flow& flow) { return flow.to.value == to; });
            if (to != host && !known) flows.push_back({{host}, {to}});
        });
    }
    return flows;
}

// What a machine's topology says better than the number of its hosts.
std::vector<Flow> flows_on(const Topology& topology, const PatternInfo& info, std::uint32_t hosts) {
    const std::optional<RouterGrid> grid = topology.regularity().grid;
    if (info.name == "tornado" && grid && grid->rings_or_lines()) return tornado_on(*grid, hosts);
    if (info.name == "neighbour" && grid && grid->joined != Joined::all_to_all)
        return neighbours_on(*grid, hosts);
    return {};
}

// The messages of a pattern as flows, each pair of hosts once.
std::vector<Flow> flows_of(const PatternInfo& info, const PatternOptions& options) {
    constexpr std::uint64_t most = std::uint64_t{1} << 25;
    const std::unique_ptr<Pattern> pattern = make_pattern(info.name, options);
    if (pattern->messages() > most) {
        throw UsageError(fmt::format("the pattern '{}' has {} messages on {} hosts; at most {} are followed",
                                     info.name, pattern->messages(), options.ranks, most));
    }
    const std::vector<PatternMessage> messages = messages_of(*pattern, options.ranks);
    std::vector<Flow> flows;
    if (info.of_hosts) {
        for (const PatternMessage& each : messages) flows.push_back({{each.from}, {each.to}, each.bytes});
    } else {
        std::map<std::uint32_t, std::size_t> known; // of this sender
        std::uint32_t sender = 0;
        for (const PatternMessage& each : messages) {
            if (each.from != sender) known.clear();
            sender = each.from;
            const auto [at, added] = known.emplace(each.to, flows.size());
            if (added) {
                flows.push_back({{each.from}, {each.to}, each.bytes});
            } else {
                flows[at->second].bytes += each.bytes;
            }
        }
    }

    // By distance, not by sender: routes are made in this order.
    if (info.name == "uniform") {
        std::stable_sort(flows.begin(), flows.end(), [&](const Flow& a, const Flow& b) {
            const auto step = [&](const Flow& flow) {
                return (flow.to.value + options.ranks - flow.from.value) % options.ranks;
            };
            return step(a) < step(b);
        });
    }

    return flows;
}

class PatternReader {
  public:
    PatternReader(const Platform& platform, std::string file) : platform_(platform), file_(std::move(file)) {}

    void line(std::string_view text) {
        ++line_;
        text = text.substr(0, text.find('#'));
        std::vector<std::string_view> words;
        constexpr std::string_view blank = " \t\r";
        for (std::size_t at = text.find_first_not_of(blank); at < text.size();) {
            const std::size_t end = std::min(text.find_first_of(blank, at), text.size());
            words.push_back(text.substr(at, end - at));
            at = text.find_first_not_of(blank, end);
        }
        if (words.empty()) return;
        if (words.size() < 2 || words.size() > 4) fail("expected 'from to [bytes] [phase]'");
        Flow flow{host(words[0]), host(words[1])};
        if (words.size() > 2) {
            try {
                flow.bytes = parse_bytes(words[2]);
            } catch (const UsageError& error) {
                fail(error.what());
            }
        }
        if (words.size() > 3) {
            const auto phase = number_in(words[3]);
            if (!phase || *phase > 1'000'000) fail("expected a phase from 0 to 1000000");
            flow.phase = static_cast<std::uint32_t>(*phase);
        }
        if (flow.from != flow.to) flows.push_back(flow);
    }

    std::vector<Flow> flows;

  private:
    [[noreturn]] void fail(const std::string& reason) const {
        throw InputError(Error{file_, line_, 0, reason});
    }

    HostId host(std::string_view word) const {
        if (const auto found = platform_.topology().find_host(word)) return *found;
        const auto number = number_in(word);
        if (!number || *number >= platform_.host_count()) {
            fail(fmt::format("the machine has no host '{}'; its {} hosts are {} to {}", word,
                             platform_.host_count(), platform_.topology().host_name({0}),
                             platform_.topology().host_name({platform_.host_count() - 1})));
        }
        return {static_cast<std::uint32_t>(*number)};
    }

    const Platform& platform_;
    std::string file_;
    std::uint64_t line_ = 0;
};

} // namespace

HostPattern parse_pattern(const Platform& platform, std::string_view text, const std::string& file) {
    PatternReader reader(platform, file);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        reader.line(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (reader.flows.empty()) throw InputError(Error{file, 0, 0, "no host sends to another one"});
    return {file, std::move(reader.flows)};
}

PatternChoice choose_host_pattern(const Platform& platform, std::string_view text, PatternUsers user) {
    PatternChoice choice = choose_pattern(text, user);
    choice.options.ranks = platform.host_count();
    if (choice.info->of_hosts && (choice.given & option::bytes) == 0) choice.options.bytes = 1;
    if (choice.info->name != "group" || (choice.given & option::group) != 0) return choice;
    const DragonflyShape* const shape = platform.topology().regularity().groups;
    if (shape == nullptr) {
        throw UsageError("the pattern 'group' is for dragonflies; elsewhere say "
                         "how many hosts are a group: group:16");
    }
    choice.options.group = shape->chassis * shape->routers * shape->nodes;
    return choice;
}

HostPattern read_pattern(const Platform& platform, const std::string& name_or_file, PatternUsers user,
                         std::optional<std::uint64_t> seed) {
    std::error_code none;
    const bool file = std::filesystem::exists(name_or_file, none);
    if (file || !names_pattern(name_or_file, user)) {
        if (!file) {
            throw UsageError(fmt::format("'{}' is neither a file nor a pattern{}; "
                                         "'orrery generate --list' shows all "
                                         "patterns",
                                         name_or_file, nearest_pattern(name_or_file, user)));
        }
        return parse_pattern(platform, read_whole_file(name_or_file), name_or_file);
    }
    PatternChoice choice = choose_host_pattern(platform, name_or_file, user);
    if (seed && (choice.given & option::seed) == 0) choice.options.seed = *seed;
    HostPattern pattern{name_or_file, flows_on(platform.topology(), *choice.info, platform.host_count())};
    if (pattern.flows.empty()) pattern.flows = flows_of(*choice.info, choice.options);
    if (pattern.flows.empty()) throw UsageError(fmt::format("in the pattern '{}' nobody sends", name_or_file));
    return pattern;
}

} // namespace orrery
