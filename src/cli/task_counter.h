// How many tasks of a study are done, on a terminal.
#pragma once

#include "engine/in_threads.h"

#include <string>

namespace orrery::cli {

// "measured 3 of 11 loads"; empty where nobody looks.
TaskCounter task_counter(std::string done_word, std::string unit);

} // namespace orrery::cli
