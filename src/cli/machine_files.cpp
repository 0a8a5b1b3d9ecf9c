// `orrery machine export` and `orrery machine import`: machines as files of other programs.
#include "cli/existing_files.h"
#include "cli/machine_verbs.h"
#include "cli/verbosity.h"
#include "engine/error.h"
#include "engine/naming_file.h"
#include "formats/exchange/exchange.h"
#include "formats/load_machine.h"

#include <cstdio>
#include <fmt/format.h>
#include <memory>

namespace orrery::cli {

namespace {

struct FileArguments {
    MachineChoice machine;
    std::string out;
    std::string tables;
    std::string ports = "signed";
    bool no_routes = false;
    bool force = false;
};

void say_exchange(const Exchange& done) {
    if (!quiet()) {
        for (const std::string& each : done.notes) fmt::print(stderr, "{}\n", each);
    }
    for (const std::string& each : done.files) fmt::print("{}\n", each);
}

void export_files(const FileArguments& arguments) {
    const Machine machine = load_machine(arguments.machine.name, arguments.machine.overrides);
    explain("machine {} from {}", machine.name, machine.file);
    ExportOptions options;
    options.routes = !arguments.no_routes;
    options.ports = arguments.ports == "absolute" ? PortStyle::absolute : PortStyle::signed_turns;
    say_exchange(naming_file(machine.file, [&] { return export_machine(machine, arguments.out, options); }));
}

} // namespace

void add_machine_files(const Verb& machine) {
    const auto arguments = std::make_shared<FileArguments>();
    const Verb out = machine.add_subcommand(
        "export", "Write a machine as a Myrinet map, OMNeT++ NED, Graphviz, SimGrid platform or graph");
    add_machine_choice(out, arguments->machine);
    out.add_option("-o,--output", arguments->out,
                   "The file; its ending is the format: .map, .ned (with .ini), .dot, .xml, .toml")
        .type_name("FILE")
        .required();
    out.add_flag("--no-routes", arguments->no_routes, "Without the route file next to a .map or .toml");
    out.add_option("--ports", arguments->ports, "How the route file counts ports: signed turns, or absolute")
        .type_name("STYLE")
        .one_of({"signed", "absolute"})
        .show_default();
    add_verbosity(out);
    out.examples({"orrery machine export cluster.toml -o cluster.map",
                  "orrery machine export odin --set topology.hosts=16 -o odin.xml",
                  "orrery machine export cluster.toml -o cluster.dot && dot -Tsvg cluster.dot -o cluster.svg"});
    out.notes("Prints the files that it wrote.");
    out.callback([arguments] { export_files(*arguments); });

    const Verb in = machine.add_subcommand(
        "import", "Make a machine file of a Myrinet map, an InfiniBand fabric or a Slurm topology");
    in.add_option("file", arguments->machine.name,
                  "A map, the output of ibnetdiscover, or topology.conf; its content says which")
        .type_name("FILE")
        .required();
    in.add_option("--tables", arguments->tables,
                  "Forwarding tables of the InfiniBand fabric: the output of dump_lfts, or OpenSM's "
                  "opensm-lfts.dump or opensm.fdbs")
        .type_name("FILE");
    in.add_option("--set", arguments->machine.overrides,
                  "A value of the machine that the file does not say; may be repeated")
        .type_name("KEY=VALUE")
        .one_each_time();
    in.add_option("-o,--output", arguments->out,
                  "The machine file (.toml); its routes are next to it (.routes)")
        .type_name("FILE")
        .required();
    in.add_flag("--force", arguments->force, "Replace a machine file that is there");
    add_verbosity(in);
    in.examples(
        {"orrery machine import fabric.txt --tables lfts.txt --set link.latency=150ns -o fabric.toml",
         "orrery machine import /etc/slurm/topology.conf --set link.bandwidth=200Gbit/s -o cluster.toml"});
    in.notes("Prints the files that it wrote.");
    in.callback([arguments] {
        refuse_existing(arguments->out, arguments->force);
        explain("reading {}", arguments->machine.name);
        say_exchange(naming_file(arguments->machine.name, [&] {
            return import_machine(arguments->machine.name, arguments->tables, arguments->out,
                                  arguments->machine.overrides);
        }));
    });
}

} // namespace orrery::cli
