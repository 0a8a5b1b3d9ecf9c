// `orrery machine check`: whether a machine is sound, how narrow it is, whether its routes can deadlock, and
// where the flows of a pattern meet.
#include "cli/machine_verbs.h"
#include "engine/naming_file.h"
#include "formats/load_machine.h"
#include "machine/routing/pattern.h"
#include "observe/json_text.h"
#include "observe/machine/check.h"

#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace orrery::cli {

namespace {

struct CheckArguments {
    MachineChoice machine;
    MachineCheckOptions options;
    bool json = false;
};

void check(const CheckArguments& arguments) {
    const Machine machine = load_machine(arguments.machine.name, arguments.machine.overrides);
    platform_of(machine);
    const MachineCheck result = check_machine(machine, arguments.options);
    if (arguments.json) {
        fmt::print("{}\n", json_text(check_json(machine, result), 2));
        return;
    }
    for (const std::string& each : machine.ignored) fmt::print("passed over: {}\n", each);
    fmt::print("{}", check_words(machine, result));
}

} // namespace

void add_machine_check(const Verb& machine) {
    const auto arguments = std::make_shared<CheckArguments>();
    const Verb verb = machine.add_subcommand(
        "check",
        "Check a machine: do all hosts reach each other, can packets deadlock, how wide is the network");
    add_machine_choice(verb, arguments->machine);
    verb.add_option("--pairs", arguments->options.pairs, "Most pairs of hosts whose routes are checked")
        .show_default();
    verb.add_option(
            "--pattern", arguments->options.pattern,
            "Count where the flows of a pattern share links: a file of lines 'from to [bytes] [phase]', or "
            "one of the patterns below")
        .type_name("FILE")
        .completes(pattern_names(pattern_user::machine));
    verb.add_flag("--json", arguments->json, "Print one JSON object instead of text");
    verb.examples({"orrery machine check stampede --pattern shift:16",
                   "orrery machine check ideal-fat-tree --set routing.policy=random --pattern permutation:1",
                   "orrery machine check blue-gene-q --set routing.policy=shortest"});
    verb.notes(
        "Patterns:\n" + pattern_help(pattern_user::machine) +
        "Contention of a channel: the smaller of the numbers of senders and receivers of its flows. With 1 "
        "no flow waits that would not wait at its host's link anyway.");
    verb.callback([arguments] { naming_file(arguments->machine.name, [&] { check(*arguments); }); });
}

} // namespace orrery::cli
