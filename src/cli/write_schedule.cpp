#include "cli/write_schedule.h"

#include "cli/schedule_progress.h"
#include "cli/verbosity.h"
#include "engine/error.h"
#include "engine/units.h"
#include "formats/formats.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>

namespace orrery::cli {

void write_schedule(const std::string& output, const std::function<void(ScheduleSink&)>& generate) {
    const bool to_stdout = output == "-";
    const auto format = to_stdout ? ScheduleFormat::goal_text : format_of_extension(output);
    if (!format) {
        throw UsageError(
            fmt::format("cannot tell the format of '{}' from its name: end it in .goal (GOAL text), .bin "
                        "(LogGOPSim's binary) or .orr (compact)",
                        output));
    }
    const auto start = std::chrono::steady_clock::now();
    const std::unique_ptr<ScheduleSink> writer = make_writer(output, *format);
    ScheduleProgress progress(*writer);
    generate(progress);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (quiet()) return;
    fmt::print(to_stdout ? stderr : stdout, "{} operations, {} ranks: {} ({}) in {:.2f} s\n",
               format_count(progress.operations()), format_count(progress.ranks()),
               to_stdout ? "standard output" : output, name_of(*format), seconds);
}

void refuse_options(const std::vector<Option>& options, std::string_view because) {
    for (const Option& option : options) {
        if (!option.given()) continue;
        throw UsageError(fmt::format("{} is of no use with {}: the schedule is written, not simulated",
                                     option.name(), because));
    }
}

bool names_a_schedule(const std::string& output) {
    std::error_code none;
    return output == "-" ||
           (std::filesystem::path(output).has_extension() && !std::filesystem::is_directory(output, none));
}

} // namespace orrery::cli
