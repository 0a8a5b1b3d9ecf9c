// What a run was made from: enough to tell it from another, and to repeat it.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

namespace orrery {

struct InputFile {
    std::string role; // what it is for: "workload", "machine", "hostfile", ...
    std::string name; // as the user wrote it; of an included machine: that machine's name
    // Of the content, 32 hexadecimal digits (XXH3, 128 bits); empty of a pipe, which can be read only once.
    std::string hash;
    std::uint64_t bytes = 0;
    std::uint64_t files = 1; // of a trace
};

// A value of the machine or of a model, as it held in the run.
struct EffectiveValue {
    std::string key;    // "link.latency"
    std::string value;  // as it was said
    std::string origin; // "graphene.toml:12", "--set"
};

struct RunRecord {
    std::string version;              // of Orrery
    std::vector<std::string> command; // the command line, word for word
    std::vector<InputFile> inputs;    // by their content
    std::vector<EffectiveValue> machine;
    std::uint64_t noise_seed = 0;
    std::uint64_t skew_seed = 0;
    std::string host;    // where it ran
    std::string started; // UTC, ISO 8601
    double seconds = 0;  // from the start of the program to the result
};

nlohmann::json inputs_json(std::span<const InputFile> inputs);
// manifest.json of a run directory, which holds `files`.
nlohmann::json manifest_json(const RunRecord& record, std::span<const std::string> files);

} // namespace orrery
