// A fabric as the writers of traces want it: names and numbers.
#pragma once

#include "observe/paraver/network_trace.h"
#include "platform/fabric/fabric.h"

namespace orrery {

NetworkMap network_map(const Fabric& fabric);

} // namespace orrery
