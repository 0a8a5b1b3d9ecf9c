// Inputs that are not what the verb takes, found before a reader complains of their bytes: words that were
// meant for an option, and files of another kind.
#pragma once

#include <span>
#include <string>

namespace orrery::cli {

// Throws InputError if one of these traces or schedules is not there, and says what its name may have been
// meant for. "-" is the standard input.
void expect_inputs(std::span<const std::string> paths);

// Throws InputError if the file is a program, a trace or a schedule. `of_program` says how the verb takes a
// program.
void expect_study(const std::string& path, const std::string& of_program);

} // namespace orrery::cli
