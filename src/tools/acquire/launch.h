// Starts an MPI application on this machine, under its own mpirun, with or without our tracing library.
#pragma once

#include "tools/acquire/mpi_program.h"
#include "tools/acquire/own_files.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

struct Launch {
    std::vector<std::string> command; // program and arguments
    std::uint32_t ranks = 1;
    std::string mpirun;                      // empty: mpirun.openmpi or mpirun.mpich if there, else mpirun
    std::vector<std::string> mpirun_options; // passed on as they are
    std::string hostfile;                    // --hostfile
    std::string map_by;                      // --map-by
    std::vector<std::pair<std::string, std::string>> environment; // of every rank
    std::string preload;        // a library, for the ranks only, not for mpirun
    std::string output;         // a file for what the ranks print; empty: the terminal
    double timeout_seconds = 0; // 0: none; everything that was started is ended after it
};
struct Launched {
    int exit_code = 0; // 128 + signal if mpirun itself was killed
    bool timed_out = false;
    int stopped_by = 0;       // the signal by which this process was asked to stop meanwhile (Ctrl-C: SIGINT)
    double seconds = 0;       // of mpirun as a whole
    std::string command_line; // as a user would type it
};
// More ranks than cores are allowed (folded); as root, Open MPI is told that this is fine. Throws UsageError if
// mpirun cannot be started, or is not that of `kind`. SIGINT, SIGTERM and SIGHUP end the application; when this
// returns or throws, no process of it is left on this machine.
Launched launch(const Launch& what, MpiKind kind);

} // namespace orrery
