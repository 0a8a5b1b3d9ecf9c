#include "machine/mapping.h"

#include "engine/error.h"
#include "engine/random.h"
#include "engine/units.h"
#include "machine/host_names.h"
#include "machine/machine_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <numeric>
#include <optional>
#include <utility>

namespace orrery {

namespace {

constexpr std::uint32_t most_slots = 1'000'000;

// The words of each line that has any, without comments.
struct Line {
    std::uint64_t number;
    std::vector<std::string_view> words;
};

std::vector<Line> split_lines(std::string_view text) {
    std::vector<Line> lines;
    for (std::uint64_t number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        line = line.substr(0, line.find('#'));
        std::vector<std::string_view> words;
        constexpr std::string_view blanks = " \t\r";
        for (std::size_t at = line.find_first_not_of(blanks); at != std::string_view::npos;
             at = line.find_first_not_of(blanks, at)) {
            const std::size_t stop = std::min(line.find_first_of(blanks, at), line.size());
            words.push_back(line.substr(at, stop - at));
            at = stop;
        }
        if (!words.empty()) lines.push_back({number, std::move(words)});
    }
    return lines;
}

[[noreturn]] void fail(const std::string& file, std::uint64_t line, std::string reason) {
    throw InputError(Error{file, line, 0, std::move(reason)});
}

std::optional<std::uint32_t> number(std::string_view text, std::uint32_t most) {
    std::uint32_t value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || result.ec != std::errc() || result.ptr != text.data() + text.size() || value > most) {
        return std::nullopt;
    }
    return value;
}

HostId find_host(std::string_view name, const std::string& file, std::uint64_t line, const Platform& platform) {
    if (const auto host = platform.topology().find_host(name)) return *host;
    std::string near;
    std::size_t nearest = name.size() / 3 + 2; // as nearest_word, without keeping all names
    for (std::uint32_t i = 0; i < std::min(platform.host_count(), 10'000U); ++i) {
        const std::string candidate = platform.topology().host_name({i});
        const std::size_t distance = edit_distance(name, candidate);
        if (distance >= nearest) continue;
        nearest = distance;
        near = candidate;
    }
    fail(file, line,
         fmt::format("the machine has no host '{}'{}", name,
                     near.empty()
                         ? fmt::format("; its first is '{}', its last '{}'", platform.topology().host_name({0}),
                                       platform.topology().host_name({platform.host_count() - 1}))
                         : fmt::format("; did you mean '{}'?", near)));
}

std::vector<std::string> host_names(const Platform& platform) {
    std::vector<std::string> names;
    names.reserve(platform.host_count());
    for (std::uint32_t i = 0; i < platform.host_count(); ++i)
        names.push_back(platform.topology().host_name({i}));
    return names;
}

template <typename Less> std::vector<std::uint32_t> ordered(const std::vector<std::string>& names, Less less) {
    std::vector<std::uint32_t> order(names.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto before = [&](std::uint32_t a, std::uint32_t b) { return less(names[a], names[b]); };
    if (!std::is_sorted(order.begin(), order.end(), before))
        std::stable_sort(order.begin(), order.end(), before);
    return order;
}

void check(const std::vector<HostSlots>& hosts) {
    if (hosts.empty()) throw InputError("there is no host to map ranks to");
}

} // namespace

std::vector<HostSlots> read_hostfile(const std::string& file, const Platform& platform) {
    return parse_hostfile(read_whole_file(file), file, platform);
}

std::vector<HostSlots> parse_hostfile(std::string_view text, const std::string& file,
                                      const Platform& platform) {
    std::vector<HostSlots> hosts;
    for (const auto& [line, words] : split_lines(text)) {
        std::string_view name = words[0];
        std::uint32_t slots = 1;
        const auto take = [&, at = line](std::string_view value) {
            const auto given = number(value, most_slots);
            if (!given || *given == 0) {
                fail(file, at, fmt::format("'{}' is not a number of slots from 1 to {}", value, most_slots));
            }
            slots = *given;
        };
        // A colon may be part of a name; what follows the last one is a number of slots if it looks like one.
        const auto colon = name.rfind(':');
        if (colon != std::string_view::npos && !platform.topology().find_host(name)) {
            take(name.substr(colon + 1));
            name = name.substr(0, colon);
        }
        for (std::size_t i = 1; i < words.size(); ++i) {
            if (words[i].starts_with("slots=")) {
                take(words[i].substr(6));
            } else if (!words[i].starts_with("max_slots=") && !words[i].starts_with("max-slots=")) {
                fail(file, line, fmt::format("'{}': expected slots=NUMBER after the host", words[i]));
            }
        }
        hosts.push_back({find_host(name, file, line, platform), slots});
    }
    if (hosts.empty()) fail(file, 0, "names no host");
    return hosts;
}

std::vector<HostSlots> natural_hosts(const Platform& platform) {
    std::vector<HostSlots> hosts;
    for (const std::uint32_t host : ordered(host_names(platform), natural_less)) {
        hosts.push_back({{host}, platform.host({host}).cores});
    }
    return hosts;
}

std::vector<HostSlots> simgrid_hosts(const Platform& platform) {
    std::vector<HostSlots> hosts;
    for (const std::uint32_t host : ordered(host_names(platform), std::less<>())) hosts.push_back({{host}, 1});
    return hosts;
}

std::vector<HostId> map_block(const std::vector<HostSlots>& hosts, std::uint32_t ranks) {
    check(hosts);
    std::vector<HostId> out;
    out.reserve(ranks);
    while (out.size() < ranks) {
        for (const HostSlots& each : hosts) {
            const std::size_t wanted = std::min<std::size_t>(each.slots, ranks - out.size());
            out.insert(out.end(), wanted, each.host);
        }
    }
    return out;
}

std::vector<HostId> map_round_robin(const std::vector<HostSlots>& hosts, std::uint32_t ranks) {
    check(hosts);
    std::uint32_t rounds = 0;
    for (const HostSlots& each : hosts) rounds = std::max(rounds, each.slots);
    std::vector<HostId> out;
    out.reserve(ranks);
    for (std::uint32_t round = 0; out.size() < ranks; round = (round + 1) % rounds) {
        for (const HostSlots& each : hosts) {
            if (round < each.slots && out.size() < ranks) out.push_back(each.host);
        }
    }
    return out;
}

std::vector<HostId> read_rank_map(const std::string& file, const Platform& platform, std::uint32_t ranks) {
    return parse_rank_map(read_whole_file(file), file, platform, ranks);
}

namespace {

// Line n names the host of rank n.
std::vector<HostId> parse_host_lines(const std::vector<Line>& lines, const std::string& file,
                                     const Platform& platform, std::uint32_t ranks) {
    std::vector<HostId> hosts;
    for (const auto& [line, words] : lines) {
        if (words.size() != 1) fail(file, line, "expected one host, as in the lines before");
        if (hosts.size() == ranks)
            fail(file, line, fmt::format("a host for rank {}, but {} ranks are mapped", hosts.size(), ranks));
        const auto index = number(words[0], ~std::uint32_t{0});
        if (index && *index < platform.host_count() && !platform.topology().find_host(words[0])) {
            hosts.push_back({*index});
        } else {
            hosts.push_back(find_host(words[0], file, line, platform));
        }
    }
    if (hosts.size() < ranks) fail(file, 0, fmt::format("rank {} is missing", hosts.size()));
    return hosts;
}

} // namespace

std::vector<HostId> map_random(const std::vector<HostSlots>& hosts, std::uint32_t ranks, std::uint64_t seed) {
    check(hosts);
    std::uint64_t slots = 0;
    for (const HostSlots& each : hosts) slots += each.slots;
    const auto all = static_cast<std::uint32_t>(std::min<std::uint64_t>(slots, ~std::uint32_t{0}));
    std::vector<HostId> shuffled = map_block(hosts, all);
    const RandomStream random(seed, 0);
    for (std::uint32_t i = all; i > 1; --i) std::swap(shuffled[i - 1], shuffled[random.below(i, i)]);
    std::vector<HostId> out;
    out.reserve(ranks);
    for (std::uint32_t i = 0; i < ranks; ++i) out.push_back(shuffled[i % all]);
    return out;
}

std::string rank_map_text(const std::vector<HostId>& hosts, const Platform& platform) {
    std::string text = "# the host of rank 0, of rank 1, ...\n";
    for (const HostId host : hosts) text += platform.topology().host_name(host) + '\n';
    return text;
}

std::vector<HostId> parse_rank_map(std::string_view text, const std::string& file, const Platform& platform,
                                   std::uint32_t ranks) {
    const std::vector<Line> lines = split_lines(text);
    if (!lines.empty() && lines[0].words.size() == 1) return parse_host_lines(lines, file, platform, ranks);
    std::vector<HostId> hosts(ranks);
    std::vector<std::uint64_t> said(ranks); // the line of each rank
    for (const auto& [line, words] : lines) {
        const auto rank = number(words[0], ~std::uint32_t{0});
        if (words.size() != 2 || !rank)
            fail(file, line, "expected RANK HOST, such as '3 n7', or a host in every line");
        if (*rank >= ranks)
            fail(file, line, fmt::format("there is no rank {}: {} ranks are mapped", *rank, ranks));
        if (said[*rank] != 0)
            fail(file, line, fmt::format("rank {} was mapped in line {} already", *rank, said[*rank]));
        said[*rank] = line;
        hosts[*rank] = find_host(words[1], file, line, platform);
    }
    const auto missing = std::find(said.begin(), said.end(), 0U);
    if (missing != said.end()) fail(file, 0, fmt::format("rank {} is missing", missing - said.begin()));
    return hosts;
}

std::vector<HostSlots> hosts_of(const Platform& platform, const MappingOptions& options) {
    return !options.hostfile.empty() ? read_hostfile(options.hostfile, platform)
           : options.simgrid_order   ? simgrid_hosts(platform)
                                     : natural_hosts(platform);
}

namespace {

constexpr std::string_view random_rule = "random";

// Of "random" and "random:SEED"; none: another rule.
std::optional<std::uint32_t> seed_of_rule(const std::string& rule) {
    if (rule == random_rule) return 1;
    if (!rule.starts_with("random:")) return std::nullopt;
    const auto seed = number(std::string_view(rule).substr(random_rule.size() + 1), ~std::uint32_t{0});
    if (!seed) throw UsageError(fmt::format("--map-by {}: expected random:SEED, SEED a number", rule));
    return seed;
}

} // namespace

void check_map_rule(const std::string& rule) {
    constexpr std::array<std::string_view, 5> rules{"block", "roundrobin", "random[:SEED]", "file:PATH",
                                                    "metis"};
    const bool known = rule.empty() || rule.starts_with("file:") || seed_of_rule(rule) ||
                       std::find(rules.begin(), rules.end(), rule) != rules.end();
    if (known) return;
    // mpirun's own words
    const bool by_host = rule == "node" || rule == "host";
    const bool by_core = rule == "slot" || rule == "core" || rule == "socket" || rule == "package";
    const std::string near = by_host ? "roundrobin" : by_core ? "block" : nearest_word(rule, rules);
    throw UsageError(fmt::format("--map-by {}: expected one of {}{}", rule, fmt::join(rules, ", "),
                                 near.empty() ? "" : fmt::format("; did you mean {}?", near)));
}

std::vector<HostId> map_ranks(const Platform& platform, std::uint32_t ranks, const MappingOptions& options) {
    const std::string& rule = options.map_by;
    check_map_rule(rule);
    if (rule.starts_with("file:")) {
        if (!options.hostfile.empty())
            throw UsageError("--map-by file: names the hosts itself; leave --hostfile out");
        return read_rank_map(rule.substr(5), platform, ranks);
    }
    if (rule == "roundrobin") return map_round_robin(hosts_of(platform, options), ranks);
    if (const auto seed = seed_of_rule(rule)) return map_random(hosts_of(platform, options), ranks, *seed);
    if (rule == "metis")
        throw UsageError("--map-by metis: needs a workload whose messages are known before it runs");
    return map_block(hosts_of(platform, options), ranks);
}

} // namespace orrery
