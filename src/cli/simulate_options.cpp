#include "cli/simulate_options.h"

#include "cli/timeline_options.h"
#include "engine/error.h"
#include "engine/units.h"
#include "observe/paraver/trace_writer.h"
#include "observe/replay_csv.h"

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

void add_machine_options(const Verb& verb, ScenarioText& scenario) {
    std::string table = "LogGOPS parameters, such as \"L=2500ns o=1500ns g=4000ns G=6ns/B O=8ns/B S=65535B\":";
    for (const LogGOPSParameter& row : loggops_parameters()) {
        table += fmt::format("\n  {} ({}): {}", row.name, row.unit, row.meaning);
    }
    const char* const group = "Machine";
    verb.add_option(
            "--on", scenario.machine,
            "Machine: a built-in name ('orrery machine list'), a machine file (.toml), a SimGrid platform "
            "(.xml) or, for a trace of Dimemas, its machine (.cfg)")
        .group(group);
    verb.add_option("--set", scenario.settings,
                    "Change one value of the machine: KEY=VALUE, such as link.latency=2us; may be repeated "
                    "('orrery machine show NAME' lists the keys)")
        .one_each_time()
        .group(group);
    verb.add_option(
            "--network", scenario.network,
            "loggops (no topology), flow (links shared by max-min fairness), packet (every packet through "
            "every switch), kpacket (a few packets for each message) or ideal (nothing costs anything); if "
            "not given, what the machine is described for")
        .group(group);
    verb.add_flag("!--no-congestion", scenario.congestion,
                  "flow: the same latencies and bandwidths, but messages do not disturb each other")
        .group(group);
    verb.add_option(
            "--model", scenario.model,
            "logp, loggp, loggps, loggops: leave out what that model lacks. smpi-compat, cm02-compat, "
            "lv08-compat: as SimGrid does, with its quirks. dimemas: as Dimemas does, with its machine (.cfg)")
        .group(group);
    verb.add_option("--loggops", scenario.loggops, table).group(group);
    verb.add_option("--rendezvous", scenario.rendezvous,
                    "loggops: how a message larger than S is sent: sender-waits (as LogGOPSim) or handshake "
                    "(request, clear to send, data)")
        .group(group);
    verb.add_option("--hostfile", scenario.hostfile,
                    "Where ranks run: a line per host, 'name' or 'name slots=4'")
        .group(group);
    verb.add_option(
            "--map-by", scenario.map_by,
            "block (fill a host's cores, then the next), roundrobin (one rank per host, then again), or a "
            "file with a host per rank: file:PATH")
        .group(group);
}

void add_simulate_options(const Verb& verb, SimulateArguments& arguments) {
    add_machine_options(verb, arguments.scenario);
    const char* const noise_group = "OS noise";
    verb.add_option(
            "--noise", arguments.noise,
            "Inject detours: \"period=1ms duration=25us\", with interval=exponential or length=exponential "
            "if wanted")
        .group(noise_group);
    verb.add_option(
            "--noise-file", arguments.noise_file,
            "Inject the detours of a measured trace: lines \"<start> <duration>\" in ns, repeated for ever")
        .group(noise_group);
    verb.add_option("--noise-seed", arguments.seed, "Seed of the noise; the same seed gives the same result")
        .show_default()
        .group(noise_group);
    verb.add_flag("--noise-coscheduled", arguments.noise_coscheduled,
                  "All ranks have their detours at the same times")
        .group(noise_group);
    const char* const skew_group = "Start skew";
    verb.add_option("--start-skew", arguments.scenario.start_skew,
                    "Each rank begins so much later: uniform:10us (up to) or exponential:10us (on average)")
        .group(skew_group);
    verb.add_option("--skew-seed", arguments.scenario.seed,
                    "Seed of the skew; the same seed gives the same result")
        .show_default()
        .group(skew_group);
    const char* const output = "Output";
    verb.add_flag("--json", arguments.json, "Print one JSON object instead of words").group(output);
    verb.add_flag("--per-rank", arguments.per_rank, "Also the times of every rank").group(output);
    verb.add_flag(
            "--critical-path", arguments.critical_path,
            "Also the critical path, what it is made of, and how sensitive the run time is to each parameter")
        .group(output);
    verb.add_option("--timeline", arguments.timelines,
                    "Draw the run: x.svg (a picture), x.pftrace (open it at ui.perfetto.dev) or, not of a "
                    "schedule, x.paje "
                    "(pajeng, vite); may be repeated")
        .one_each_time()
        .group(output);
    verb.add_option(
            "--paraver", arguments.paraver,
            "Write the run for Paraver: x.prv, with x.pcf and x.row beside it (not of a schedule in the "
            "LogGOPS model)")
        .group(output);
    verb.add_option("--paraver-network", arguments.paraver_network,
                    "packet: write what happens in the network for Paraver: a task per adapter and switch, a "
                    "thread per port")
        .group(output);
    verb.add_option("--paraver-quantum", arguments.paraver_quantum,
                    "Bytes of backlog for each state of a port in that trace")
        .show_default()
        .group(output);
    verb.add_flag("--links", arguments.links, "flow, packet: also the ten busiest links").group(output);
    verb.add_flag(
            "--efficiencies", arguments.efficiencies,
            "Not of a schedule: replay once more on an ideal network, to tell serialisation from transfer")
        .group(output);
    verb.add_option(
            "--csv", arguments.tables,
            "Not of a schedule: write a table: x.csv (ranks), x.links.csv (links) or x.sizes.csv (messages)")
        .one_each_time()
        .group(output);
    verb.add_option("--timeline-ranks", arguments.timeline_ranks, "Ranks in the picture, such as 0-15")
        .group(output);
    verb.add_option("--timeline-from", arguments.timeline_from, "Start of the picture, such as 10us")
        .group(output);
    verb.add_option("--timeline-to", arguments.timeline_to, "End of the picture").group(output);
    verb.add_flag("--quiet", arguments.quiet, "No progress bar").group(output);
}

void check_simulate_arguments(const SimulateArguments& arguments) {
    (void)noise_of(arguments);
    for (const std::string& path : arguments.timelines) (void)timeline_kind(path);
    for (const std::string& path : arguments.tables) check_replay_csv_name(path);
    (void)svg_options({}, arguments);
    (void)StartSkew::parse(arguments.scenario.start_skew, 0);
    if (!arguments.paraver.empty()) paraver::check_trace_name(arguments.paraver, "--paraver");
    if (!arguments.paraver_network.empty())
        paraver::check_trace_name(arguments.paraver_network, "--paraver-network");
    if (!arguments.paraver.empty() && arguments.paraver == arguments.paraver_network)
        throw UsageError("--paraver and --paraver-network need names of their own");
    if (const Bytes quantum = parse_bytes(arguments.paraver_quantum); quantum == 0)
        throw UsageError("--paraver-quantum 0: expected a size, such as 4KiB");
}

} // namespace orrery::cli
