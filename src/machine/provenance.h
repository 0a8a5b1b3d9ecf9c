// Where the values of a machine come from, and how far its predictions were from measurements: what the
// sections [provenance] and [validation] of a machine file say.
#pragma once

#include "machine/machine.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

struct AssumedValue {
    std::string key;   // "link.latency"
    std::string value; // "1 us"
};

struct Provenance {
    bool stated = false;                 // some section names its source
    std::string source;                  // of the whole machine; may be empty
    std::string date;                    // of a calibration
    std::vector<AssumedValue> assumed;   // nobody measured them, and --set does not replace them
    std::optional<double> message_error; // of a calibration: mean relative error of message times
};

// Throws InputError about a value that cannot be read.
Provenance provenance_of(const Machine& machine);

// What `orrery validate --store` found.
struct MachineValidation {
    double error = 0;      // the largest relative error of a program
    double mean_error = 0; // the mean of their absolute values
    std::uint64_t programs = 0;
    std::string network; // with which they were predicted: "flow"
    std::string date;    // "2026-11-18"
};

std::optional<MachineValidation> validation_of(const Machine& machine);

// The text of a machine file with this as its [validation], instead of one that was there.
std::string with_validation(std::string_view machine_file, const MachineValidation& validation);

} // namespace orrery
