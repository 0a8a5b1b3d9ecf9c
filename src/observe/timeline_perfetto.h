// A recording as a Perfetto trace (`--timeline x.pftrace`), to be opened at ui.perfetto.dev or queried by SQL.
//
// Each rank is a process with a track per CPU and, for each NIC, one for sending and one for receiving; an
// arrow (flow) leads from each send to its receive. Perfetto counts in nanoseconds: times are rounded down to
// them, which keeps the order and the nesting of slices; what lasts less than a nanosecond may be drawn with no
// length. OS noise is drawn at the end of the activity that it stretched: when exactly it struck is not
// recorded.
#pragma once

#include "results/recording.h"

#include <string>

namespace orrery {

// Streams: beside the recording it needs a few packets and a bit per track. O(activities).
void write_timeline_perfetto(const Recording& recording, const std::string& file);

} // namespace orrery
