// `orrery traffic`: random traffic instead of a workload.
#include "cli/simulate_options.h"
#include "cli/task_counter.h"
#include "cli/verbs.h"
#include "engine/error.h"
#include "engine/interrupt.h"
#include "engine/output_file.h"
#include "engine/units.h"
#include "observe/json_text.h"
#include "simulation/machine_doubts.h"
#include "tools/traffic/report.h"
#include "workload/patterns/pattern.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

namespace orrery::cli {

namespace {

struct TrafficArguments {
    SimulationText simulation;
    std::string pattern = "uniform";
    std::string loads = "0.1..1.0";
    std::string bytes = "512";
    std::string arrivals = "bernoulli";
    std::string duration;
    std::string warm_up;
    std::uint64_t messages = 400;
    std::uint64_t seed = 1;
    double keeps_up = 0.97;
    std::uint32_t jobs = 0;
    bool no_search = false;
    bool json = false;
    std::string csv;
    std::string plot;
};

CurveOptions curve_options(const TrafficArguments& arguments, double bandwidth) {
    CurveOptions options;
    options.traffic.bytes = parse_bytes(arguments.bytes);
    if (options.traffic.bytes == 0) throw UsageError("--bytes 0: messages without bytes offer no load");
    options.traffic.bandwidth = bandwidth;
    options.traffic.arrivals = parse_arrivals(arguments.arrivals);
    options.traffic.seed = arguments.seed;
    if (!arguments.duration.empty()) options.traffic.duration = parse_time(arguments.duration);
    if (!arguments.warm_up.empty()) options.traffic.warm_up = parse_time(arguments.warm_up);
    options.messages = arguments.messages;
    options.warm_up = (arguments.messages + 1) / 2;
    options.loads = parse_loads(arguments.loads);
    options.search = !arguments.no_search;
    options.kept_up = arguments.keeps_up;
    options.threads = arguments.jobs > 0 ? arguments.jobs : std::max(1U, std::thread::hardware_concurrency());
    return options;
}

void traffic_verb(TrafficArguments arguments) {
    if (arguments.simulation.machine.empty())
        throw UsageError("--on MACHINE: which machine carries the traffic?");
    if (arguments.simulation.network.empty()) arguments.simulation.network = "packet";
    const Simulation simulation(arguments.simulation, true);
    const Platform& platform = simulation.platform();
    const TrafficPattern pattern(platform, arguments.pattern, arguments.seed);
    CurveOptions options =
        curve_options(arguments, injection_bandwidth(platform, simulation.network().fabric()));
    options.progress = task_counter("measured", "loads");
    const InterruptWatch interrupts;
    const TrafficCurve curve = measure_curve([&simulation] { return simulation.network().make(); }, pattern,
                                             platform.host_count(), options);
    const TrafficQuestion question{
        fmt::format("{} ({})", simulation.machine().name, platform.topology().words()),
        simulation.network_words(),
        pattern.words(),
        std::string(name_of(options.traffic.arrivals)),
        options.traffic.bytes,
        options.traffic.bandwidth,
        pattern.senders(),
        arguments.seed,
        options.kept_up,
        doubts_of(arguments.simulation, simulation,
                  facts_of_all_hosts(simulation, RunFacts::Workload::messages))};
    if (!arguments.csv.empty()) write_file(arguments.csv, traffic_csv(curve));
    if (!arguments.plot.empty()) write_file(arguments.plot, draw_charts(traffic_charts(question, curve)));
    if (arguments.json) {
        fmt::print("{}\n", json_text(traffic_json(question, curve)));
    } else {
        fmt::print("{}", traffic_words(question, curve));
    }
}

} // namespace

void add_traffic(const Verb& app) {
    const auto arguments = std::make_shared<TrafficArguments>();
    const Verb verb =
        app.add_subcommand("traffic", "Put random traffic on a machine: latency over load, and saturation");
    verb.group("Studies");
    add_machine_options(verb, arguments->simulation);
    const char* const group = "Traffic";
    verb.add_option("--pattern", arguments->pattern, "Who sends to whom (--help-all lists the patterns)")
        .type_name("PATTERN")
        .completes(pattern_names(pattern_user::traffic))
        .show_default()
        .group(group);
    verb.add_option(
            "--load", arguments->loads,
            "Offered loads, as shares of a host's injection bandwidth: 0.1,0.5 or 0.1..1.0 (steps of 0.1) "
            "or 0.05..0.9:0.05")
        .type_name("LOADS")
        .show_default()
        .group(group);
    verb.add_option("--bytes", arguments->bytes, "Size of a message")
        .type_name("SIZE")
        .show_default()
        .group(group);
    verb.add_option("--messages", arguments->messages,
                    "Messages of each host that are counted, after half as many to warm up")
        .show_default()
        .range(1U, 100'000'000U)
        .group(group);
    verb.add_option(
            "--arrivals", arguments->arrivals,
            "When a host has a new message: bernoulli (with the load's probability in each slot, the time "
            "to inject a message), poisson, or regular")
        .type_name("PROCESS")
        .completes({"bernoulli", "poisson", "regular"})
        .show_default()
        .group(group)
        .advanced();
    verb.add_option("--duration", arguments->duration, "Count for this time instead")
        .type_name("TIME")
        .group(group)
        .advanced();
    verb.add_option("--warm-up", arguments->warm_up, "Warm up for this time instead")
        .type_name("TIME")
        .group(group)
        .advanced();
    verb.add_option("--seed", arguments->seed, "Seed of the traffic; the same seed gives the same result")
        .show_default()
        .group(group)
        .advanced();
    verb.add_option(
            "--keeps-up", arguments->keeps_up,
            "Share of the offered load that must arrive in time; saturation is the highest load with it")
        .show_default()
        .range(0.5, 1.0)
        .group(group)
        .advanced();
    verb.add_flag("--no-search", arguments->no_search, "Do not search for saturation").group(group).advanced();
    verb.add_option("-j,--jobs", arguments->jobs, "Loads at a time; otherwise one for each core")
        .range(1U, 4096U)
        .group(group);
    const char* const output = "Output";
    verb.add_flag("--json", arguments->json, "Print one JSON object instead of text").group(output);
    verb.add_option("--csv", arguments->csv, "Write the table").type_name("FILE").group(output);
    verb.add_option("--plot", arguments->plot, "Draw the curves (SVG)").type_name("FILE").group(output);
    verb.examples(
        {"orrery traffic --on ndr-fat-tree --pattern tornado --load 0.05..0.6:0.05 --plot tornado.svg",
         "orrery traffic --on machine.toml --set routing.policy=valiant --pattern group --bytes 4KiB"});
    verb.notes("The network is packet unless --network says otherwise.");
    verb.details("Patterns, of whose destinations each message takes one at random:\n" +
                 pattern_help(pattern_user::traffic) +
                 "  or a file with lines 'from to'\n"
                 "Hosts have new messages whether or not the network keeps up; latency "
                 "counts from there. "
                 "docs/traffic.md explains how things are measured.");
    verb.callback([arguments] { traffic_verb(*arguments); });
}

} // namespace orrery::cli
