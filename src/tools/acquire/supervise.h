// Runs a command with all the processes that it starts, and leaves none of them behind.
//
// mpirun puts each rank into a process group of its own, so a signal to its group does not reach them. This
// process therefore becomes the one that orphans are given to (PR_SET_CHILD_SUBREAPER), and ends whatever
// descends from the command.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace orrery {

struct Supervised {
    int exit_code = 0; // 128 + signal if it was killed by one
    bool timed_out = false;
    int stopped_by = 0; // SIGINT, SIGTERM or SIGHUP if this process got one meanwhile
    double seconds = 0;
};

// What the command and all that it starts is granted; 0: as it is.
struct SupervisedLimits {
    std::uint64_t files = 0;   // that it may have to keep open; its limit is raised to that as far as may be
    unsigned long late_ns = 0; // by which the kernel may let it sleep longer than it asked for
};

// `output`: a file for its standard output and error; empty: as they are. Throws UsageError if
// the command cannot be started, InputError if the output file cannot be written. Asked to stop (a signal, or
// the timeout), it passes SIGTERM on and kills what is left after ten seconds, or at the second signal. If this
// process is killed, the command gets SIGTERM.
Supervised supervise(const std::vector<std::string>& command, const std::string& output, double timeout_seconds,
                     const SupervisedLimits& limits = {});

} // namespace orrery
