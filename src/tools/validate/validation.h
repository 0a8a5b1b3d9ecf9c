// Predicted against measured: applications are run on this machine, traced, predicted from the trace on a model
// of this machine, and compared.
#pragma once

#include "engine/time.h"
#include "simulation/simulation.h"
#include "tools/validate/bursts.h"
#include "tools/validate/statistics.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace orrery {

struct ValidationApplication {
    std::string name;
    std::vector<std::string> command; // program and arguments
    std::uint32_t ranks = 2;
    std::string trace; // recorded before; empty: it is traced now
};

struct ValidationPlan {
    std::string name;
    std::vector<ValidationApplication> applications;
    SimulationText simulation;
    std::uint32_t runs = 7;
    std::uint32_t warm_ups = 1; // runs of each application that do not count
    std::uint32_t traces = 1;   // of each application; the mean of their predictions is taken
    std::string counter;        // what a trace counts; empty: what the tracing library takes by itself
    std::string mpi;            // openmpi or mpich, for scripts; empty: what the program is linked with
    std::string mpirun;         // as Launch has it, and its options
    std::vector<std::string> mpirun_options;
    double timeout_seconds = 0; // of each run; 0: none
    std::string program;        // that does all this, with its version: for manifests
};

// With exact computation: every burst lasts what it lasted in the traced run.
struct ExactPrediction {
    Time predicted;
    KindSeconds by_kind{};
    TracedTimes traced;
    ErrorSplit split;
};

// What is known of an application that was compared. Seconds everywhere.
struct ValidationResult {
    ValidationApplication application;
    std::vector<double> runs; // from the return of MPI_Init to MPI_Finalize, of the slowest rank
    CleanRuns clean;
    std::string trace;   // where it is; empty: it is not kept
    std::string counter; // what it counts
    std::uint64_t actions = 0;
    double traced = 0; // how long the traced run took
    Time predicted;
    KindSeconds predicted_by_kind{};
    std::vector<std::string> notes;       // of the trace and of the replay
    double error = 0;                     // of the prediction, relative to the measured time
    std::optional<ExactPrediction> exact; // of a timed trace only
};

struct ValidationProgress {
    std::size_t done = 0; // runs and predictions
    std::size_t total = 0;
    std::string what; // "cg, 2 ranks: run 3 of 7"
};
using ValidationReporter = std::function<void(const ValidationProgress&)>;

// The user asked to stop (Ctrl-C) while an application ran.
class ValidationStopped : public std::runtime_error {
  public:
    explicit ValidationStopped(int signal) : std::runtime_error("stopped"), signal_(signal) {}
    [[nodiscard]] int signal() const { return signal_; }

  private:
    int signal_;
};

// Runs, traces and predicts all applications. The runs of different applications alternate, so that a drift of
// the machine meets all alike; traced runs stand between them. `folder` takes outputs and traces, a folder per
// application. Throws SimulationError if an application fails (which run, its output) or its replay does;
// InputError or UsageError for a machine, program or trace that is not there.
std::vector<ValidationResult> validate(const ValidationPlan& plan, const std::string& folder,
                                       const ValidationReporter& report);

// "cg, 2 ranks".
std::string title_of(const ValidationApplication& application);
// "cg-2": its folder.
std::string folder_of(const ValidationApplication& application);

} // namespace orrery
