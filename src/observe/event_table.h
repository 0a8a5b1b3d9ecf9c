// The event log of a run as a table: a line for each event, with its cause. docs/replay_output.md has the
// columns.
#pragma once

#include "results/event_log.h"

#include <string>

namespace orrery {

// A name that ends in .events.csv.
bool is_event_table(const std::string& path);

// Behind the events a line for each rank, `finish`, with what made it end, unless the run was stopped before.
// Written as a stream; throws InputError if the file cannot be written.
void write_events(const EventLog& log, const std::string& path);

} // namespace orrery
