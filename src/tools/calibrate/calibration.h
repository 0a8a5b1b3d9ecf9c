// From measurements to a machine file with its self-check, plots and summary: what `orrery calibrate` does.
#pragma once

#include "emulate/kernels/kernel_model.h"
#include "tools/acquire/launch.h"
#include "tools/calibrate/communication_model.h"
#include "tools/calibrate/compute_rate.h"
#include "tools/calibrate/measurements.h"
#include "tools/calibrate/self_check.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

struct MeasureOptions {
    MpiKind mpi = MpiKind::openmpi;
    Launch launch; // mpirun, hostfile, ...; command and ranks are ours
    bool quick = false;
    std::uint64_t seed = 1;
};
// Runs the measuring program under mpirun; it leaves `path`. Throws InputError if it fails.
void measure_machine(const MeasureOptions& options, const std::string& path);

struct Calibration {
    Measurements measured;
    CommunicationModel model;
    SelfCheck check;
    std::string machine; // the text of the machine file
};
// `command`: for the file's provenance. `rate`: null if none was measured.
Calibration calibrate(Measurements measured, const ComputeRate* rate, const std::string& command);

// Names of files and their SVG.
std::vector<std::pair<std::string, std::string>> calibration_plots(const Calibration& calibration);

std::string calibration_words(const Calibration& calibration);
nlohmann::json calibration_json(const Calibration& calibration);
std::string rate_words(const ComputeRate& rate);
nlohmann::json rate_json(const ComputeRate& rate);
std::string kernel_words(const KernelModel& model);
nlohmann::json kernel_json(const KernelModel& model);

} // namespace orrery
