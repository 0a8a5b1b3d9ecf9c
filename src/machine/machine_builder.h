// From the keys of a machine file to the platform that they describe.
#pragma once

#include "machine/machine_file.h"
#include "machine/platform.h"

#include <memory>

namespace orrery {

struct Net; // fabric_files/net.h

// `hardware` are the keys of the hardware only; `file` is for complaints about what is missing. A network that
// was read from another program's file stands for the parts. Throws InputError.
std::unique_ptr<Platform> build_platform(const Settings& hardware, const std::vector<MachinePart>& parts,
                                         const std::string& file, const Net* net = nullptr);

} // namespace orrery
