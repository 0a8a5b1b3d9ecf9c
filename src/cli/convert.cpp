// `orrery convert`: a schedule or a time-independent trace from one format to another.
#include "cli/inputs.h"
#include "cli/schedule_progress.h"
#include "cli/trace_files.h"
#include "cli/verbosity.h"
#include "cli/verbs.h"
#include "engine/error.h"
#include "engine/units.h"
#include "formats/formats.h"
#include "formats/trace.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <span>
#include <string>

namespace orrery::cli {

namespace {

ScheduleFormat output_format(const TraceConversion& options) {
    if (!options.to.empty()) return parse_format(options.to);
    if (const auto format = format_of_extension(options.out)) return *format;
    throw UsageError(fmt::format("cannot tell the format of \"{}\" from its name (.goal, .bin or .orr): say "
                                 "--to goal, --to bin or --to orr",
                                 options.out));
}

std::uint64_t size_of(const std::string& path) {
    std::error_code none;
    const auto bytes =
        std::filesystem::is_regular_file(path, none) ? std::filesystem::file_size(path, none) : 0;
    return none ? 0 : bytes;
}

std::string with_size(ScheduleFormat format, std::uint64_t bytes) {
    return bytes == 0 ? std::string(name_of(format))
                      : fmt::format("{} {}", name_of(format), format_bytes(bytes));
}

void convert(const TraceConversion& options) {
    std::error_code none;
    if (options.in == options.out || std::filesystem::equivalent(options.in, options.out, none)) {
        throw UsageError("the input and the output are the same file");
    }
    expect_inputs(std::span(&options.in, 1));
    if (options.in != "-" && (looks_like_ti(options.in) || is_trace_output(options.out, options.to))) {
        convert_trace(options);
        return;
    }
    if (!options.speed.empty() || !options.collectives.empty() || options.allow_truncated)
        throw UsageError("--speed, --collective and --allow-truncated are for time-independent traces");
    const ScheduleFormat to = output_format(options);
    const ScheduleFormat from = detect_format(options.in);
    explain("reading {}: {}; writing {}: {}", options.in, name_of(from), options.out, name_of(to));
    const auto start = std::chrono::steady_clock::now();
    const std::unique_ptr<ScheduleSink> writer = make_writer(options.out, to);
    ScheduleProgress progress(*writer);
    read_schedule_file(options.in, from, progress);

    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const std::uint64_t in_bytes = size_of(options.in);
    const std::uint64_t out_bytes = size_of(options.out);
    if (quiet()) return;
    fmt::print(options.out == "-" ? stderr : stdout, "{} operations, {} ranks: {} -> {} in {:.2f} s{}\n",
               format_count(progress.operations()), format_count(progress.ranks()), with_size(from, in_bytes),
               with_size(to, out_bytes), seconds,
               in_bytes == 0 ? ""
                             : fmt::format(" ({:.0f} MB/s)", static_cast<double>(in_bytes) * 1e-6 / seconds));
    if (to == ScheduleFormat::loggopsim_binary && progress.wide_tags() > 0)
        fmt::print(
            "  note: {} tags of 64 bits became tags of 32 bits, which is all that this format has; the same "
            "messages match\n",
            format_count(progress.wide_tags()));
}

} // namespace

void add_convert(const Verb& app) {
    const Verb verb = app.add_subcommand("convert", "Convert a trace or schedule from one format to another");
    verb.group("Record and convert");
    auto options = std::make_shared<TraceConversion>();
    verb.add_option(
            "in", options->in,
            "Trace or schedule to read; its content says the format. - is the standard input (GOAL text)")
        .type_name("INPUT")
        .required();
    verb.add_option(
            "out", options->out,
            "File to write; its ending says the format. With / at its end: a folder with a file for each "
            "rank. - is the standard output (text only)")
        .type_name("OUTPUT")
        .required();
    verb.add_option(
            "--to", options->to,
            "Format to write, if the name does not say it. Schedules: goal (GOAL text), bin (LogGOPSim's "
            "binary), orr (compact, mapped instead of loaded). Traces: oti (binary), ort (as recorded), "
            "dim (Dimemas), ti (text), old-ti (text without tags), simgrid (text for smpirun -replay), "
            "old-simgrid (SimGrid 3.19 and before)")
        .type_name("FORMAT")
        .completes({"goal", "bin", "orr", "oti", "ort", "dim", "ti", "old-ti", "simgrid", "old-simgrid"});
    verb.add_option(
            "--speed", options->speed,
            "Trace to schedule or Dimemas: speed of the computations. A trace that counts CPU time does "
            "not need it")
        .type_name("RATE");
    verb.add_option("--collective,--collectives", options->collectives,
                    "Trace to schedule or SimGrid: how collectives become messages, as in 'orrery replay' "
                    "(openmpi, mpich, allreduce=ring, ...); may be repeated")
        .type_name("CHOICE")
        .completes({"openmpi", "mpich"})
        .one_each_time();
    verb.add_flag("--allow-truncated", options->allow_truncated, "Accept a recorded trace that was cut off");
    add_verbosity(verb);
    verb.examples(
        {"orrery convert traces/ app.oti                       a text trace to its binary form",
         "orrery convert app.ort app.goal --speed 2.5Ginstr/s  a trace to a schedule",
         "orrery convert app.oti traces/                       and back, a file for each rank",
         "orrery convert app.goal app.orr                      GOAL text to the compact format",
         "orrery convert app.bin app.goal                      what LogGOPSim's txt2bin wrote, to text",
         "zcat app.goal.gz | orrery convert - app.orr", "orrery convert app.orr - --to goal | less",
         "orrery convert app.ort for-simgrid/ --to simgrid",
         "orrery convert app.prv.gz app.dim                    Paraver to Dimemas, as prv2dim does",
         "orrery convert app.oti app.dim --speed 2.5Ginstr/s"});
    verb.callback([options] { convert(*options); });
}

} // namespace orrery::cli
