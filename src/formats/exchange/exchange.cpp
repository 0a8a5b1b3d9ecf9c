#include "formats/exchange/exchange.h"
#include "formats/load_machine.h"

#include "engine/error.h"
#include "engine/output_file.h"
#include "formats/exchange/writers.h"
#include "formats/infiniband/ibnet_file.h"
#include "formats/myrinet/map_file.h"
#include "formats/net_formats.h"
#include "machine/machine_file.h"
#include "machine/provenance.h"
#include "machine/routing/imported.h"

#include <filesystem>
#include <fmt/format.h>

namespace orrery {

namespace {

namespace fs = std::filesystem;

void save(const std::string& path, std::string_view text, Exchange& done) {
    OutputFile file(path);
    file.write(text);
    file.commit();
    done.files.push_back(path);
}

std::string with_extension(const std::string& path, const char* extension) {
    return fs::path(path).replace_extension(extension).string();
}

// Writes the ways of the machine's routing and returns the name of their file, or nothing if there are none.
std::string save_routes(const Fabric& fabric, const Machine& machine, const std::string& out,
                        const ExportOptions& options, Exchange& done) {
    if (!options.routes) return {};
    if (fabric.host_count() > most_hosts_with_routes) {
        done.notes.push_back(fmt::format("no routes: more than {} hosts", most_hosts_with_routes));
        return {};
    }
    const auto routing = make_routing(fabric, machine.settings);
    if (routing->lanes() > 1) {
        done.notes.push_back(
            fmt::format("the virtual channels of {} are not part of a route file; packets that "
                        "follow it may deadlock",
                        routing->words()));
    }
    if (routing->decides() == Decides::per_hop) {
        done.notes.push_back(
            fmt::format("{} decides at every switch; the file has some of its routes", routing->words()));
    }
    const std::string path = with_extension(out, ".routes");
    save(path, write_routes(fabric, *routing, options.ports), done);
    return fs::path(path).filename().string();
}

const Platform& wired(const Machine& machine) {
    if (machine.platform) return *machine.platform;
    throw InputError(Error{machine.file, 0, 0, "has no [topology], so no hosts and links"});
}

} // namespace

Exchange export_machine(const Machine& machine, const std::string& out, const ExportOptions& options) {
    const std::string kind = fs::path(out).extension().string();
    const Platform& platform = wired(machine);
    Exchange done;
    if (kind == ".xml") {
        save(out, write_simgrid(platform, machine.name), done);
        return done;
    }
    const Fabric fabric(platform);
    for (const std::string& each : fabric.left_out()) done.notes.push_back("left out: " + each);
    if (kind == ".map") {
        save(out, write_map(fabric), done);
        save_routes(fabric, machine, out, options, done);
    } else if (kind == ".toml") {
        const std::string routes = save_routes(fabric, machine, out, options, done);
        save(out, write_graph_toml(fabric, machine, routes), done);
    } else if (kind == ".dot") {
        save(out, write_dot(fabric, machine.name), done);
    } else if (kind == ".ned") {
        const NedFiles files = write_ned(fabric, machine.name);
        save(out, files.ned, done);
        save(with_extension(out, ".ini"), files.ini, done);
    } else {
        throw UsageError(
            fmt::format("cannot tell the format of \"{}\" from its name; expected .map, .ned, .dot, .xml "
                        "or .toml",
                        out));
    }
    return done;
}

Exchange import_machine(const std::string& file, const std::string& tables, const std::string& out,
                        std::span<const std::string> overrides) {
    if (!out.ends_with(".toml")) throw UsageError(fmt::format("\"{}\": a machine file ends in .toml", out));
    const std::string text = read_whole_file(file);
    const auto format = net_format(text, file);
    if (!format) {
        throw InputError(
            Error{file, 0, 0,
                  "is neither a Myrinet map, nor what ibnetdiscover prints, nor a topology.conf of Slurm"});
    }
    const Machine machine = machine_from_text(text, file, overrides);
    Exchange done;
    std::string routes;
    if (!tables.empty()) {
        if (*format != NetFormat::ibnetdiscover) {
            throw UsageError("forwarding tables belong to what ibnetdiscover prints");
        }
        routes = convert_lfts(read_route_text(tables), tables, read_ibnet(text, file));
    } else if (machine.settings.word("routing.policy", "") == "file") {
        routes = read_route_text(machine.settings.word("routing.file", ""));
    }
    const Fabric fabric(wired(machine));
    std::string name;
    if (!routes.empty()) {
        static_cast<void>(
            imported_routes(routes, fabric, tables.empty() ? file : tables)); // throws if it does not fit
        save(with_extension(out, ".routes"), routes, done);
        name = fs::path(out).filename().replace_extension(".routes").string();
    }
    save(out, write_graph_toml(fabric, machine, name), done);
    std::string assumed;
    for (const AssumedValue& each : provenance_of(machine).assumed)
        assumed += fmt::format("{}{} = {}", assumed.empty() ? "" : ", ", each.key, each.value);
    if (!assumed.empty()) {
        done.notes.push_back(fmt::format(
            "assumed, as {} does not say it: {}\nSet what you know with --set KEY=VALUE, or edit {} "
            "and its provenance.assumed. Each prediction warns of what is left.",
            file, assumed, out));
    }
    return done;
}

} // namespace orrery
