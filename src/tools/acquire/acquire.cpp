#include "tools/acquire/acquire.h"
#include "engine/cpu/counter_perf.h"
#include "engine/error.h"
#include "engine/output_file.h"
#include "observe/json_text.h"
#include "tools/acquire/mpirun.h"
#include "tools/acquire/trace_folder.h"

#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <random>

namespace orrery {

namespace {

namespace fs = std::filesystem;

constexpr Bytes least_buffer = Bytes{4} << 10U; // what the tracing library takes
constexpr Bytes most_buffer = Bytes{1} << 30U;
constexpr std::uint32_t most_gather = 1024;

void check_numbers(const Acquisition& wanted) {
    if (wanted.buffer != 0 && (wanted.buffer < least_buffer || wanted.buffer > most_buffer)) {
        throw UsageError(fmt::format("--buffer {} B: expected 4 KiB to 1 GiB", wanted.buffer));
    }
    if (wanted.gather > most_gather) {
        throw UsageError(fmt::format("--gather={}: expected 1 to {}", wanted.gather, most_gather));
    }
}

void check_counter(const std::string& counter) {
    if (counter == "auto" || counter == "cpu-time") return;
    if (counter != "instructions") {
        throw UsageError(fmt::format("--counter {}: expected auto, instructions or cpu-time", counter));
    }
    if (const std::string why = trace::why_no_instructions(); !why.empty())
        throw UsageError(fmt::format("--counter instructions: {}. --counter cpu-time works here", why));
}

// A statically linked program takes no preloaded library, and one that does not start leaves no trace.
void check_program(const ProgramFacts& facts) {
    if (facts.form == ProgramForm::statically_linked) {
        throw InputError(
            {facts.path, 0, 0,
             "statically linked, so that the tracing library cannot be put before its MPI; link it with "
             "the shared library of its MPI (without -static)"});
    }
    if (facts.emulated) {
        throw InputError(
            {facts.path, 0, 0,
             fmt::format("was built by orrery-mpicc, for simulated ranks: 'orrery run -n 8 --on MACHINE "
                         "{}' runs it. To record it, build it with mpicc of Open MPI or MPICH",
                         facts.path)});
    }
    if (!facts.missing.empty()) {
        throw InputError(
            {facts.path, 0, 0,
             fmt::format("cannot be started: its library {} is not found; is it in LD_LIBRARY_PATH?",
                         facts.missing)});
    }
}

std::uint64_t new_run() {
    std::random_device random;
    return (std::uint64_t{random()} << 32U) | random();
}

Launch traced(const Acquisition& wanted, MpiKind mpi, const std::string& folder, std::uint64_t run) {
    Launch out = wanted.launch;
    out.preload = tracer_library(mpi);
    const auto set = [&out](const char* name, std::string value) {
        out.environment.emplace_back(name, std::move(value));
    };
    set("ORRERY_TRACE_DIR", folder);
    set("ORRERY_TRACE_RUN", fmt::format("{:016x}", run));
    set("ORRERY_TRACE_COUNTER", wanted.counter);
    set("ORRERY_TRACE_TIMED", wanted.timed ? "1" : "0");
    if (wanted.gather > 0) set("ORRERY_TRACE_GATHER", fmt::format("{}", wanted.gather));
    if (wanted.buffer > 0) set("ORRERY_TRACE_BUFFER", fmt::format("{}", wanted.buffer));
    return out;
}

void write_manifest(const Acquisition& wanted, const Acquired& acquired, const std::string& folder,
                    std::uint64_t run, const std::string& started) {
    nlohmann::ordered_json out;
    out["what"] = "trace of an MPI application";
    out["by"] = wanted.program;
    out["run"] = fmt::format("{:016x}", run);
    out["started"] = started;
    out["command"] = wanted.launch.command;
    out["ranks"] = wanted.launch.ranks;
    out["mpi"] = name_of(acquired.mpi);
    out["mpirun"] = acquired.run.command_line;
    out["exit_code"] = acquired.run.exit_code;
    out["seconds"] = acquired.run.seconds;
    out["options"] = {{"counter", wanted.counter},
                      {"timed", wanted.timed},
                      {"gather", wanted.gather},
                      {"buffer_bytes", wanted.buffer}};
    if (acquired.trace) out["counter"] = acquired.trace->begin().counter;
    OutputFile file((fs::path(folder) / "manifest.json").string());
    file.write(json_text(out, 2) + "\n");
    file.commit();
}

// Nobody recorded anything: why that may be.
std::string why_no_trace(const ProgramFacts& facts, MpiKind mpi, const Launched& run) {
    const std::string& name = facts.path;
    if (facts.mpi && run.exit_code == 0)
        return fmt::format("{} never called MPI_Init, so there is no trace", name);
    if (facts.mpi) return fmt::format("{} ended before MPI_Init, so there is no trace", name);
    if (facts.form == ProgramForm::script) {
        return fmt::format(
            "{} is a script, and no program of {} that it started called MPI_Init, so there is no "
            "trace; if its programs belong to another MPI, say so with --mpi",
            name, name_of(mpi));
    }
    return fmt::format(
        "{} is not linked with an MPI library and called no MPI_Init of {}, so there is no trace", name,
        name_of(mpi));
}

// As it should be, or else as far as it goes.
void open_trace(const std::string& path, Acquired& acquired) {
    try {
        acquired.trace.emplace(RecordedTrace::open(path));
        return;
    } catch (const InputError& error) {
        acquired.problem = error.what();
    }
    try {
        acquired.trace.emplace(RecordedTrace::open(path, {.allow_truncated = true}));
        acquired.cut_off = true;
    } catch (const InputError& error) {
        acquired.problem = error.what();
    }
}

std::string default_output(const std::string& program) {
    return fs::path(program).filename().string() + ".trace";
}

} // namespace

Acquired acquire(const Acquisition& wanted) {
    const ProgramFacts facts = inspect_program(wanted.launch.command.at(0));
    check_program(facts);
    check_counter(wanted.counter);
    check_numbers(wanted);
    Acquired out;
    out.mpi = wanted.mpi ? *wanted.mpi : facts.mpi ? *facts.mpi : mpi_of(wanted.launch.command[0]);
    if (facts.mpi && *facts.mpi != out.mpi) {
        throw UsageError(fmt::format("{} is linked with {} ({}), not with {}", facts.path, name_of(*facts.mpi),
                                     facts.library, name_of(out.mpi)));
    }
    (void)find_mpirun(wanted.launch.mpirun, out.mpi);
    (void)tracer_library(out.mpi);
    out.path = wanted.output.empty() ? default_output(wanted.launch.command[0]) : wanted.output;
    const bool one_file = out.path.ends_with(".ort");
    if (one_file) check_trace_file(out.path, wanted.replace);
    TraceFolder folder(one_file ? out.path + ".parts" : out.path, wanted.replace);

    const std::uint64_t run = new_run();
    const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    const std::string started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
    out.run = launch(traced(wanted, out.mpi, folder.path(), run), out.mpi);
    if (!folder.has_trace()) {
        folder.remove_if_empty();
        out.problem = why_no_trace(facts, out.mpi, out.run);
        return out;
    }
    if (one_file) {
        folder.join(out.path);
        open_trace(out.path, out);
    } else {
        open_trace(folder.path(), out);
        write_manifest(wanted, out, folder.path(), run, started);
    }
    return out;
}

} // namespace orrery
