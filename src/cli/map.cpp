// `orrery map`: tries many task mappings and ranks them.
#include "cli/simulate_options.h"
#include "cli/task_counter.h"
#include "cli/verbosity.h"
#include "cli/verbs.h"
#include "engine/error.h"
#include "engine/interrupt.h"
#include "engine/output_file.h"
#include "engine/plural.h"
#include "engine/units.h"
#include "formats/trace.h"
#include "machine/mapping.h"
#include "observe/json_text.h"
#include "simulation/machine_doubts.h"
#include "simulation/simulation.h"
#include "tools/mapping/picture.h"
#include "tools/mapping/replay_best.h"
#include "tools/mapping/report.h"
#include "workload/patterns/pattern.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <thread>

namespace orrery::cli {

namespace {

struct MapArguments {
    std::string what; // a pattern or a trace
    SimulationText simulation;
    std::string ranks; // of a pattern; empty: all cores
    std::string bytes = "64 KiB";
    bool systematic = false;
    std::uint32_t random = 8;
    std::vector<std::string> files; // further mappings
    std::uint32_t replay = 5;       // of a trace: under this many of the best
    std::uint32_t jobs = 0;
    std::size_t top = 10;
    std::string output;
    std::string csv;
    std::string plot;
    bool list = false;
    bool json = false;
};

CommunicationPattern read_map_pattern(const MapArguments& arguments, const Simulation& simulation) {
    if (is_benchmark(arguments.what)) {
        std::uint64_t ranks = 0;
        for (std::uint32_t i = 0; i < simulation.platform().host_count(); ++i)
            ranks += simulation.platform().host({i}).cores;
        if (!arguments.ranks.empty()) ranks = parse_count(arguments.ranks);
        constexpr std::uint64_t most = 1ULL << 24U;
        if (ranks == 0 || ranks > most)
            throw UsageError(fmt::format("-n {}: expected 1 to {} ranks", ranks, most));
        return parse_benchmark(arguments.what, static_cast<std::uint32_t>(ranks), parse_bytes(arguments.bytes));
    }
    if (!std::filesystem::exists(arguments.what)) {
        throw UsageError(fmt::format("'{}' is neither a trace nor a pattern{}; 'orrery generate --list' "
                                     "shows all patterns",
                                     arguments.what, nearest_pattern(arguments.what, pattern_user::map)));
    }
    if (!arguments.ranks.empty()) throw UsageError("-n is for patterns; a trace has the ranks it has");
    const TiTrace trace = TiTrace::open(arguments.what);
    const TraceCommunicators communicators(*trace.source());
    const CommunicationMatrix matrix(*trace.source(), communicators, &simulation.collectives());
    return pattern_of(matrix, fmt::format("all messages of {}, {} ranks, {}", arguments.what,
                                          format_count(matrix.ranks()), format_bytes(matrix.bytes())));
}

std::vector<CandidateMapping> collect_candidates(const MapArguments& arguments, const Simulation& simulation,
                                                 const CommunicationPattern& pattern) {
    std::vector<CandidateMapping> candidates = systematic_mappings(simulation.platform(), pattern);
    const auto add = [&](std::vector<CandidateMapping> more) {
        std::move(more.begin(), more.end(), std::back_inserter(candidates));
    };
    // A trace is always replayed under these two, for comparison.
    if (!arguments.systematic || !is_benchmark(arguments.what))
        add(common_mappings(simulation.platform(), pattern));
    if (!arguments.systematic) add(further_mappings(simulation.platform(), pattern, arguments.random));
    for (const std::string& file : arguments.files) {
        std::vector<HostId> hosts = read_rank_map(file, simulation.platform(), pattern.ranks);
        candidates.push_back({file, "from this file", [hosts = std::move(hosts)] { return hosts; }, true});
    }
    return candidates;
}

// Each call is a run of its own, so that several may go on at a time.
Time replay_under(const std::vector<HostId>& hosts, const Simulation& simulation, const std::string& path) {
    const TiTrace trace = TiTrace::open(path);
    Simulation placed = simulation;
    placed.place_at(hosts);
    Simulation::Job job;
    job.actions = trace.source();
    job.cpu_time_rate = trace.cpu_time_rate();
    return placed.run(std::span(&job, 1), {}).base.time;
}

// Ranks by the estimate, then by a replay where there is a trace.
SearchReport search_and_replay(const MapArguments& arguments, const Simulation& simulation,
                               const CommunicationPattern& pattern,
                               const std::vector<CandidateMapping>& candidates) {
    SearchOptions screening;
    screening.threads = arguments.jobs > 0 ? arguments.jobs : std::max(1U, std::thread::hardware_concurrency());
    screening.network = [&simulation] { return simulation.network().make(); };
    screening.progress = task_counter("estimated", "mappings");
    SearchReport report{pattern.words,
                        simulation.machine().name,
                        simulation.network_words(),
                        search_mappings(simulation.platform(), pattern, candidates, screening),
                        false,
                        "--replay 0"};
    if (is_benchmark(arguments.what)) {
        report.not_replayed_because = "give a trace to have the best replayed";
    } else if (arguments.replay > 0) {
        ReplayBestOptions replays;
        replays.best = arguments.replay;
        replays.threads = screening.threads;
        replays.replay = [&](const std::vector<HostId>& hosts) {
            return replay_under(hosts, simulation, arguments.what);
        };
        replays.progress = task_counter("replayed", "mappings");
        replay_best(candidates, replays, report.results);
        report.replayed = true;
        report.not_replayed_because.clear();
    }
    return report;
}

void map_verb(const MapArguments& arguments) {
    const Simulation simulation(arguments.simulation, true);
    const CommunicationPattern pattern = read_map_pattern(arguments, simulation);
    const std::vector<CandidateMapping> candidates = collect_candidates(arguments, simulation, pattern);
    explain("{} on {}: {}", pattern.words, simulation.machine().name, plural(candidates.size(), "mapping"));
    if (arguments.list) {
        for (const CandidateMapping& each : candidates) fmt::print("{:<16} {}\n", each.name, each.words);
        return;
    }
    const InterruptWatch interrupts;
    SearchReport report = search_and_replay(arguments, simulation, pattern, candidates);
    const RunFacts facts = facts_of_all_hosts(simulation, report.replayed ? RunFacts::Workload::trace
                                                                          : RunFacts::Workload::messages);
    report.warnings = doubts_of(arguments.simulation, simulation, facts);
    const MappingResult& best = report.results.front();
    if (!arguments.output.empty())
        write_file(arguments.output, rank_map_text(candidates[best.candidate].make(), simulation.platform()));
    if (!arguments.csv.empty()) write_file(arguments.csv, search_csv(report));
    if (!arguments.plot.empty()) write_file(arguments.plot, draw_search(report));
    if (arguments.json) {
        fmt::print("{}\n", json_text(search_json(report)));
        return;
    }
    fmt::print("{}", search_words(report, arguments.top));
    if (!arguments.output.empty())
        fmt::print("  written: {}, which is {} (use it with --map-by file:{})\n", arguments.output, best.name,
                   arguments.output);
}

} // namespace

void add_map(const Verb& app) {
    const auto arguments = std::make_shared<MapArguments>();
    arguments->simulation.network = "kpacket";
    const Verb verb = app.add_subcommand("map", "Try many mappings of ranks to hosts, and rank them");
    verb.group("Studies");
    verb.add_option("what", arguments->what,
                    "A trace, or a pattern such as near-neighbour, alltoall:64 "
                    "or stencil-3d (--help-all)")
        .type_name("TRACE")
        .completes(pattern_names(pattern_user::map))
        .required();
    const char* const machine = "Machine";
    verb.add_option("--on", arguments->simulation.machine, "The machine to map to")
        .type_name("MACHINE")
        .required()
        .group(machine);
    add_set_option(verb, arguments->simulation.settings);
    verb.add_option("--network", arguments->simulation.network, "kpacket, flow, packet or loggops")
        .type_name("MODEL")
        .completes({"kpacket", "flow", "packet", "loggops"})
        .show_default()
        .group(machine);
    verb.add_option("--collective,--collectives", arguments->simulation.collectives,
                    "Traces: algorithms of collectives, as in 'orrery replay'; may be repeated")
        .type_name("CHOICE")
        .completes({"openmpi", "mpich"})
        .one_each_time()
        .group(machine)
        .advanced();
    const char* const benchmark = "Pattern";
    verb.add_option("-n,--ranks,--np", arguments->ranks, "Number of ranks; otherwise one for each core")
        .type_name("RANKS")
        .group(benchmark);
    verb.add_option("--bytes", arguments->bytes, "Size of each message")
        .type_name("SIZE")
        .show_default()
        .group(benchmark);
    const char* const which = "Mappings";
    verb.add_flag("--list", arguments->list, "Only list the mappings").group(which);
    verb.add_flag("--systematic", arguments->systematic,
                  "Only orders of the machine's dimensions times block shapes (84 on blue-gene-q-rack)")
        .group(which)
        .advanced();
    verb.add_option("--random", arguments->random, "Number of random mappings").show_default().group(which);
    verb.add_option("--with", arguments->files, "Also try this mapping, a file as for --map-by file:FILE")
        .type_name("FILE")
        .one_each_time()
        .group(which);
    verb.add_option("--replay", arguments->replay,
                    "Replay a trace under this many of the best mappings; also block, roundrobin and --with")
        .type_name("COUNT")
        .range(0U, 10'000U)
        .show_default()
        .group(which);
    verb.add_option("-j,--jobs", arguments->jobs, "Mappings at a time; otherwise one for each core")
        .range(1U, 1024U)
        .group(which);
    const char* const output = "Output";
    verb.add_option("-o,--output", arguments->output, "Write the fastest mapping, for --map-by file:FILE")
        .type_name("FILE")
        .group(output);
    verb.add_option("--top", arguments->top, "Number of mappings to show").show_default().group(output);
    verb.add_option("--csv", arguments->csv, "Write the whole table")
        .type_name("FILE")
        .group(output)
        .advanced();
    verb.add_option("--plot", arguments->plot, "Draw all times (SVG)").type_name("FILE").group(output);
    verb.add_flag("--json", arguments->json, "Print one JSON object instead of text").group(output);
    add_verbosity(verb);
    verb.examples({"orrery map trace/ --on stampede --plot mappings.svg",
                   "orrery map alltoall:64 --on blue-gene-q-rack -o best.map",
                   "orrery map stencil-3d:periodic --on stampede -n 512",
                   "orrery map near-neighbour --on blue-gene-q-rack --systematic"});
    verb.details(
        "Patterns, whose messages all start at once:\n" + pattern_help(pattern_user::map) +
        "Every mapping gets an estimate: all messages start at once, the time is that of the last arrival, "
        "without computation and costs of MPI. A trace is then replayed under the best of them, and under "
        "block and roundrobin; the replayed times decide.\n"
        "Names of mappings: ABCDET is an order of the dimensions A, B, ... of the machine and of the cores "
        "T of a host; the rightmost changes fastest. 4x2x2 is a block of the grid of ranks.");
    verb.callback([arguments] { map_verb(*arguments); });
}

} // namespace orrery::cli
