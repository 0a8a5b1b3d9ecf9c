// `orrery generate`: a communication pattern as a schedule file, or simulated without being written.
#include "cli/run_directory.h"
#include "cli/schedule_progress.h"
#include "cli/simulate_options.h"
#include "cli/verbosity.h"
#include "cli/verbs.h"
#include "cli/write_schedule.h"
#include "engine/error.h"
#include "engine/units.h"
#include "workload/patterns/pattern.h"

#include <cstdio>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace orrery::cli {

namespace {

struct GenerateArguments {
    std::string pattern;
    std::string ranks;
    std::string output; // a schedule or, without an extension, a run directory
    std::string write;  // a schedule
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
        fmt::print("{:<30}{}{}\n",
                   fmt::format("{}{}{}", info.name, info.argument.empty() ? "" : " :", info.argument),
                   info.description, renamed ? fmt::format(" [{}]", info.alias) : "");
    }
    fmt::print("\nIn brackets: the name in LogGOPSim's schedgen, which is understood too.\n"
               "Options may follow a name: shift:16, stencil-2d:dims=8x8:periodic. "
               "'orrery map', 'orrery traffic' and\n"
               "'orrery machine check' take these names too.\n"
               "'orrery generate PATTERN --list' says more about one of them.\n");
}

void list_pattern(const PatternInfo& info) {
    fmt::print("{}: {}\n", info.name, info.description);
    if (!info.alias.empty()) fmt::print("  in LogGOPSim  {}\n", info.alias);
    if (!info.synonyms.empty()) fmt::print("  also called   {}\n", info.synonyms);
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

PatternOptions pattern_options_of(const PatternChoice& choice, const GenerateArguments& arguments) {
    const PatternInfo& info = *choice.info;
    PatternOptions options = choice.options;
    options.ranks = parse_ranks(arguments.ranks);
    for (std::size_t i = 0; i < arguments.given.size(); ++i) {
        if (!arguments.given[i].given()) continue;
        const PatternOptionInfo& row = pattern_options()[i];
        if (((info.uses | option::everywhere) & row.bit) == 0) {
            throw UsageError(fmt::format("{} has no use for {}; its options: {}", info.name, row.name,
                                         option_names_of(info)));
        }
        if ((choice.given & row.bit) != 0)
            throw UsageError(fmt::format("{} and '{}' say the same thing twice", row.name, arguments.pattern));
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
    (void)Simulation(arguments.simulation, false);
    ScheduleBuilder builder(what);
    ScheduleProgress progress(builder);
    generate(pattern, ranks, progress);
    run_and_report(builder.take(), what, arguments);
}

void generate_verb(const GenerateArguments& arguments) {
    if (arguments.list)
        return arguments.pattern.empty() ? list_patterns() : list_pattern(find_pattern(arguments.pattern));
    if (arguments.pattern.empty()) throw UsageError("which pattern? 'orrery generate --list' shows them all");
    const PatternChoice choice = choose_pattern(arguments.pattern, pattern_user::generate);
    const PatternInfo& info = *choice.info;
    if (arguments.ranks.empty()) throw UsageError("how many ranks? Say -n RANKS, such as -n 64 or -n 8M");
    const PatternOptions options = pattern_options_of(choice, arguments);
    const std::unique_ptr<Pattern> pattern = make_pattern(info.name, options);
    const bool by_suffix = arguments.write.empty() && names_a_schedule(arguments.output);
    if (by_suffix || !arguments.write.empty()) {
        if (!by_suffix && !arguments.output.empty())
            throw UsageError("-o is of no use with --write: the schedule is written, not simulated");
        const std::string& file = by_suffix ? arguments.output : arguments.write;
        refuse_options(arguments.of_simulation, by_suffix ? "-o" : "--write");
        explain("writing {}", file);
        write_schedule(file, [&](ScheduleSink& sink) { generate(*pattern, options.ranks, sink); });
        return;
    }
    std::string what(info.name);
    if ((info.uses & option::bytes) != 0) what += fmt::format(" of {}", format_bytes(options.bytes));
    SimulateArguments simulated = arguments.simulate;
    simulated.output = arguments.output;
    simulate(*pattern, what, options.ranks, simulated);
}

// In the short help; '--list' shows which options a pattern has.
bool common_pattern_option(const PatternOptionInfo& row) {
    constexpr PatternOptionSet common = option::bytes | option::root | option::compute | option::dims;
    return (row.bit & common) != 0;
}

} // namespace

void add_generate(const Verb& app) {
    const Verb verb =
        app.add_subcommand("generate", "Simulate a communication pattern, or write it as a schedule");
    const auto arguments = std::make_shared<GenerateArguments>();
    verb.group("Predict");
    verb.add_option("pattern", arguments->pattern, "Name of the pattern; --list shows them all")
        .type_name("PATTERN");
    verb.add_option("-n,--ranks,--np", arguments->ranks, "Number of ranks (also -np)").type_name("RANKS");
    verb.add_option("-o,--output", arguments->output,
                    "Write a run directory; named .goal, .bin or .orr: the schedule")
        .type_name("DIR");
    verb.add_option("--write", arguments->write,
                    "Write the schedule instead: .goal, .bin or .orr; - is the standard output")
        .type_name("FILE")
        .advanced();
    verb.add_flag("--list", arguments->list, "List the patterns; with a pattern: its options and closed form");
    for (const PatternOptionInfo& row : pattern_options()) {
        const std::string name(row.name);
        const std::string meaning(row.meaning);
        const Option option =
            row.value.empty()
                ? verb.add_flag(name, meaning)
                : verb.add_option(name, arguments->texts[row.name], meaning).type_name(std::string(row.value));
        (void)option.group("Pattern");
        if (!common_pattern_option(row)) (void)option.advanced();
        arguments->given.push_back(option);
    }
    const std::size_t own = verb.options().size();
    add_simulate_options(verb, arguments->simulate, SimulatesWhat::schedule);
    add_run_directory_options(verb, arguments->simulate, true);
    const std::vector<Option> all = verb.options();
    for (const Option& option : std::span(all).subspan(own)) {
        if (option.name() != "--quiet" && option.name() != "--verbose")
            arguments->of_simulation.push_back(option);
    }
    verb.examples({"orrery generate dissemination -n 8M --bytes 8 --on odin",
                   "orrery generate binomial-bcast -n 1024 --bytes 64KiB --root 3 --timeline tree.svg",
                   "orrery generate sweep -n 64 --dims 8x8 --compute 20us --bytes 6kB --write sweep.goal",
                   "orrery generate stencil-3d --list"});
    verb.callback([arguments] { generate_verb(*arguments); });
}

} // namespace orrery::cli
