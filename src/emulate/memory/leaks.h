// For the leak checker of sanitized builds.
#pragma once

namespace orrery::emulate {

// The run ends while ranks are in the middle of calls, whose stacks are dropped as they are: what those own
// is lost, and is no leak.
void ranks_left_behind();

} // namespace orrery::emulate
