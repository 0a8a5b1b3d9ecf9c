#include "simulation/input_files.h"

#include "engine/content_hash.h"
#include "engine/error.h"
#include "formats/allprof/trace_files.h"
#include "formats/dimemas_trace.h"
#include "formats/ort/trace_index.h"
#include "formats/ti/layout.h"
#include "formats/trace.h"
#include "machine/built_in.h"
#include "machine/machine_file.h"
#include "machine/toml_text.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <utility>

namespace orrery {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view file_mapping = "file:"; // --map-by file:PATH

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
    if (looks_recorded(path)) return recorded::files_of(path);
    if (looks_like_dimemas(path) || !looks_like_ti(path)) return {path};
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

const InputFile& ContentHashes::file(std::string_view role, const std::string& name, const std::string& path) {
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

const InputFile& ContentHashes::workload(const std::string& name, const std::string& path) {
    const auto [at, fresh] = known_.try_emplace("workload " + path);
    if (!fresh) return at->second;
    std::error_code none;
    if (!fs::exists(path, none)) throw InputError(Error{path, 0, 0, "there is no such file or folder"});
    Hasher hasher;
    InputFile& entry = at->second;
    entry.role = "workload";
    entry.name = name;
    entry.files = 0;
    for (const std::string& each : workload_files(path)) {
        Hasher one;
        entry.bytes += add_file(one, each);
        hasher.add_field(one.get());
        ++entry.files;
    }
    entry.hash = hasher.get();
    return entry;
}

const std::vector<InputFile>& ContentHashes::machine(const std::string& name, const std::string& path) {
    std::vector<InputFile>& found = machines_[name];
    if (found.empty()) add_machine(name, path, found);
    return found;
}

void ContentHashes::add_machine(const std::string& name, const std::string& path,
                                std::vector<InputFile>& into) {
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
        add_machine(each, (fs::path(path).parent_path() / each).lexically_normal().string(), into);
    }
}

std::string mapping_file_of(std::string_view map_by) {
    return map_by.starts_with(file_mapping) ? std::string(map_by.substr(file_mapping.size())) : std::string();
}

std::vector<InputFile> input_files(const SimulationText& text, std::span<const NamedInput> named) {
    ContentHashes hashes;
    std::vector<InputFile> inputs;
    const auto add = [&](const std::string& role, const std::string& path) {
        std::error_code none;
        const bool again = fs::is_regular_file(path, none) || fs::is_directory(path, none);
        inputs.push_back(!again               ? InputFile{role, path, {}, 0, 1} // a pipe
                         : role == "workload" ? hashes.workload(path, path)
                                              : hashes.file(role, path, path));
    };
    for (const NamedInput& each : named) add(each.role, each.path);
    if (!text.machine.empty()) {
        for (const InputFile& each : hashes.machine(text.machine, text.machine)) inputs.push_back(each);
    }
    if (!text.hostfile.empty()) add("hostfile", text.hostfile);
    if (const std::string path = mapping_file_of(text.map_by); !path.empty()) add("map-by", path);
    return inputs;
}

} // namespace orrery
