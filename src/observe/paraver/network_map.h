// A fabric as the writers of traces want it: names and numbers.
#pragma once

#include "machine/fabric/fabric.h"
#include "observe/paraver/network_trace.h"

namespace orrery {

NetworkMap network_map(const Fabric& fabric);

} // namespace orrery
