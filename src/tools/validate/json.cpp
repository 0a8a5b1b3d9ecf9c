// A validation for machines: one object, and the files of a run directory.
#include "engine/output_file.h"
#include "observe/json_text.h"
#include "tools/validate/report.h"

#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace orrery {

namespace {

using Json = nlohmann::ordered_json;

Json kinds_json(const KindSeconds& by_kind) {
    Json out;
    out["outside_mpi"] = outside_mpi(by_kind);
    out["inside_mpi"] = inside_mpi(by_kind);
    for (std::size_t kind = 1; kind < call_kinds; ++kind) out[call_kind_names[kind]] = by_kind[kind];
    return out;
}

Json numbers_from_one(const std::vector<std::size_t>& runs) {
    Json out = Json::array();
    for (const std::size_t run : runs) out.push_back(run + 1);
    return out;
}

Json application_json(const ValidationApplication& application) {
    return {{"name", application.name}, {"command", application.command}, {"ranks", application.ranks}};
}

Json measured_json(const ValidationResult& result) {
    Json out;
    out["mean_seconds"] = result.clean.mean;
    out["deviation_seconds"] = result.clean.deviation;
    out["spread"] = result.clean.spread();
    out["runs_seconds"] = result.runs;
    out["outlier_runs"] = numbers_from_one(result.clean.outliers);
    return out;
}

Json bursts_json(const TracedTimes& traced) {
    Json out = Json::array();
    for (const BurstClass& each : traced.bursts) {
        out.push_back({{"below_seconds", std::isinf(each.below) ? Json(nullptr) : Json(each.below)},
                       {"bursts", each.bursts},
                       {"seconds", each.seconds},
                       {"predicted_seconds", each.predicted}});
    }
    return out;
}

Json prediction_json(const ValidationResult& result) {
    Json out;
    const std::string problem = measurement_problem(result);
    out["measurement_usable"] = problem.empty();
    out["measurement_problem"] = problem.empty() ? Json(nullptr) : Json(problem);
    out["trace"] = result.trace.empty() ? Json(nullptr) : Json(result.trace);
    out["counter"] = result.counter;
    out["actions"] = result.actions;
    out["traced_run_seconds"] = result.traced;
    out["predicted_time_ps"] = result.predicted.ps();
    out["error"] = result.error;
    Json ranks;
    ranks["predicted"] = kinds_json(result.predicted_by_kind);
    if (result.exact) {
        const ErrorSplit& split = result.exact->split;
        out["exact_computation_time_ps"] = result.exact->predicted.ps();
        out["error_of_computation"] = split.computation;
        out["error_of_communication"] = split.communication;
        out["error_of_traced_run"] = split.traced_run;
        ranks["traced_run"] = kinds_json(result.exact->traced.by_kind);
        ranks["exact_computation"] = kinds_json(result.exact->by_kind);
        out["calls"] = result.exact->traced.calls;
        out["bursts"] = bursts_json(result.exact->traced);
    }
    out["mean_seconds_of_a_rank"] = std::move(ranks);
    out["diagnosis"] = diagnose(result);
    out["notes"] = result.notes;
    return out;
}

void put_summary(const std::vector<ValidationResult>& results, Json& out) {
    const std::optional<UsableErrors> usable = usable_errors(results);
    out["usable_measurements"] = usable ? usable->applications : 0;
    out["bias"] = usable ? Json(usable->summary.bias) : Json(nullptr);
    out["mean_absolute_error"] = usable ? Json(usable->summary.mean_absolute) : Json(nullptr);
    out["worst_error"] = usable ? Json(usable->worst_error) : Json(nullptr);
    out["worst_application"] = usable ? Json(usable->worst) : Json(nullptr);
}

void put_head(const ValidationPlan& plan, const ValidationContext& context, Json& out) {
    out["name"] = plan.name;
    out["machine"] = context.machine;
    out["network"] = context.network;
    out["mapping"] = context.mapping;
    out["runs"] = plan.runs;
}

std::string this_host() {
    std::string name(256, '\0');
    if (::gethostname(name.data(), name.size() - 1) != 0) return {};
    name.resize(name.find('\0'));
    return name;
}

void write_json(const std::filesystem::path& path, const Json& json) {
    OutputFile file(path.string());
    file.write(json_text(json, 2) + "\n");
    file.commit();
}

} // namespace

nlohmann::ordered_json validation_json(const ValidationPlan& plan, const ValidationContext& context,
                                       const std::vector<ValidationResult>& results) {
    Json out;
    put_head(plan, context, out);
    out["applications"] = Json::array();
    for (const ValidationResult& each : results) {
        Json application = application_json(each.application);
        application["measured"] = measured_json(each);
        application.update(prediction_json(each));
        out["applications"].push_back(std::move(application));
    }
    put_summary(results, out);
    return out;
}

void write_validation(const ValidationPlan& plan, const ValidationContext& context,
                      const std::vector<ValidationResult>& results, const std::string& folder,
                      const std::vector<std::string>& command_line) {
    const std::filesystem::path path(folder);
    Json measured = Json::array();
    Json predictions = Json::array();
    Json applications = Json::array();
    for (const ValidationResult& each : results) {
        Json row = application_json(each.application);
        row["folder"] = folder_of(each.application);
        applications.push_back(row);
        measured.push_back(row);
        measured.back().update(measured_json(each));
        predictions.push_back(row);
        predictions.back().update(prediction_json(each));
    }
    Json all;
    put_head(plan, context, all);
    all["applications"] = std::move(predictions);
    put_summary(results, all);
    write_json(path / "measured.json", measured);
    write_json(path / "predictions.json", all);
    Json manifest;
    manifest["verb"] = "validate";
    manifest["program"] = plan.program;
    manifest["command_line"] = command_line;
    manifest["ended"] = fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)));
    manifest["host"] = this_host();
    put_head(plan, context, manifest);
    manifest["settings"] = plan.simulation.settings;
    manifest["warm_ups"] = plan.warm_ups;
    manifest["traces"] = plan.traces;
    manifest["applications"] = std::move(applications);
    manifest["files"] = {"measured.json", "predictions.json"};
    write_json(path / "manifest.json", manifest);
}

} // namespace orrery
