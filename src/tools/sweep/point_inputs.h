// The files that a point is computed from, by their content: a point is the same question only while they are
// the same.
#pragma once

#include "tools/sweep/study_keys.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

struct InputFile {
    std::string role; // the key that names it: "workload", "machine", ...
    std::string name; // as the study says it; of an included machine: that machine's name
    std::string hash; // of the content, 32 hexadecimal digits (XXH3, 128 bits)
    std::uint64_t bytes = 0;
    std::uint64_t files = 1; // of a trace
};

// Paths of a study are relative to its file.
std::string beside_study(const std::string& study_file, const std::string& path);
// The machine as load_machine takes it: a file beside the study, or the name as it is.
std::string machine_beside_study(const std::string& study_file, const std::string& name);
// --map-by, with the path of file:PATH beside the study.
std::string mapping_beside_study(const std::string& study_file, const std::string& map_by);

// Each file is read once, however many points use it.
class InputHashes {
  public:
    explicit InputHashes(std::string study_file) : study_file_(std::move(study_file)) {}
    // Throws InputError, with the line of the study, for a file that cannot be read.
    std::vector<InputFile> of(const Assignments& point);

  private:
    const InputFile& trace(const Said& said);
    const InputFile& file(std::string_view role, const std::string& name, const std::string& path);
    void machine(const std::string& name, const std::string& path, std::vector<InputFile>& into);

    std::string study_file_;
    std::map<std::string, InputFile> known_; // by role and path
    std::map<std::string, std::vector<InputFile>> machines_;
};

// What a point is called everywhere: a hash over the program, what the point sets, and its inputs.
std::string point_hash(std::string_view program, const Assignments& point,
                       const std::vector<InputFile>& inputs);

} // namespace orrery
