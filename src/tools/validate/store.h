// The error of a validation, kept in the file of its machine: each prediction for it then carries that error.
#pragma once

#include "machine/provenance.h"
#include "tools/validate/validation.h"

#include <string>
#include <vector>

namespace orrery {

// Throws UsageError unless the plan is about a machine file as it stands: no built-in machine, no --set, and no
// option that replaces what the file says.
void check_store(const ValidationPlan& plan);

// The largest error of a program; not less than the spread of its measured runs, since it is not known better.
MachineValidation stored_error(const ValidationPlan& plan, const std::vector<ValidationResult>& results,
                               const std::string& date);

// Writes it into the machine file of the plan, as its [validation].
void store_validation(const ValidationPlan& plan, const MachineValidation& validation);

} // namespace orrery
