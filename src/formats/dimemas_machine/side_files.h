// The files that a .cfg names: how collectives are modelled, flight times, how processors are scheduled.
#pragma once

#include "formats/dimemas_machine/configuration.h"

#include <string>

namespace orrery::dimemas {

// "Machine globalop:", "External globalop:", "Flight time:", "Machine policy:". Throws InputError.
void read_communications_file(const std::string& path, Configuration& configuration);
// "Policy: FIFO", "Context switch cost (seconds): x", "Busy wait (seconds): x". Throws InputError for what is
// not simulated.
void read_scheduler_file(const std::string& path, Configuration& configuration);

// Of a bandwidth in 2^20 bytes per second; 0 is endless.
double ps_per_byte_of(double megabytes);

} // namespace orrery::dimemas
