// `orrery serve`: a network for Dimemas, over TCP.
#include "cli/simulate_options.h"
#include "cli/verbosity.h"
#include "cli/verbs.h"
#include "engine/error.h"
#include "engine/terminal.h"
#include "engine/units.h"
#include "simulation/machine_doubts.h"
#include "tools/cosim/node_map.h"
#include "tools/cosim/server.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <string_view>
#include <unistd.h>

namespace orrery::cli {

namespace {

struct ServeArguments {
    SimulationText simulation;
    CosimServerOptions server;
    std::string map;
    std::string idle_timeout = "5min";
    bool allow_remote = false;
};

std::atomic<CosimServer*> running = nullptr;

void on_signal(int /*signal*/) {
    if (CosimServer* const server = running.load()) server->stop();
    (void)::alarm(1);
}

// A network that is in the middle of one long step does not keep the server alive: there is nothing to lose.
void on_alarm(int /*signal*/) {
    constexpr std::string_view words = "stopped in the middle of a client's turn\n";
    (void)!::write(STDOUT_FILENO, words.data(), words.size());
    ::_exit(0);
}

// While it lives, SIGINT and SIGTERM end the server rather than the program; after a second that, too.
class StopOnSignal {
  public:
    explicit StopOnSignal(CosimServer& server) {
        running = &server;
        struct sigaction action {};
        action.sa_handler = on_alarm;
        (void)::sigaction(SIGALRM, &action, &old_alarm_);
        action.sa_handler = on_signal;
        (void)::sigaction(SIGINT, &action, &old_interrupt_);
        (void)::sigaction(SIGTERM, &action, &old_terminate_);
    }
    StopOnSignal(const StopOnSignal&) = delete;
    StopOnSignal& operator=(const StopOnSignal&) = delete;
    ~StopOnSignal() {
        (void)::sigaction(SIGINT, &old_interrupt_, nullptr);
        (void)::sigaction(SIGTERM, &old_terminate_, nullptr);
        (void)::alarm(0);
        (void)::sigaction(SIGALRM, &old_alarm_, nullptr);
        running = nullptr;
    }

  private:
    struct sigaction old_interrupt_ {};
    struct sigaction old_terminate_ {};
    struct sigaction old_alarm_ {};
};

// Requests and acknowledgements are messages, as in Venus, unless the machine says otherwise.
Bytes control_bytes(const Simulation& simulation) {
    constexpr Bytes usual = 64;
    const bool given = simulation.machine().settings.find("endpoint.control_bytes") != nullptr;
    return given ? simulation.endpoint().control_bytes : usual;
}

void serve_verb(const ServeArguments& arguments) {
    SimulationText text = arguments.simulation;
    if (text.network.empty()) text.network = "packet";
    const Simulation simulation(text, true);
    CosimServerOptions options = arguments.server;
    const Time idle = parse_time(arguments.idle_timeout);
    if (idle < Time::us(1000)) throw UsageError("--idle-timeout: expected at least 1 ms");
    options.idle_timeout = std::chrono::milliseconds(idle.ps() / 1'000'000'000);
    options.greeting_timeout = std::min(options.greeting_timeout, options.idle_timeout);
    if (!options.address.starts_with("127.")) {
        if (!arguments.allow_remote)
            throw UsageError(
                fmt::format("--address {}: other computers could connect, and there is no password; if "
                            "that is what you want, say --allow-remote",
                            options.address));
        fmt::print(stderr, "{} whoever reaches {} can use this server: there is no password\n",
                   paint("warning:", Tone::warning, stderr), options.address);
    }
    options.session.nodes = arguments.map.empty() ? all_hosts(simulation.platform())
                                                  : read_node_map(arguments.map, simulation.platform());
    options.session.control_bytes = control_bytes(simulation);
    explain("machine {}, network {}", simulation.machine().name, simulation.network_words());
    CosimServer server(
        options, [&simulation] { return simulation.network().make(); },
        [](CosimServer::Log kind, const std::string& line) {
            if (kind == CosimServer::Log::complaint) {
                fmt::print(stderr, "orrery: {}\n", line);
            } else if (!quiet()) {
                fmt::print("{}\n", line);
                std::fflush(stdout);
            }
        });
    if (!quiet()) {
        for (const std::string& each :
             doubts_of(text, simulation, facts_of_all_hosts(simulation, RunFacts::Workload::messages)))
            fmt::print(stderr, "{} {}\n", paint("warning:", Tone::warning, stderr), each);
    }
    const StopOnSignal signals(server);
    fmt::print("listening on {}:{} for {} nodes of {} ({})\n", options.address, server.port(),
               format_count(options.session.nodes.size()), simulation.machine().name,
               simulation.network_words());
    std::fflush(stdout);
    server.run();
    fmt::print("stopped\n");
}

} // namespace

void add_serve(const Verb& app) {
    const auto arguments = std::make_shared<ServeArguments>();
    const Verb verb =
        app.add_subcommand("serve", "Act as the network simulator of Dimemas, over TCP (co-simulation)");
    verb.group("Studies");
    verb.add_option("--on", arguments->simulation.machine, "The machine whose network is simulated")
        .type_name("MACHINE")
        .required();
    verb.add_option("--set", arguments->simulation.settings, "Change a value of the machine; may be repeated")
        .type_name("KEY=VALUE")
        .one_each_time();
    verb.add_option("--network", arguments->simulation.network,
                    "packet, flow, kpacket, loggops or ideal [packet]")
        .type_name("MODEL")
        .completes({"packet", "flow", "kpacket", "loggops", "ideal"});
    verb.add_option("--map", arguments->map,
                    "Which host each node of the client is: a file with a host name in line n for node n; "
                    "otherwise node n is host n")
        .type_name("FILE");
    const char* const group = "Connections";
    verb.add_option("--port", arguments->server.port, "TCP port; 0 is any free one")
        .type_name("PORT")
        .show_default()
        .group(group);
    verb.add_option("--address", arguments->server.address,
                    "Address to listen on; any but the loopback wants --allow-remote")
        .type_name("ADDRESS")
        .show_default()
        .group(group);
    verb.add_option("--clients", arguments->server.most_clients, "Most clients at a time")
        .range(1U, 4096U)
        .show_default()
        .group(group);
    verb.add_flag("--allow-remote", arguments->allow_remote,
                  "With --address: other computers may connect; there is no password")
        .group(group);
    verb.add_option("--idle-timeout", arguments->idle_timeout,
                    "Close the connection of a client that says nothing, or does not read, for this long "
                    "(before its first line: 10 s)")
        .type_name("TIME")
        .show_default()
        .group(group);
    verb.add_option("--pending", arguments->server.session.most_messages,
                    "Most messages of a client in flight at a time")
        .type_name("COUNT")
        .range(1U, 1U << 30U)
        .show_default()
        .group(group)
        .advanced();
    add_verbosity(verb);
    verb.examples({"orrery serve --on machine.toml --port 10000 &",
                   "Dimemas --venus --venuscon 127.0.0.1:10000 -p out.prv machine.cfg"});
    verb.notes(
        "Each client has a private network. Requests and acknowledgements of a rendezvous are messages of 64 "
        "bytes (--set endpoint.control_bytes). SIGINT or SIGTERM ends the server. docs/serve.md describes "
        "the protocol and what Dimemas needs.");
    verb.callback([arguments] { serve_verb(*arguments); });
}

} // namespace orrery::cli
