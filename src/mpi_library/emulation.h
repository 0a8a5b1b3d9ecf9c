// One run of a program with simulated ranks: puts the parts together.
#pragma once

#include "emulate/compute/compute.h"
#include "emulate/context/stacks.h"
#include "emulate/program/program.h"
#include "emulate/program_failed.h"
#include "machine/platform.h"
#include "network/network.h"
#include "protocol/replay_options.h"
#include "results/replay_prediction.h"

#include <memory>
#include <string>
#include <vector>

namespace orrery::emulate {

struct EmulationOptions {
    ProgramOptions program;
    ComputeOptions compute;
    std::string kernels;           // models of BLAS routines: a file or a machine; empty: none
    std::vector<std::string> skip; // functions of the program that return at once
    Bytes share_above = ~Bytes{0};
    bool check_memory = false; // the heap finds what is written behind blocks, and blocks that are freed twice
    std::string trace;         // a file for what the ranks did (.ort); empty: none
    bool keep_actions = false; // also for the caller
    std::size_t stack = Stacks::usual;
    Time until = Time::max(); // of simulated time: the run is stopped then
    // Of processor time in which no rank advances: the run is an error then. Zero: without limit.
    Time stall = Time::us(600'000'000);
};

struct EmulationResult {
    ReplayPrediction prediction;
    std::shared_ptr<ActionSource> actions; // what the ranks did, if kept: its volumes are nanoseconds
    int exit_code = 0;                     // of the first rank that ended with another than 0
    std::vector<std::string> unused;       // patterns of --skip that no function fits
};

// `hosts`: where each rank runs. Throws InputError about the program, SimulationError if it fails: a deadlock;
// if it ends the run itself, ProgramFailed.
EmulationResult emulate(const EmulationOptions& options, const Platform& platform, Network& network,
                        const ReplayOptions& replay, std::vector<HostId> hosts);

} // namespace orrery::emulate
