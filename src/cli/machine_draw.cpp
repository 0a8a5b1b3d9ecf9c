// `orrery machine draw`: a picture of the topology, coloured by the load of a pattern.
#include "cli/machine_verbs.h"
#include "engine/naming_file.h"
#include "engine/output_file.h"
#include "engine/units.h"
#include "formats/load_machine.h"
#include "machine/routing/routing.h"
#include "observe/machine/check.h"
#include "observe/machine/picture.h"

#include <fmt/format.h>
#include <memory>
#include <optional>

namespace orrery::cli {

namespace {

struct DrawArguments {
    MachineChoice machine;
    std::string output;
    std::string pattern;
};

void draw(const DrawArguments& arguments) {
    const Machine machine = load_machine(arguments.machine.name, arguments.machine.overrides);
    const Platform& platform = platform_of(machine);
    const Fabric fabric(platform);
    PictureText text{fmt::format("{}: {}", machine.name, platform.topology().words()),
                     {fmt::format("{} hosts, {} switches", format_count(platform.host_count()),
                                  format_count(fabric.switch_count()))}};
    std::optional<PatternLoad> load;
    if (!arguments.pattern.empty()) {
        const auto routing = make_routing(fabric, routing_settings(machine));
        const HostPattern pattern = read_pattern(platform, arguments.pattern);
        load = load_of(fabric, *routing, pattern);
        text.lines.push_back(fmt::format("{} ({} flows), {}", pattern.words, format_count(pattern.flows.size()),
                                         routing->words()));
    }
    OutputFile file(arguments.output);
    file.write(draw_machine(fabric, text, load ? &*load : nullptr));
    file.commit();
    fmt::print("{}: {}\n", arguments.output, text.title);
}

} // namespace

void add_machine_draw(const Verb& machine) {
    const auto arguments = std::make_shared<DrawArguments>();
    const Verb verb = machine.add_subcommand("draw", "Draw the topology as SVG, with the load of a pattern");
    add_machine_choice(verb, arguments->machine);
    verb.add_option("-o,--output", arguments->output, "The picture (.svg)").type_name("FILE").required();
    verb.add_option("--pattern", arguments->pattern,
                    "Colour the cables by the flows of a pattern (see 'orrery machine check --help')")
        .type_name("FILE")
        .completes(pattern_names(pattern_user::machine));
    verb.examples(
        {"orrery machine draw ideal-fat-tree -o tree.svg",
         "orrery machine draw fabric.toml --set routing.policy=random --pattern shift:16 -o load.svg"});
    verb.notes(
        "Trees are drawn by levels; tori, meshes and hypercubes as grids; dragonflies and graphs as circles.");
    verb.callback([arguments] { naming_file(arguments->machine.name, [&] { draw(*arguments); }); });
}

} // namespace orrery::cli
