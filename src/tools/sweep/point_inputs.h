// The files that a point is computed from, by their content: a point is the same question only while they are
// the same.
#pragma once

#include "simulation/input_files.h"
#include "tools/sweep/study_keys.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery {

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
    std::string study_file_;
    ContentHashes hashes_;
};

// What a point is called everywhere: a hash over the program, what the point sets, and its inputs.
std::string point_hash(std::string_view program, const Assignments& point,
                       const std::vector<InputFile>& inputs);

} // namespace orrery
