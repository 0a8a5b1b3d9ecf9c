#include "tools/acquire/launch.h"
#include "tools/acquire/mpirun.h"
#include "tools/acquire/supervise.h"

#include <algorithm>
#include <sched.h>
#include <unistd.h>

namespace orrery {

namespace {

// What mpirun keeps open on a host for each rank: its three streams and a connection, all with both ends while
// the rank is started (Open MPI 4.1 needs 4 to 5, MPICH 4.0 likewise). 1,024, the usual limit, are too few for
// 256 ranks.
constexpr std::uint64_t files_per_rank = 8;
constexpr std::uint64_t files_besides = 256;

// A rank of Open MPI that waits for the others to start probes for them every 100 us, so that 128 ranks on two
// cores spend 51 s of CPU time on it. If each may oversleep by this, they take 11 s.
constexpr unsigned long late_ns = 1'000'000;

std::uint32_t usable_cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<std::uint32_t>(CPU_COUNT(&set));
    return static_cast<std::uint32_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

} // namespace

Launched launch(const Launch& what, MpiKind kind) {
    (void)inspect_program(what.command.at(0)); // its words are clearer than mpirun's
    const Mpirun mpirun = find_mpirun(what.mpirun, kind);
    const std::uint32_t cores = usable_cores();
    const std::vector<std::string> command = mpirun_command(what, mpirun, cores, ::geteuid() == 0);
    SupervisedLimits limits;
    limits.files = files_besides + files_per_rank * what.ranks;
    if (is_folded(what, cores)) limits.late_ns = late_ns;
    const Supervised ended = supervise(command, what.output, what.timeout_seconds, limits);
    Launched out;
    out.exit_code = ended.exit_code;
    out.timed_out = ended.timed_out;
    out.stopped_by = ended.stopped_by;
    out.seconds = ended.seconds;
    out.command_line = shell_words(command);
    return out;
}

} // namespace orrery
