#include "tools/sweep/run_point.h"

#include "engine/error.h"
#include "engine/mapped_inputs.h"
#include "engine/memory.h"
#include "engine/units.h"
#include "formats/trace.h"
#include "simulation/machine_doubts.h"
#include "tools/mapping/map_by_messages.h"
#include "tools/sweep/point_inputs.h"
#include "tools/sweep/point_schedule.h"
#include "workload/patterns/options.h"

#include <chrono>
#include <fmt/format.h>
#include <memory>
#include <new>
#include <variant>

namespace orrery {

namespace {

constexpr std::string_view one_of_loggops = "loggops.";

bool flag_at(const Assignments& point, std::string_view key, bool otherwise) {
    const std::string* const text = text_at(point, key);
    return text == nullptr ? otherwise : parse_yes_no(*text);
}

std::unique_ptr<Noise> noise_of(const Assignments& point, const std::string& study_file) {
    const std::string* const text = text_at(point, "noise");
    const std::string* const file = text_at(point, "noise-file");
    NoiseOptions options;
    if (const std::string* const seed = text_at(point, "seed")) options.seed = parse_count(*seed);
    options.coscheduled = flag_at(point, "noise-coscheduled", false);
    if (file != nullptr) return noise_from_file(beside_study(study_file, *file), options);
    return text == nullptr ? nullptr : noise_from_distribution(*text, options);
}

using Workload = std::variant<Schedule, TiTrace>;

// What runs, and over what: a trace needs the whole machine, a schedule only its network.
Workload load_workload(const Assignments& point, const std::string& study_file) {
    const std::string path = beside_study(study_file, word_at(point, "workload"));
    if (text_at(point, "pattern") != nullptr || !looks_like_ti(path)) return schedule_of(point, study_file);
    TiOptions options;
    if (const std::string* const ranks = text_at(point, "ranks")) options.same_for_all = parse_ranks(*ranks);
    return TiTrace::open(path, options);
}

PointResult run_schedule(const Schedule& schedule, const SimulationText& text, const Simulation& simulation,
                         Noise* noise, bool with_ideal) {
    Simulation::Watchers watchers;
    watchers.noise = noise;
    ReplayPrediction prediction = simulation.run(schedule, watchers);
    add_doubts(text, simulation, facts_of(simulation, schedule.ranks(), prediction), prediction.base);
    if (with_ideal) prediction.efficiencies = efficiencies_of(prediction, simulation.run_ideal(schedule));
    return result_of(prediction);
}

PointResult run_trace(const TiTrace& trace, const SimulationText& text, const Simulation& simulation,
                      Noise* noise, bool with_ideal) {
    Simulation::Watchers watchers;
    watchers.noise = noise;
    const auto jobs = [&] {
        return std::vector{Simulation::Job{trace.source(), Time::zero(), {}, trace.cpu_time_rate()}};
    };
    const std::vector<Simulation::Job> trace_jobs = jobs();
    ReplayPrediction prediction = simulation.run(trace_jobs, watchers);
    add_doubts(text, simulation, facts_of(simulation, trace_jobs, prediction), prediction.base);
    if (with_ideal) prediction.efficiencies = efficiencies_of(prediction, simulation.run_ideal(jobs()));
    return result_of(prediction);
}

void place_by_messages(Simulation& simulation, const Workload& workload, const std::string& hostfile) {
    if (const auto* const schedule = std::get_if<Schedule>(&workload); schedule != nullptr) {
        if (!simulation.fast_path()) simulation.place_at(map_by_messages(simulation, hostfile, *schedule));
        return;
    }
    const TiTrace& trace = std::get<TiTrace>(workload);
    simulation.place_at(map_by_messages(simulation, hostfile, [&trace] {
        return std::vector{Simulation::Job{trace.source(), Time::zero(), {}, trace.cpu_time_rate()}};
    }));
}

PointResult run(const Assignments& point, const std::string& study_file) {
    check_point(point);
    const Workload workload = load_workload(point, study_file);
    SimulationText text = simulation_text_of(point, study_file);
    // Collectives of such a trace have become sends and receives when it was read.
    if (std::holds_alternative<Schedule>(workload)) text.collectives.clear();
    Simulation simulation(text, std::holds_alternative<TiTrace>(workload));
    const auto* const schedule = std::get_if<Schedule>(&workload);
    if (text.map_by == "metis") place_by_messages(simulation, workload, text.hostfile);
    const std::unique_ptr<Noise> noise = noise_of(point, study_file);
    const bool with_ideal = flag_at(point, "efficiencies", false);
    PointResult result =
        schedule != nullptr ? run_schedule(*schedule, text, simulation, noise.get(), with_ideal)
                            : run_trace(std::get<TiTrace>(workload), text, simulation, noise.get(), with_ideal);
    refuse_changed_inputs();
    return result;
}

PointResult failure(std::string message) {
    PointResult result;
    result.status = PointStatus::failed;
    result.message = std::move(message);
    return result;
}

} // namespace

void check_point(const Assignments& point) {
    const bool pattern = text_at(point, "pattern") != nullptr;
    if (pattern == (text_at(point, "workload") != nullptr)) {
        throw UsageError(pattern ? "workload and pattern exclude each other"
                                 : "what shall run? Set workload (a trace or schedule) or pattern");
    }
    if (pattern && text_at(point, "ranks") == nullptr) throw UsageError("how many ranks? Set ranks");
    if (text_at(point, "noise") != nullptr && text_at(point, "noise-file") != nullptr)
        throw UsageError("noise and noise-file exclude each other");
}

SimulationText simulation_text_of(const Assignments& point, const std::string& study_file) {
    SimulationText text;
    text.machine = word_at(point, "machine");
    if (!text.machine.empty()) text.machine = machine_beside_study(study_file, text.machine);
    text.network = word_at(point, "network");
    text.model = word_at(point, "model");
    text.loggops = word_at(point, "loggops");
    text.rendezvous = word_at(point, "rendezvous");
    text.hostfile = word_at(point, "hostfile");
    if (!text.hostfile.empty()) text.hostfile = beside_study(study_file, text.hostfile);
    text.map_by = mapping_beside_study(study_file, word_at(point, "map-by"));
    text.collectives = collectives_of(point);
    text.congestion = flag_at(point, "congestion", true);
    for (const auto& [key, said] : point) {
        if (key.starts_with(one_of_loggops)) {
            text.loggops += fmt::format("{}{}={}", text.loggops.empty() ? "" : " ",
                                        key.substr(one_of_loggops.size()), said.text);
        } else if (key.find('.') != std::string::npos && !key.starts_with(one_collective)) {
            text.settings.push_back(fmt::format("{}={}", key, said.text));
        }
    }
    return text;
}

PointResult run_point(const Assignments& point, const std::string& study_file) {
    PointResult result;
    try {
        const auto start = std::chrono::steady_clock::now();
        result = run(point, study_file);
        result.simulation_seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    } catch (const std::bad_alloc&) {
        result = failure("out of memory");
        result.status = PointStatus::lost; // fewer jobs at once may help
    } catch (const std::exception& error) {
        result = failure(error.what());
        if (!changed_input().empty()) result.status = PointStatus::lost; // the file may be as it was next time
    }
    result.peak_rss_bytes = peak_rss_bytes();
    return result;
}

} // namespace orrery
