#include "cli/trace_files.h"

#include "cli/action_progress.h"
#include "cli/schedule_progress.h"
#include "cli/verbosity.h"
#include "engine/error.h"
#include "engine/plural.h"
#include "engine/units.h"
#include "formats/dimemas/dim_writer.h"
#include "formats/dimemas_trace.h"
#include "formats/export/trace_graph.h"
#include "formats/export/world_actions.h"
#include "formats/formats.h"
#include "formats/ort/ort_writer.h"
#include "formats/ort/recorded_trace.h"
#include "formats/ti/writers.h"
#include "formats/trace.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace orrery::cli {

namespace {

enum class Form { none, recorded, binary, text, older_text, simgrid, older_simgrid, dimemas };

struct FormWord {
    std::string_view to;
    Form form;
    std::string_view name;
};
constexpr std::array<FormWord, 7> form_words{{
    {"ort", Form::recorded, "recorded (.ort)"},
    {"oti", Form::binary, "binary (.oti)"},
    {"ti", Form::text, "text"},
    {"old-ti", Form::older_text, "text"},
    {"simgrid", Form::simgrid, "text for SimGrid"},
    {"old-simgrid", Form::older_simgrid, "text for SimGrid 3.19 and before"},
    {"dim", Form::dimemas, "Dimemas trace"},
}};

Form form_of(const std::string& out, const std::string& to) {
    for (const FormWord& word : form_words) {
        if (word.to == to) return word.form;
    }
    if (!to.empty()) return Form::none;
    if (out.ends_with(".ort")) return Form::recorded;
    if (out.ends_with(".oti")) return Form::binary;
    if (out.ends_with(".dim")) return Form::dimemas;
    if (out.ends_with(".txt") || out.ends_with(".ti") || out.ends_with('/')) return Form::text;
    return Form::none;
}

std::string_view name_of(Form form) {
    for (const FormWord& word : form_words) {
        if (word.form == form) return word.name;
    }
    return "schedule";
}

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void print_notes(const std::vector<std::string>& notes, std::FILE* to) {
    for (const std::string& note : notes) fmt::print(to, "  note: {}\n", note);
}

CollectivePolicy policy_of(const TraceConversion& conversion, Selector standard) {
    CollectivePolicy policy(standard);
    for (const std::string& word : conversion.collectives) policy.set(word);
    return policy;
}

// Units of the trace's volumes per second.
double speed_of(const TraceConversion& conversion, const TraceToWrite& trace) {
    if (!conversion.speed.empty()) return parse_rate(conversion.speed);
    if (trace.cpu_time_rate > 0) return trace.cpu_time_rate;
    throw UsageError(
        fmt::format("{} counts instructions, and a schedule has times: say how fast they go with --speed, such "
                    "as --speed 2.5Ginstr/s",
                    conversion.in));
}

std::unique_ptr<ActionSource> source_with_progress(const TraceToWrite& trace) {
    return std::make_unique<ActionProgress>(trace.source());
}

void write_as_schedule(const TraceConversion& conversion, const TraceToWrite& trace) {
    const ScheduleFormat format = [&] {
        if (!conversion.to.empty()) return parse_format(conversion.to);
        if (const auto found = format_of_extension(conversion.out)) return *found;
        throw UsageError(fmt::format(
            "cannot tell the format of \"{}\" from its name: end it in .ort, .oti, .txt or / (traces), "
            ".goal, .bin or .orr (schedules), or say --to",
            conversion.out));
    }();
    TraceScheduleOptions options;
    options.collectives = policy_of(conversion, Selector::openmpi);
    options.speed = speed_of(conversion, trace);
    options.whole_nanoseconds = format != ScheduleFormat::compact;
    const auto start = std::chrono::steady_clock::now();
    const TraceCommunicators communicators(*source_with_progress(trace));
    const std::unique_ptr<ScheduleSink> writer = make_writer(conversion.out, format);
    ScheduleProgress progress(*writer);
    const TraceScheduleNotes notes = write_schedule(*trace.source(), communicators, options, progress);
    if (quiet()) return;
    std::FILE* const to_whom = conversion.out == "-" ? stderr : stdout;
    fmt::print(to_whom, "{} operations, {} ranks: {} -> {} in {:.2f} s\n", format_count(progress.operations()),
               format_count(progress.ranks()), trace.format, orrery::name_of(format), seconds_since(start));
    print_notes(notes.words(), to_whom);
    print_notes(trace.notes(), to_whom);
}

} // namespace

