// The machine file of a calibration: parameters of all models, where they come from, and how good they are.
#pragma once

#include "tools/calibrate/communication_model.h"
#include "tools/calibrate/compute_rate.h"
#include "tools/calibrate/measurements.h"
#include "tools/calibrate/self_check.h"

#include <optional>
#include <string>

namespace orrery {

struct MachineParts {
    const Measurements& measured;
    const CommunicationModel& model;
    std::string command;               // that made it
    const SelfCheck* check = nullptr;  // null: not done yet
    const ComputeRate* rate = nullptr; // null: 1 unit per ns, for traces that count CPU time
};
std::string machine_text(const MachineParts& parts);

// An existing machine file with the rate of another run: a file of a few lines that includes it.
std::string machine_with_rate(const std::string& machine, const ComputeRate& rate, const std::string& command);

// "0:29.1ns:0.01ns/B;256:...", as the endpoint's parameters take it.
std::string endpoint_table(const PiecewiseFit& fit);

} // namespace orrery
