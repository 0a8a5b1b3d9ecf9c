#include "cli/simulate_options.h"

#include "cli/timeline_options.h"
#include "cli/verbosity.h"
#include "engine/error.h"
#include "engine/output_folder.h"
#include "engine/units.h"
#include "observe/event_table.h"
#include "observe/paraver/trace_writer.h"
#include "observe/replay_csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>

namespace orrery::cli {

std::unique_ptr<Noise> noise_of(const SimulateArguments& arguments) {
    const NoiseOptions options{arguments.seed, arguments.noise_coscheduled};
    if (!arguments.noise_file.empty() && !arguments.noise.empty()) {
        throw UsageError("--noise and --noise-file exclude each other");
    }
    if (!arguments.noise_file.empty()) return noise_from_file(arguments.noise_file, options);
    if (!arguments.noise.empty()) return noise_from_distribution(arguments.noise, options);
    return nullptr;
}

TimelineKind timeline_kind(const std::string& path) {
    if (path.ends_with(".svg")) return TimelineKind::svg;
    if (path.ends_with(".pftrace") || path.ends_with(".perfetto-trace")) return TimelineKind::perfetto;
    if (path.ends_with(".paje") || path.ends_with(".trace")) return TimelineKind::paje;
    throw UsageError(fmt::format("--timeline {}: expected a name that ends in .svg, .pftrace or .paje", path));
}

SvgOptions svg_options(const std::string& title, const SimulateArguments& arguments) {
    SvgOptions options;
    options.title = title;
    if (!arguments.timeline_from.empty()) options.from = parse_time(arguments.timeline_from);
    if (!arguments.timeline_to.empty()) options.to = parse_time(arguments.timeline_to);
    const std::string& range = arguments.timeline_ranks;
    if (!range.empty()) {
        std::uint32_t first = 0;
        const char* const end = range.data() + range.size();
        const auto start = std::from_chars(range.data(), end, first);
        std::uint32_t last = first;
        const bool dash = start.ec == std::errc() && start.ptr != end && *start.ptr == '-';
        const auto rest = dash ? std::from_chars(start.ptr + 1, end, last) : start;
        if (rest.ec != std::errc() || rest.ptr != end) {
            throw UsageError(fmt::format("--timeline-ranks {}: expected a range such as 0-15", range));
        }
        options.first_rank = first;
        options.last_rank = last;
    }
    return options;
}

namespace {

// "loggops (no topology), flow (messages share links), ... or ideal (no cost)".
std::string network_help() {
    std::vector<std::string> kinds;
    for (const NetworkKindRow* const row : network_kinds())
        kinds.push_back(fmt::format("{} ({})", row->name, row->meaning));
    return one_of_words(kinds);
}

} // namespace

const std::vector<std::string>& network_choices() {
    static const std::vector<std::string> names(network_names().begin(), network_names().end());
    return names;
}

void add_on_option(const Verb& verb, SimulationText& simulation) {
    verb.add_option("--on", simulation.machine, "The machine to predict for")
        .type_name("MACHINE")
        .group("Machine");
}

void add_set_option(const Verb& verb, std::vector<std::string>& settings) {
    verb.add_option("--set", settings,
                    "Change a value, such as link.latency=2us (keys: 'orrery machine show'); repeatable")
        .type_name("KEY=VALUE")
        .one_each_time()
        .group("Machine");
}

void add_collective_option(const Verb& verb, std::vector<std::string>& collectives) {
    verb.add_option("--collective,--collectives", collectives,
                    "Choose as openmpi or mpich does, or one, such as allreduce=ring; repeatable")
        .type_name("CHOICE")
        .completes({"openmpi", "mpich"})
        .one_each_time()
        .group("Machine");
}

void add_machine_options(const Verb& verb, SimulationText& simulation) {
    std::string table = "LogGOPS parameters, such as \"L=2500ns o=1500ns g=4000ns G=6ns/B O=8ns/B S=65535B\":";
    for (const LogGOPSParameter& row : loggops_parameters()) {
        table += fmt::format("\n  {} ({}): {}", row.name, row.unit, row.meaning);
    }
    const char* const group = "Machine";
    add_on_option(verb, simulation);
    add_set_option(verb, simulation.settings);
    verb.add_option("--network", simulation.network, network_help() + " [as the machine says]")
        .type_name("MODEL")
        .completes(network_choices())
        .group(group);
    verb.add_option("--map-by", simulation.map_by,
                    "Which rank runs where: block (host by host), roundrobin, or file:FILE")
        .type_name("MAPPING")
        .completes({"block", "roundrobin", "file:"})
        .group(group);
    verb.add_option("--hostfile", simulation.hostfile,
                    "The hosts to use, as mpirun takes them: lines of 'name' or 'name slots=4'")
        .type_name("FILE")
        .group(group)
        .advanced();
    verb.add_flag("!--no-congestion", simulation.congestion,
                  "flow: the same latencies and bandwidths, but messages do not slow each other down")
        .group(group)
        .advanced();
    verb.add_option(
            "--model", simulation.model,
            "logp, loggp, loggps, loggops: leave out what that model lacks. loggopsim-compat: break ties as "
            "LogGOPSim does. smpi-compat, cm02-compat, lv08-compat: predict as SimGrid does. dimemas: "
            "predict as Dimemas does, with its machine (.cfg)")
        .type_name("NAME")
        .completes({"logp", "loggp", "loggps", "loggops", "loggopsim-compat", "smpi-compat", "cm02-compat",
                    "lv08-compat", "dimemas"})
        .group(group)
        .advanced();
    verb.add_option("--loggops", simulation.loggops, table).type_name("VALUES").group(group).advanced();
    verb.add_option("--rendezvous", simulation.rendezvous,
                    "How a message beyond the eager limit is sent: sender-waits (as LogGOPSim) or handshake "
                    "(request, clear to send, data)")
        .type_name("PROTOCOL")
        .completes({"sender-waits", "handshake"})
        .group(group)
        .advanced();
}

namespace {

void add_noise_options(const Verb& verb, SimulateArguments& arguments) {
    const char* const group = "OS noise and start skew";
    verb.add_option("--noise", arguments.noise,
                    "Interrupt the ranks: \"period=1ms duration=25us\"; interval=exponential and "
                    "length=exponential make them random")
        .type_name("VALUES")
        .group(group)
        .advanced();
    verb.add_option("--noise-file", arguments.noise_file,
                    "Interrupt the ranks as measured: lines \"<start> <duration>\" in ns, repeated to the end")
        .type_name("FILE")
        .group(group)
        .advanced();
    verb.add_option("--noise-seed", arguments.seed, "Seed of the noise; the same seed gives the same result")
        .show_default()
        .group(group)
        .advanced();
    verb.add_flag("--noise-coscheduled", arguments.noise_coscheduled, "Interrupt all ranks at the same times")
        .group(group)
        .advanced();
    verb.add_option("--start-skew", arguments.simulation.start_skew,
                    "Delay the start of each rank: uniform:10us (up to) or exponential:10us (on average)")
        .type_name("DELAY")
        .completes({"uniform:", "exponential:"})
        .group(group)
        .advanced();
    verb.add_option("--skew-seed", arguments.simulation.seed,
                    "Seed of the start skew; the same seed gives the same result")
        .show_default()
        .group(group)
        .advanced();
}

void add_resolution_option(const Verb& verb, SimulateArguments& arguments) {
    verb.add_option(
            "--resolution", arguments.resolution,
            "The tick of simulated time, 1ps to 1048576ps: all times are multiples of it. A run may last "
            "26 days with 1ps [the default], 854 days with 32ps")
        .type_name("TIME")
        .completes({"1ps", "32ps"})
        .group("Machine")
        .advanced();
}

void add_output_options(const Verb& verb, SimulateArguments& arguments, SimulatesWhat what) {
    const char* const output = "Output";
    verb.add_flag("--json", arguments.json, "Print one JSON object instead of text").group(output);
    verb.add_flag("--per-rank", arguments.per_rank, "Print the times of every rank too")
        .group(output)
        .advanced();
    const Option efficiencies =
        verb.add_flag("--efficiencies", arguments.efficiencies,
                      "Replay once more on an ideal network, to separate the network's time from waiting")
            .group(output);
    if (what == SimulatesWhat::schedule) (void)efficiencies.advanced();
    const Option critical_path =
        verb.add_flag("--critical-path", arguments.critical_path,
                      "The critical path: why it takes so long, and what would shorten it")
            .group(output);
    if (what == SimulatesWhat::program) (void)critical_path.advanced();
    const Option links =
        verb.add_flag("--links", arguments.links, "flow, packet, dimemas: list the ten busiest links")
            .group(output);
    if (what != SimulatesWhat::any) (void)links.advanced();
    verb.add_option("--timeline", arguments.timelines,
                    "Draw the run: x.svg, x.pftrace (ui.perfetto.dev) or x.paje (vite); repeatable")
        .type_name("FILE")
        .one_each_time()
        .group(output);
    verb.add_option("--timeline-ranks", arguments.timeline_ranks, "Ranks in the picture, such as 0-15")
        .type_name("FIRST-LAST")
        .group(output)
        .advanced();
    verb.add_option("--timeline-from", arguments.timeline_from, "Start of the picture")
        .type_name("TIME")
        .group(output)
        .advanced();
    verb.add_option("--timeline-to", arguments.timeline_to, "End of the picture")
        .type_name("TIME")
        .group(output)
        .advanced();
    verb.add_option(
            "--csv", arguments.tables,
            "Write a table: x.csv (ranks), x.links.csv (links), x.sizes.csv (message sizes), "
            "x.calls.csv (kinds of calls), x.collectives.csv (and their algorithms) or x.events.csv (every "
            "event with its cause)")
        .type_name("FILE")
        .one_each_time()
        .group(output)
        .advanced();
    verb.add_option("--paraver", arguments.paraver,
                    "Write the run for Paraver: x.prv, with x.pcf and x.row next to it")
        .type_name("FILE")
        .group(output)
        .advanced();
    verb.add_option(
            "--paraver-network", arguments.paraver_network,
            "packet: write the network for Paraver: a task for each adapter and switch, a thread for each "
            "port")
        .type_name("FILE")
        .group(output)
        .advanced();
    verb.add_option("--paraver-quantum", arguments.paraver_quantum,
                    "Bytes of backlog for each state of a port in that trace")
        .type_name("SIZE")
        .show_default()
        .group(output)
        .advanced();
    add_verbosity(verb);
}

} // namespace

void add_simulate_options(const Verb& verb, SimulateArguments& arguments, SimulatesWhat what) {
    add_machine_options(verb, arguments.simulation);
    add_resolution_option(verb, arguments);
    add_output_options(verb, arguments, what);
    add_noise_options(verb, arguments);
}

bool wants_events(const SimulateArguments& arguments) {
    return (arguments.events && !arguments.output.empty()) ||
           std::any_of(arguments.tables.begin(), arguments.tables.end(), is_event_table);
}

void check_simulate_arguments(const SimulateArguments& arguments) {
    (void)noise_of(arguments);
    for (const std::string& path : arguments.timelines) (void)timeline_kind(path);
    for (const std::string& path : arguments.tables) check_replay_csv_name(path);
    (void)svg_options({}, arguments);
    for (const std::string_view suffix : {".json", ".csv", ".txt", ".svg", ".prv"}) {
        if (arguments.output.ends_with(suffix))
            throw UsageError(
                fmt::format("-o {}: expected a folder, for all results; --json prints one of them, "
                            "--csv, --timeline and --paraver name a file for another",
                            arguments.output));
    }
    if (!arguments.output.empty()) OutputFolder(arguments.output, arguments.force).begin();
    (void)StartSkew::parse(arguments.simulation.start_skew, 0);
    if (!arguments.paraver.empty()) paraver::check_trace_name(arguments.paraver, "--paraver");
    if (!arguments.paraver_network.empty())
        paraver::check_trace_name(arguments.paraver_network, "--paraver-network");
    if (!arguments.paraver.empty() && arguments.paraver == arguments.paraver_network)
        throw UsageError("--paraver and --paraver-network need names of their own");
    if (const Bytes quantum = parse_bytes(arguments.paraver_quantum); quantum == 0)
        throw UsageError("--paraver-quantum 0: expected a size, such as 4KiB");
}

} // namespace orrery::cli
