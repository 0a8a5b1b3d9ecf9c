#include "tools/validate/runs.h"

#include "engine/error.h"
#include "tools/acquire/acquire.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace orrery {

namespace {

namespace fs = std::filesystem;

// The end of what an application printed, for a message.
std::string last_lines(const std::string& file) {
    std::ifstream in(file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    constexpr std::size_t lines = 8;
    std::size_t at = text.find_last_not_of(" \n\r\t");
    if (at == std::string::npos) return {};
    const std::size_t end = at + 1;
    for (std::size_t i = 0; i < lines && at != std::string::npos && at > 0; ++i) at = text.rfind('\n', at - 1);
    const std::size_t begin = at == std::string::npos || at == 0 ? 0 : at + 1;
    return text.substr(begin, end - begin);
}

MpiKind kind_of(const ValidationPlan& plan, const ValidationApplication& application) {
    if (plan.mpi == suffix_of(MpiKind::openmpi)) return MpiKind::openmpi;
    if (plan.mpi == suffix_of(MpiKind::mpich)) return MpiKind::mpich;
    if (!plan.mpi.empty()) throw UsageError(fmt::format("mpi '{}': expected openmpi or mpich", plan.mpi));
    return mpi_of(application.command.at(0));
}

} // namespace

double read_clocks(const std::string& folder, std::uint32_t ranks) {
    double longest = 0;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        const std::string file = (fs::path(folder) / fmt::format("clock-{}.json", rank)).string();
        std::ifstream in(file);
        if (!in) {
            throw InputError(
                Error{file, 0, 0,
                      fmt::format("rank {} left no time: it did not reach MPI_Finalize, or the program "
                                  "is not an MPI program of {} ranks",
                                  rank, ranks)});
        }
        const nlohmann::json clock = nlohmann::json::parse(in, nullptr, false);
        const auto seconds = clock.is_object() ? clock.find("seconds") : clock.end();
        if (!clock.is_object() || seconds == clock.end() || !seconds->is_number() || seconds->get<double>() < 0)
            throw InputError(Error{file, 0, 0, "expected {\"seconds\": a number, ...}"});
        if (!clock.value("finalized", false))
            throw InputError(Error{file, 0, 0, fmt::format("rank {} did not reach MPI_Finalize", rank)});
        longest = std::max(longest, seconds->get<double>());
    }
    return longest;
}

ValidationRuns::ValidationRuns(const ValidationPlan& plan, const ValidationApplication& application,
                               std::string folder)
    : plan_(plan), application_(application), folder_(std::move(folder)), kind_(kind_of(plan, application)),
      library_(tracer_library(kind_)) {
    std::error_code failed;
    fs::create_directories(folder_, failed);
    if (failed) throw InputError(Error{folder_, 0, 0, "cannot make this folder: " + failed.message()});
}

std::string ValidationRuns::folder_for(const std::string& name) const {
    const fs::path path = fs::absolute(fs::path(folder_) / name);
    fs::remove_all(path); // of a run before this one
    fs::create_directories(path);
    return path.string();
}

Launch ValidationRuns::launch_for(const std::string& name) const {
    Launch what;
    what.command = application_.command;
    what.ranks = application_.ranks;
    what.mpirun = plan_.mpirun;
    what.mpirun_options = plan_.mpirun_options;
    what.output = (fs::path(folder_) / (name + ".txt")).string();
    what.timeout_seconds = plan_.timeout_seconds;
    return what;
}

void ValidationRuns::check(const std::string& name, const Launch& what, const Launched& ended) const {
    if (ended.stopped_by != 0) throw ValidationStopped(ended.stopped_by);
    if (ended.exit_code == 0 && !ended.timed_out) return;
    const std::string how = ended.timed_out ? fmt::format("did not end within {} s", plan_.timeout_seconds)
                                            : fmt::format("failed with exit code {}", ended.exit_code);
    const std::string said = last_lines(what.output);
    throw SimulationError(fmt::format("{}: {} {}. The command was\n  {}\nIts output is in {}{}{}",
                                      title_of(application_), name, how, ended.command_line, what.output,
                                      said.empty() ? " (empty)" : ", which ends with\n", said));
}

double ValidationRuns::time(const std::string& name) const {
    const std::string clocks = folder_for(name);
    Launch what = launch_for(name);
    what.environment = {{"ORRERY_TRACE_DIR", clocks}, {"ORRERY_TRACE_MODE", "clock"}};
    what.preload = library_;
    check(name, what, launch(what, kind_));
    return read_clocks(clocks, application_.ranks);
}

std::string ValidationRuns::trace(const std::string& name) const {
    Acquisition wanted;
    wanted.launch = launch_for(name);
    wanted.mpi = kind_;
    wanted.output = folder_for(name);
    wanted.timed = true;
    if (!plan_.counter.empty()) wanted.counter = plan_.counter;
    wanted.program = plan_.program;
    const Acquired acquired = acquire(wanted);
    check(name, wanted.launch, acquired.run);
    if (!acquired.trace) throw InputError(fmt::format("{}: {}", title_of(application_), acquired.problem));
    return acquired.path;
}

} // namespace orrery
