// The files that a run is computed from, by their content: a result belongs to these and to no others.
#pragma once

#include "results/run_record.h"
#include "simulation/simulation.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

// Each file is read once, however often it is asked for. All throw InputError for what cannot be read.
class ContentHashes {
  public:
    // `name` is what the user calls it, `path` where it is.
    const InputFile& file(std::string_view role, const std::string& name, const std::string& path);
    // A schedule, or a trace of one or many files.
    const InputFile& workload(const std::string& name, const std::string& path);
    // A file or a built-in machine, then those that it includes.
    const std::vector<InputFile>& machine(const std::string& name, const std::string& path);

  private:
    void add_machine(const std::string& name, const std::string& path, std::vector<InputFile>& into);

    std::map<std::string, InputFile> known_; // by role and path
    std::map<std::string, std::vector<InputFile>> machines_;
};

// --map-by file:PATH; empty of other mappings.
std::string mapping_file_of(std::string_view map_by);

// A file that somebody names, and what for: "workload" (a trace or schedule), "program", "noise-file", ...
struct NamedInput {
    std::string role;
    std::string path;
};

// Of a simulation as it is asked for on the command line: `named`, the machine, and the files that its options
// name.
std::vector<InputFile> input_files(const SimulationText& text, std::span<const NamedInput> named);

} // namespace orrery
