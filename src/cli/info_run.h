// What `orrery info` says of a run directory (-o DIR of replay, run and generate).
#pragma once

#include <string>

namespace orrery::cli {

// Whether a folder holds a result of ours: a manifest and what it describes.
bool is_run_directory(const std::string& path);
// Its summary and what it was made from; or both as one JSON object. Throws InputError if a file of it is
// missing or is not what it should be.
void print_run_info(const std::string& path, bool json);

} // namespace orrery::cli
