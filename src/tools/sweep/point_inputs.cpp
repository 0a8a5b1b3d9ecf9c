#include "tools/sweep/point_inputs.h"

#include "engine/content_hash.h"
#include "engine/error.h"
#include "engine/units.h"
#include "formats/allprof/trace_files.h"
#include "formats/ti/layout.h"
#include "formats/trace.h"
#include "machine/built_in.h"
#include "machine/machine_file.h"
#include "machine/toml_text.h"

#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <utility>

namespace orrery {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view mapping_file = "file:"; // --map-by file:PATH

// The bytes of the file, through the hasher.
std::uint64_t add_file(Hasher& hasher, const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::error_code none;
    if (!in || !fs::is_regular_file(path, none))
        throw InputError(Error{path, 0, 0, "cannot be read as a file"});
    std::vector<char> buffer(std::size_t{1} << 20);
    std::uint64_t bytes = 0;
    while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || in.gcount() > 0) {
        const auto got = static_cast<std::size_t>(in.gcount());
        hasher.add({buffer.data(), got});
        bytes += got;
    }
    return bytes;
}

std::vector<std::string> workload_files(const std::string& path) {
    if (looks_like_allprof(path)) return allprof::find_trace_files(path).paths;
    if (!looks_like_ti(path)) return {path};
    std::vector<std::string> paths;
    std::error_code none;
    if (fs::is_regular_file(path, none)) paths.push_back(path); // a list says in which order
    if (path.ends_with(".oti")) return paths;
    for (std::string& each : ti::find_files(path).paths) {
        if (each != path) paths.push_back(std::move(each));
    }
    return paths;
}

// What a machine file includes, by its own words; a file that cannot be parsed includes nothing that matters.
std::vector<std::string> included(const std::string& text) {
    std::vector<std::string> names;
    try {
        const toml::table table = parse_toml(text, "");
        const toml::node* include = table.get("include");
        if (include == nullptr) return names;
        if (const auto* one = include->as_string()) names.push_back(one->get());
        if (const auto* list = include->as_array()) {
            for (const toml::node& each : *list) {
                if (const auto* name = each.as_string()) names.push_back(name->get());
            }
        }
    } catch (const InputError&) { // the point will say what is wrong
    }
    return names;
}

} // namespace

std::string beside_study(const std::string& study_file, const std::string& path) {
    return (fs::path(study_file).parent_path() / path).lexically_normal().string();
}

std::string mapping_beside_study(const std::string& study_file, const std::string& map_by) {
    if (!map_by.starts_with(mapping_file)) return map_by;
    return std::string(mapping_file) + beside_study(study_file, map_by.substr(mapping_file.size()));
}

std::string machine_beside_study(const std::string& study_file, const std::string& name) {
    const std::string beside = beside_study(study_file, name);
    std::error_code none;
    return fs::is_regular_file(beside, none) || name.ends_with(".toml") || name.ends_with(".xml") ? beside
                                                                                                  : name;
}

const InputFile& InputHashes::file(std::string_view role, const std::string& name, const std::string& path) {
    const auto [at, fresh] = known_.try_emplace(fmt::format("{} {}", role, path));
    if (fresh) {
        Hasher hasher;
        InputFile& entry = at->second;
        entry.role = std::string(role);
        entry.name = name;
        entry.bytes = add_file(hasher, path);
        entry.hash = hasher.get();
    }
    return at->second;
}

const InputFile& InputHashes::trace(const Said& said) {
    const std::string path = beside_study(study_file_, said.text);
    const auto [at, fresh] = known_.try_emplace("workload " + path);
    if (fresh) {
        std::error_code none;
        if (!fs::exists(path, none)) throw InputError(Error{path, 0, 0, "there is no such file or folder"});
        Hasher hasher;
        InputFile& entry = at->second;
        entry.role = "workload";
        entry.name = said.text;
        entry.files = 0;
        for (const std::string& each : workload_files(path)) {
            Hasher one;
            const std::uint64_t bytes = add_file(one, each);
            hasher.add_field(one.get());
            entry.bytes += bytes;
            ++entry.files;
        }
        entry.hash = hasher.get();
    }
    return at->second;
}

void InputHashes::machine(const std::string& name, const std::string& path, std::vector<InputFile>& into) {
    if (into.size() > most_machine_includes) return; // the point will say so
    std::error_code none;
    std::string text;
    if (fs::is_regular_file(path, none)) {
        into.push_back(file("machine", name, path));
        if (!path.ends_with(".toml")) return;
        text = read_whole_file(path);
    } else {
        std::vector<std::string_view> names;
        for (const BuiltInMachine& each : built_in_machines()) {
            names.push_back(each.name);
            if (each.name == name) text = std::string(each.text);
        }
        if (text.empty()) {
            const std::string near = nearest_word(name, names);
            throw InputError(fmt::format("'{}' is neither a file nor a built-in machine{}", name,
                                         near.empty() ? " ('orrery machine list')"
                                                      : fmt::format("; did you mean '{}'?", near)));
        }
        into.push_back({"machine", name, content_hash(text), text.size(), 1});
    }
    for (const std::string& each : included(text)) {
        machine(each, (fs::path(path).parent_path() / each).lexically_normal().string(), into);
    }
}

std::vector<InputFile> InputHashes::of(const Assignments& point) {
    std::vector<InputFile> inputs;
    for (const auto& [key, said] : point) {
        try {
            if (key == "workload") {
                inputs.push_back(trace(said));
            } else if (key == "hostfile" || key == "noise-file") {
                inputs.push_back(file(key, said.text, beside_study(study_file_, said.text)));
            } else if (key == "map-by" && said.text.starts_with(mapping_file)) {
                const std::string name = said.text.substr(mapping_file.size());
                inputs.push_back(file(key, name, beside_study(study_file_, name)));
            } else if (key == "machine") {
                std::vector<InputFile>& found = machines_[said.text];
                if (found.empty()) machine(said.text, machine_beside_study(study_file_, said.text), found);
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
