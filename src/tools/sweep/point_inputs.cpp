#include "tools/sweep/point_inputs.h"

#include "engine/content_hash.h"
#include "engine/error.h"

#include <filesystem>
#include <fmt/format.h>

namespace orrery {

namespace {

namespace fs = std::filesystem;

} // namespace

std::string beside_study(const std::string& study_file, const std::string& path) {
    return (fs::path(study_file).parent_path() / path).lexically_normal().string();
}

std::string mapping_beside_study(const std::string& study_file, const std::string& map_by) {
    const std::string file = mapping_file_of(map_by);
    return file.empty() ? map_by : "file:" + beside_study(study_file, file);
}

std::string machine_beside_study(const std::string& study_file, const std::string& name) {
    const std::string beside = beside_study(study_file, name);
    std::error_code none;
    return fs::is_regular_file(beside, none) || name.ends_with(".toml") || name.ends_with(".xml") ? beside
                                                                                                  : name;
}

std::vector<InputFile> InputHashes::of(const Assignments& point) {
    std::vector<InputFile> inputs;
    for (const auto& [key, said] : point) {
        try {
            if (key == "workload") {
                inputs.push_back(hashes_.workload(said.text, beside_study(study_file_, said.text)));
            } else if (key == "hostfile" || key == "noise-file") {
                inputs.push_back(hashes_.file(key, said.text, beside_study(study_file_, said.text)));
            } else if (const std::string name = mapping_file_of(said.text); key == "map-by" && !name.empty()) {
                inputs.push_back(hashes_.file(key, name, beside_study(study_file_, name)));
            } else if (key == "machine") {
                const std::vector<InputFile>& found =
                    hashes_.machine(said.text, machine_beside_study(study_file_, said.text));
                inputs.insert(inputs.end(), found.begin(), found.end());
            }
        } catch (const InputError& error) {
            throw InputError(
                Error{study_file_, said.line, said.column, fmt::format("{}: {}", key, error.what())});
        }
    }
    return inputs;
}

std::string point_hash(std::string_view program, const Assignments& point,
                       const std::vector<InputFile>& inputs) {
    Hasher hasher;
    hasher.add_field(program);
    for (const auto& [key, said] : point) {
        hasher.add_field(key);
        hasher.add_field(said.text);
    }
    for (const InputFile& input : inputs) {
        hasher.add_field(input.role);
        hasher.add_field(input.hash);
    }
    return hasher.get();
}

} // namespace orrery
