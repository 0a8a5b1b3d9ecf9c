// A replay as a Paraver trace: a task per rank with its states, MPI calls and point-to-point messages; a thread
// per CPU of the rank.
//
// A message's record (3:...) has as logical times when it was sent and when its receive was posted, as physical
// times when its first byte left and its last byte arrived; so a message that waits for its receive has a
// physical reception before the logical one. Messages inside collectives are no records: Paraver knows a
// collective as a call.
#pragma once

#include "engine/time.h"
#include "observe/replay_timeline.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace orrery {

struct ParaverRun {
    std::vector<std::uint32_t> job_ranks; // an application each
    std::vector<std::string> hosts;       // the name of the host of each rank, all jobs counted through
    std::vector<Time> starts{};           // when each rank begins; those that are missing: at once
    std::uint32_t cpus = 1;               // of each rank
};

// Throws UsageError for a name that does not end in .prv, InputError if the files cannot be written.
std::unique_ptr<ReplayTimeline> make_paraver_timeline(const std::string& path, const ParaverRun& run);

} // namespace orrery
