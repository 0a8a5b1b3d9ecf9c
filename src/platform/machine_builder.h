// From the keys of a machine file to the platform that they describe.
#pragma once

#include "platform/machine_file.h"
#include "platform/platform.h"

#include <memory>

namespace orrery {

// `hardware` are the keys of the hardware only; `file` is for complaints about what is missing. Throws
// InputError.
std::unique_ptr<Platform> build_platform(const Settings& hardware, const std::vector<MachinePart>& parts,
                                         const std::string& file);

} // namespace orrery
