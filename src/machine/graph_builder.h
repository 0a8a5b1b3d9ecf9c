// The topology 'graph' from [[hosts]], [[switches]], [[cables]] and [[routes]].
#pragma once

#include "machine/machine_file.h"
#include "machine/machine_values.h"
#include "machine/platform.h"

#include <memory>

namespace orrery {

// `host` is what [host] says of each. Throws InputError with the file and line of the part that is wrong.
std::unique_ptr<Platform> build_graph(const MachineValues& values, const std::vector<MachinePart>& parts,
                                      const Host& host);

} // namespace orrery
