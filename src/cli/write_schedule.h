// Writes a schedule as it is generated, for the verbs that make one (generate, extrapolate).
#pragma once

#include "cli/command_line.h"
#include "workload/sink.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::cli {

// Runs `generate` into a file whose name says its format ("-": GOAL text to the standard output) and prints a
// line.
void write_schedule(const std::string& output, const std::function<void(ScheduleSink&)>& generate);

// Throws UsageError if one of these options was given: they mean nothing when a schedule is only written, as
// `because` asks.
void refuse_options(const std::vector<Option>& options, std::string_view because = "-o");
// Whether a name is that of a schedule (or a mistake for one): "-", or with an extension. Otherwise: a folder.
bool names_a_schedule(const std::string& output);

} // namespace orrery::cli
