#include "cli/run_directory.h"

#include "engine/output_folder.h"
#include "observe/critical_path.h"
#include "observe/event_path.h"
#include "observe/event_table.h"
#include "observe/json_text.h"
#include "observe/replay_csv.h"
#include "simulation/input_files.h"

#include <array>
#include <chrono>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

namespace orrery::cli {

namespace {

struct ProgramStart {
    std::vector<std::string> words;
    std::time_t time = 0;
    std::chrono::steady_clock::time_point clock;
};

ProgramStart& program_start() {
    static ProgramStart start;
    return start;
}

std::string host_of_this_process() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string();
}

} // namespace

void remember_command_line(std::vector<std::string> words) {
    program_start() = {std::move(words), std::time(nullptr), std::chrono::steady_clock::now()};
}

RunRecord completed(RunRecord record, const SimulateArguments& arguments) {
    const ProgramStart& start = program_start();
    record.version = ORRERY_VERSION;
    record.command = start.words;
    std::vector<NamedInput> named = arguments.inputs;
    if (!arguments.noise_file.empty()) named.push_back({"noise-file", arguments.noise_file});
    record.inputs = input_files(arguments.simulation, named);
    record.noise_seed = arguments.seed;
    record.skew_seed = arguments.simulation.seed;
    record.host = host_of_this_process();
    record.started = fmt::format("{:%FT%TZ}", fmt::gmtime(start.time));
    record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start.clock).count();
    return record;
}

void add_run_directory_options(const Verb& verb, SimulateArguments& arguments, bool output_taken) {
    const char* const output = "Output";
    if (!output_taken)
        verb.add_option("-o,--output", arguments.output,
                        "Write a run directory: manifest, summary, result as JSON, tables")
            .type_name("DIR")
            .group(output);
    verb.add_flag("--force", arguments.force, "Replace the run directory that is there")
        .group(output)
        .advanced();
    verb.add_flag("--events", arguments.events,
                  "Add every event of the run, with its cause, to the run directory: events.csv")
        .group(output)
        .advanced();
}

void write_run_directory(const ReplayPrediction& prediction, const ReplayContext& context,
                         const RunDetails& details, const SimulateArguments& arguments) {
    OutputFolder folder(arguments.output, arguments.force);
    ReplayContext plain = context;
    plain.style = {};
    plain.all_links = true;
    std::string text = summary(prediction, plain);
    if (context.critical_path != nullptr) text += summary(*context.critical_path);
    if (details.path != nullptr) text += summary(*details.path);
    folder.write("summary.txt", text);
    nlohmann::json json = to_json(prediction, context);
    if (details.path != nullptr) json["critical_path"] = *details.path;
    folder.write("result.json", json_text(json, 2) + "\n");
    for (const auto& [name, table] :
         {std::pair{"ranks.csv", ResultTable::ranks}, std::pair{"links.csv", ResultTable::links},
          std::pair{"sizes.csv", ResultTable::sizes}, std::pair{"calls.csv", ResultTable::calls},
          std::pair{"collectives.csv", ResultTable::collectives}})
        write_table(prediction, table, folder.file(name));
    if (arguments.events && details.events != nullptr) write_events(*details.events, folder.file("events.csv"));
    folder.write(OutputFolder::manifest, json_text(manifest_json(context.run, folder.files()), 2) + "\n");
    folder.commit();
}

} // namespace orrery::cli
