// `orrery generate`: a communication pattern as a schedule file, or simulated without being written.
#include "cli/schedule_progress.h"
#include "cli/simulate_options.h"
#include "cli/verbs.h"
#include "cli/write_schedule.h"
#include "engine/error.h"
#include "engine/units.h"
#include "workload/patterns/pattern.h"

#include <cstdio>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace orrery::cli {

namespace {

struct GenerateArguments {
    std::string pattern;
    std::string ranks;
    std::string output;
    bool list = false;
    std::map<std::string_view, std::string> texts; // of the pattern's options, by name
    std::vector<Option> given;                     // the same options, in the order of pattern_options()
    std::vector<Option> of_simulation;
    SimulateArguments simulate;
};

std::string option_names_of(const PatternInfo& info) {
    std::string names;
    for (const PatternOptionInfo& row : pattern_options()) {
        if ((info.uses & row.bit) != 0) names += fmt::format("{}{}", names.empty() ? "" : " ", row.name);
    }
    return names.empty() ? "none" : names;
}

void list_patterns() {
    for (const PatternInfo& info : patterns()) {
        const bool renamed = !info.alias.empty() && info.alias != info.name;
        fmt::print("{:<30}{}{}\n", info.name, info.description,
                   renamed ? fmt::format(" [{}]", info.alias) : "");
    }
    fmt::print("\nIn brackets: the name in LogGOPSim's schedgen, which is understood too.\n"
               "'orrery generate PATTERN --list' says more about one of them.\n");
}

void list_pattern(const PatternInfo& info) {
    fmt::print("{}: {}\n", info.name, info.description);
    if (!info.alias.empty()) fmt::print("  in LogGOPSim  {}\n", info.alias);
    fmt::print("  messages      {}\n", info.messages);
    if (!info.time.empty()) {
        fmt::print("  time          {}\n", info.time);
        fmt::print(
            "                (sO=(s-1)O, sG=(s-1)G, m=max(sO,sG), d=max(0,sO-L); log to base 2, rounded up;\n"
            "                for s <= S and rounds that outlast the gap: g+sG <= 2o+L+m+d)\n");
    }
    fmt::print("  options       {}\n", option_names_of(info));
    for (const PatternOptionInfo& row : pattern_options()) {
        if ((info.uses & row.bit) == 0) continue;
        fmt::print("    {:<22}{}\n", fmt::format("{} {}", row.name, row.value), row.meaning);
    }
}

PatternOptions pattern_options_of(const PatternInfo& info, const GenerateArguments& arguments) {
    PatternOptions options = info.defaults;
    options.ranks = parse_ranks(arguments.ranks);
    for (std::size_t i = 0; i < arguments.given.size(); ++i) {
        if (!arguments.given[i].given()) continue;
        const PatternOptionInfo& row = pattern_options()[i];
        if (((info.uses | option::everywhere) & row.bit) == 0) {
            throw UsageError(fmt::format("{} has no use for {}; its options: {}", info.name, row.name,
                                         option_names_of(info)));
        }
        const auto text = arguments.texts.find(row.name);
        row.set(options, text == arguments.texts.end() ? std::string_view() : text->second);
    }
    const bool overlaps = options.overlap != Time::zero();
    if (!overlaps &&
        (options.overlap_chunk != Time::zero() || options.overlap_cpu != info.defaults.overlap_cpu)) {
        throw UsageError("--overlap-chunk and --overlap-cpu need an --overlap");
    }
    return options;
}

void simulate(const Pattern& pattern, const std::string& what, std::uint32_t ranks,
              const SimulateArguments& arguments) {
    check_simulate_arguments(arguments);
    (void)Scenario(arguments.scenario, false);
    ScheduleBuilder builder(what);
    ScheduleProgress progress(builder);
    generate(pattern, ranks, progress);
    run_and_report(builder.take(), what, arguments);
}

void generate_verb(const GenerateArguments& arguments) {
    if (arguments.list)
        return arguments.pattern.empty() ? list_patterns() : list_pattern(find_pattern(arguments.pattern));
    if (arguments.pattern.empty()) throw UsageError("which pattern? 'orrery generate --list' shows them all");
    const PatternInfo& info = find_pattern(arguments.pattern);
    if (arguments.ranks.empty()) throw UsageError("how many ranks? Say -n RANKS, such as -n 64 or -n 8M");
    const PatternOptions options = pattern_options_of(info, arguments);
    const std::unique_ptr<Pattern> pattern = make_pattern(info.name, options);
    if (!arguments.output.empty()) {
        refuse_options(arguments.of_simulation);
        write_schedule(arguments.output, [&](ScheduleSink& sink) { generate(*pattern, options.ranks, sink); });
        return;
    }
    std::string what(info.name);
    if ((info.uses & option::bytes) != 0) what += fmt::format(" of {}", format_bytes(options.bytes));
    simulate(*pattern, what, options.ranks, arguments.simulate);
}

} // namespace

void add_generate(const Verb& app) {
    const Verb verb =
        app.add_subcommand("generate", "Make a schedule from a communication pattern, or simulate it at once");
    const auto arguments = std::make_shared<GenerateArguments>();
    verb.add_option("pattern", arguments->pattern, "Name of the pattern; --list shows them all");
    verb.add_option("-n,--np,--ranks", arguments->ranks,
                    "Number of ranks: 64, 4k, 8M (k and M are 1024 and 1024*1024, like Ki and Mi)");
    verb.add_option(
        "-o,--output", arguments->output,
        "Write the schedule to this file instead of simulating it: .goal, .bin or .orr; - is GOAL text "
        "on the standard output");
    verb.add_flag("--list", arguments->list,
                  "List the patterns; with a pattern: what it does and which options it has");
    for (const PatternOptionInfo& row : pattern_options()) {
        const std::string name(row.name);
        const std::string meaning(row.meaning);
        const Option option =
            row.value.empty()
                ? verb.add_flag(name, meaning)
                : verb.add_option(name, arguments->texts[row.name], meaning).type_name(std::string(row.value));
        (void)option.group("Pattern");
        arguments->given.push_back(option);
    }
    const std::size_t own = verb.options().size();
    add_simulate_options(verb, arguments->simulate);
    const std::vector<Option> all = verb.options();
    arguments->of_simulation.assign(all.begin() + static_cast<std::ptrdiff_t>(own), all.end());
    verb.footer("Examples:\n"
                "  orrery generate dissemination -n 8M --bytes 8 --on odin     simulate, nothing is written\n"
                "  orrery generate binomial-bcast -n 1024 --bytes 64KiB --root 3 --timeline tree.svg\n"
                "  orrery generate sweep -n 64 --dims 8x8 --compute 20us --bytes 6kB -o sweep.goal\n"
                "  orrery generate stencil-3d --list");
    verb.callback([arguments] { generate_verb(*arguments); });
}

} // namespace orrery::cli
