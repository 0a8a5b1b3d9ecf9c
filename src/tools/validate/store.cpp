#include "tools/validate/store.h"

#include "engine/error.h"
#include "engine/output_file.h"
#include "machine/machine_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

namespace orrery {

void check_store(const ValidationPlan& plan) {
    const SimulationText& text = plan.simulation;
    std::error_code none;
    if (!text.machine.ends_with(".toml") || !std::filesystem::is_regular_file(text.machine, none)) {
        throw UsageError(
            fmt::format("--store writes into a machine file (.toml); --on {} is none", text.machine));
    }
    if (!text.settings.empty() || !text.loggops.empty() || !text.model.empty() || !text.rendezvous.empty() ||
        !text.congestion)
        throw UsageError(
            "--store keeps the error of the machine as its file says it: leave out --set, --loggops, "
            "--model, --rendezvous and --no-congestion");
}

MachineValidation stored_error(const ValidationPlan& plan, const std::vector<ValidationResult>& results,
                               const std::string& date) {
    MachineValidation out;
    for (const ValidationResult& each : results) {
        const double error = std::max(std::abs(each.error), each.clean.spread());
        out.error = std::max(out.error, error);
        out.mean_error += error / static_cast<double>(results.size());
    }
    out.programs = results.size();
    out.network = network_kind_row(Simulation(plan.simulation, true).network_kind()).name;
    out.date = date;
    return out;
}

void store_validation(const ValidationPlan& plan, const MachineValidation& validation) {
    const std::string& path = plan.simulation.machine;
    const std::string text = with_validation(read_whole_file(path), validation);
    OutputFile file(path);
    file.write(text);
    file.commit();
}

} // namespace orrery
