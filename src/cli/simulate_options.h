// The options of every verb that ends in a simulation (replay, generate, extrapolate), and that end.
#pragma once

#include "cli/command_line.h"
#include "observe/replay_report.h"
#include "simulation/input_files.h"
#include "simulation/simulation.h"
#include "workload/schedule.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace orrery {
struct CriticalPath;
class EventLog;
} // namespace orrery

namespace orrery::cli {

struct SimulateArguments {
    SimulationText simulation;
    std::vector<NamedInput> inputs; // the workload and others that the verb reads
    std::string output;             // -o: a run directory
    bool force = false;             // replace it
    bool events = false;            // with the event log
    std::string noise_file;
    std::string noise;
    std::uint64_t seed = 1;
    bool noise_coscheduled = false;

    std::string resolution; // main() has set it already: here for the help and the summary

    bool json = false;
    bool per_rank = false;
    bool critical_path = false;
    bool links = false;
    bool efficiencies = false;
    std::vector<std::string> tables; // CSV
    std::vector<std::string> timelines;
    std::string timeline_ranks; // "0-15"
    std::string timeline_from;
    std::string timeline_to;
    std::string paraver;         // x.prv
    std::string paraver_network; // x.prv
    std::string paraver_quantum = "4 KiB";
};

// What a verb simulates: not every output is there for each.
enum class SimulatesWhat { any, schedule, program };

// Single options of the machine, for verbs that have only some of them.
void add_on_option(const Verb& verb, SimulationText& simulation);
void add_set_option(const Verb& verb, std::vector<std::string>& settings);
void add_collective_option(const Verb& verb, std::vector<std::string>& collectives);
const std::vector<std::string>& network_choices(); // as --network names them
// Adds all options of the machine and its model to a verb.
void add_machine_options(const Verb& verb, SimulationText& simulation);
// Adds these and all others of a simulation.
void add_simulate_options(const Verb& verb, SimulateArguments& arguments,
                          SimulatesWhat what = SimulatesWhat::any);

// Throws UsageError if the arguments do not fit together: called before long work starts.
void check_simulate_arguments(const SimulateArguments& arguments);

// Simulates and prints the prediction; writes what else was asked for. `what` names the workload to the user.
void run_and_report(const Schedule& schedule, const std::string& what, const SimulateArguments& arguments);

// What else is known of a run, if somebody asked for it.
struct RunDetails {
    const CriticalPath* path = nullptr; // of a schedule on the fast path
    const EventLog* events = nullptr;
};
bool wants_events(const SimulateArguments& arguments);

// Prints a prediction, as words or JSON, and writes the tables that were asked for.
void print_prediction(const ReplayPrediction& prediction, const ReplayContext& context,
                      const SimulateArguments& arguments, const RunDetails& details = {});

// The same for traces. `open` gives the jobs; a second time, from their beginning, for the run on an ideal
// network. `notes` tells, after the run, what the reader has to say.
using OpenJobs = std::function<std::vector<Simulation::Job>()>;
using Notes = std::function<std::vector<std::string>()>;
void run_and_report(const OpenJobs& open, const std::string& what, const Notes& notes,
                    const SimulateArguments& arguments);

// The same for a program that runs itself with simulated ranks. `actions` of its result are what the ranks did,
// for the run on an ideal network; no jobs: nothing was kept.
struct ProgramRun {
    ReplayPrediction prediction;
    std::vector<Simulation::Job> actions;
    bool measured = false; // its computation takes as long as on this computer
    bool scaled = false;   // ... or as a host of the machine needs for it
};
using RunProgram =
    std::function<ProgramRun(const Simulation& simulation, Network& network, const ReplayOptions& options)>;
// `computation` says in words where its time comes from.
void run_and_report(const RunProgram& run, std::uint32_t ranks, const std::string& what,
                    const std::string& computation, const SimulateArguments& arguments);

} // namespace orrery::cli