bool is_trace_output(const std::string& out, const std::string& to) { return form_of(out, to) != Form::none; }

void write_trace(const TraceToWrite& trace, const TraceConversion& conversion) {
    const std::string& out = conversion.out;
    const Form form = form_of(out, conversion.to);
    if (out == "-" && (form == Form::binary || form == Form::recorded || form == Form::dimemas))
        throw UsageError("such a trace cannot go to the standard output: give a file");
    explain("reading {}: {}, {}", conversion.in, trace.format, plural(trace.ranks, "rank"));
    explain("writing {}: {}", out, name_of(form));
    if (form == Form::none) return write_as_schedule(conversion, trace);

    const auto start = std::chrono::steady_clock::now();
    TiWritten written;
    std::vector<std::string> notes;
    if (form == Form::simgrid || form == Form::older_simgrid) {
        const TraceCommunicators communicators(*source_with_progress(trace));
        const std::unique_ptr<ActionSource> source = source_with_progress(trace);
        WorldActionsOptions options;
        options.collectives = policy_of(conversion, Selector::smpi_default);
        options.grammar = form == Form::simgrid ? TiGrammar::simgrid : TiGrammar::older_simgrid;
        WorldActions actions(*source, communicators, options);
        written = write_ti_text(actions, out, options.grammar);
        notes = actions.notes().words();
    } else if (form == Form::dimemas && trace.dimemas != nullptr) {
        written = write_dim(trace.dimemas->file(), out);
    } else if (form == Form::dimemas) {
        DimNotes dim_notes;
        written = write_dim(*source_with_progress(trace), *source_with_progress(trace), out, trace.name,
                            speed_of(conversion, trace), dim_notes);
        notes = dim_notes.words();
    } else if (form == Form::recorded && trace.recorded != nullptr) {
        written = write_ort(*trace.recorded, out);
    } else if (form == Form::recorded) {
        written = write_ort(*source_with_progress(trace), out, trace.name, trace.notes, trace.cpu_time_rate);
    } else {
        const std::unique_ptr<ActionSource> source = source_with_progress(trace);
        written = form == Form::binary
                      ? write_oti(*source, out, trace.tally)
                      : write_ti_text(*source, out, form == Form::text ? TiGrammar::current : TiGrammar::older);
    }
    const bool says_unit = form == Form::recorded || form == Form::dimemas;
    if (trace.cpu_time_rate > 0 && !says_unit)
        notes.push_back(fmt::format("this format does not say that volumes are CPU time: replay it with --set "
                                    "host.speed={:g}Ginstr/s, or write .ort",
                                    trace.cpu_time_rate * 1e-9));
    if (quiet()) return;
    std::FILE* const to_whom = out == "-" ? stderr : stdout;
    fmt::print(to_whom, "{} actions, {} ranks: {} -> {}, {} in {:.2f} s\n", format_count(written.actions),
               format_count(trace.ranks), trace.format, name_of(form), format_bytes(written.bytes),
               seconds_since(start));
    print_notes(notes, to_whom);
    print_notes(trace.notes(), to_whom);
}

void convert_trace(const TraceConversion& conversion) {
    if (!looks_like_ti(conversion.in)) {
        throw UsageError(
            fmt::format("{} is not a time-independent trace, so it cannot become one", conversion.in));
    }
    TiOptions input;
    input.allow_truncated = conversion.allow_truncated;
    const TiTrace trace = TiTrace::open(conversion.in, input);
    write_trace({[&] { return trace.source(); }, conversion.in, trace.format(), trace.ranks(),
                 trace.cpu_time_rate(), [&] { return trace.notes(); }, trace.tally(), trace.recorded(),
                 trace.dimemas()},
                conversion);
}

} // namespace orrery::cli
