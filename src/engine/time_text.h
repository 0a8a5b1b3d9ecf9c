// Times of any length and ticks of any size in words and figures.
#pragma once

#include "engine/time.h"

#include <string>
#include <string_view>

namespace orrery {

// Picoseconds without loss: with longer ticks a time may have more of them than 64 bits hold.
std::string exact_ps(Time time);

// How long a run may last: "26 days", or more with longer ticks.
std::string longest_in_words();

// --resolution: the length of a tick, a power of two in picoseconds up to about a microsecond ("32ps"). To be
// called before there is any Time. Throws UsageError.
void set_resolution(std::string_view text);

} // namespace orrery
