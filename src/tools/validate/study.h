// A validation of several applications as a TOML file says it (docs/validation.md).
#pragma once

#include "tools/validate/validation.h"

#include <string>
#include <string_view>

namespace orrery {

// Paths in it are relative to the file. Throws InputError with line and column for what is wrong.
ValidationPlan read_validation(const std::string& file);
// From its text; `file` is its name for complaints and paths.
ValidationPlan validation_from_text(std::string_view text, const std::string& file);

// A command line into words, at blanks outside of '...' and "..."; a backslash keeps the next character. Throws
// UsageError if a quote is not closed.
std::vector<std::string> split_words(std::string_view command);

} // namespace orrery
