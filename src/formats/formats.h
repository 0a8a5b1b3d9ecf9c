// The files a schedule can come from and go to, and which is which.
#pragma once

#include "workload/schedule.h"
#include "workload/sink.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace orrery {

enum class ScheduleFormat {
    goal_text,        // .goal: the language of LogGOPSim's schedules
    loggopsim_binary, // .bin: what its txt2bin makes of them
    compact           // .orr: ours, mapped and never loaded
};

// "GOAL text", "LogGOPSim binary", "Orrery compact".
std::string_view name_of(ScheduleFormat format);

// By what is in the file, not by its name. The standard input ("-") or another pipe can only be GOAL text.
// Throws InputError that says what was found if it is none of them.
ScheduleFormat detect_format(const std::string& path);
// By .goal, .bin or .orr.
std::optional<ScheduleFormat> format_of_extension(std::string_view path);
// "goal", "bin" or "orr", as the command line has it. Throws UsageError with what was expected.
ScheduleFormat parse_format(std::string_view word);

// "-" is the standard output, for GOAL text only.
std::unique_ptr<ScheduleSink> make_writer(const std::string& path, ScheduleFormat format);

// Hands the schedule in the file, rank by rank, to `sink`.
void read_schedule_file(const std::string& path, ScheduleSink& sink);
void read_schedule_file(const std::string& path, ScheduleFormat format, ScheduleSink& sink);

// Ours is mapped; the others are turned into it in memory.
Schedule load_schedule(const std::string& path);

} // namespace orrery
