// Writes actions as a recorded trace in one file (.ort), rank after rank.
#pragma once

#include "formats/ort/recorded_trace.h"
#include "formats/ti/writers.h"
#include "workload/action.h"

#include <functional>
#include <string>
#include <vector>

namespace orrery {

// Another recorded trace, with all that it says of its ranks, and its times if it has any.
TiWritten write_ort(const RecordedTrace& trace, const std::string& path);

// Any actions. `program` is what the trace will be called; `notes`, asked when all has been read, is what else
// it should say; `cpu_time_rate`, if the volumes are CPU time, how many units of them a second has.
TiWritten write_ort(ActionSource& source, const std::string& path, const std::string& program,
                    const std::function<std::vector<std::string>()>& notes = {}, double cpu_time_rate = 0);

} // namespace orrery
