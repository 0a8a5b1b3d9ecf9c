// GOAL text into a ScheduleSink, in one streaming pass. The grammar is in docs/goal.md.
//
// Memory: the graph and the labels of the largest rank, and a window of text of fixed size, however long the
// file is. Cost: about 30 ns per line.
#pragma once

#include "formats/text/text_input.h"
#include "workload/sink.h"

#include <string>
#include <string_view>

namespace orrery {

// Throws InputError with line and column. "-" is the standard input.
void read_goal_text(const std::string& path, ScheduleSink& sink);
// From memory; `name` stands for the file in messages.
void read_goal_text(std::string_view text, const std::string& name, ScheduleSink& sink);
void read_goal_text(TextInput& input, ScheduleSink& sink);

} // namespace orrery
