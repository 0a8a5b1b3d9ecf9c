// What a result says of the run that made it, and `-o DIR`: a folder with all of it.
#pragma once

#include "cli/simulate_options.h"
#include "results/run_record.h"

#include <string>
#include <vector>

namespace orrery::cli {

// At the start of the program: its command line and the time, for run_record().
void remember_command_line(std::vector<std::string> words);

// Completes what the simulation has said of the machine. Reads all inputs once more, to hash them: for --json
// and run directories only.
RunRecord completed(RunRecord record, const SimulateArguments& arguments);

// -o and what belongs to it; only the latter where the verb has an -o of its own.
void add_run_directory_options(const Verb& verb, SimulateArguments& arguments, bool output_taken = false);

// Writes the folder that -o names: manifest.json, summary.txt, result.json and tables.
void write_run_directory(const ReplayPrediction& prediction, const ReplayContext& context,
                         const RunDetails& details, const SimulateArguments& arguments);

} // namespace orrery::cli
