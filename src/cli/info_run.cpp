#include "cli/info_run.h"

#include "engine/error.h"
#include "engine/output_folder.h"
#include "engine/plural.h"
#include "engine/units.h"
#include "machine/machine_file.h"
#include "observe/json_text.h"

#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace orrery::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* result_file = "result.json";

std::string in_folder(const std::string& folder, const char* name) {
    return (fs::path(folder) / name).string();
}

nlohmann::json read_json_file(const std::string& path) {
    nlohmann::json value = nlohmann::json::parse(read_whole_file(path), nullptr, false);
    if (!value.is_object()) throw InputError(Error{path, 0, 0, "expected a JSON object"});
    return value;
}

void add_line(std::string& text, std::string_view what, const std::string& words) {
    if (!words.empty()) text += fmt::format("  {:<15} {}\n", what, words);
}

// As a shell would take it.
std::string command_words(const nlohmann::json& command) {
    std::string words;
    for (const nlohmann::json& each : command) {
        const auto word = each.get<std::string>();
        const bool plain =
            !word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                    "0123456789_-+=.,:/@%") == std::string::npos;
        std::string quoted = "'";
        for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
        words += (words.empty() ? "" : " ") + (plain ? word : quoted + "'");
    }
    return words;
}

std::string input_words(const nlohmann::json& input) {
    std::string words =
        fmt::format("{} {}, {}", input.at("role").get<std::string>(), input.at("name").get<std::string>(),
                    format_bytes(input.at("bytes").get<std::uint64_t>()));
    if (const auto files = input.at("files").get<std::uint64_t>(); files > 1)
        words += fmt::format(" in {}", plural(files, "file"));
    if (input.at("hash").is_string()) words += ", hash " + input.at("hash").get<std::string>();
    return words;
}

// What the user changed: values that no file says.
std::string changed_words(const nlohmann::json& machine) {
    std::string words;
    for (const auto& [key, value] : machine.items()) {
        if (!value.at("from").get<std::string>().starts_with("--")) continue;
        words += fmt::format("{}{} = {} ({})", words.empty() ? "" : ", ", key,
                             value.at("value").get<std::string>(), value.at("from").get<std::string>());
    }
    return words;
}

std::string manifest_words(const nlohmann::json& manifest, const std::string& folder) {
    std::string text;
    add_line(text, "command", command_words(manifest.at("command")));
    add_line(text, "made",
             fmt::format("{} on {} by orrery {}, in {:.3g} s", manifest.at("started").get<std::string>(),
                         manifest.at("host").get<std::string>(), manifest.at("version").get<std::string>(),
                         manifest.at("seconds").get<double>()));
    for (const nlohmann::json& input : manifest.at("inputs")) add_line(text, "input", input_words(input));
    add_line(text, "changed values", changed_words(manifest.at("machine")));
    const nlohmann::json& seeds = manifest.at("seeds");
    add_line(text, "seeds",
             fmt::format("noise {}, start skew {}", seeds.at("noise").get<std::uint64_t>(),
                         seeds.at("start_skew").get<std::uint64_t>()));
    std::string files;
    for (const nlohmann::json& each : manifest.at("files")) {
        const auto name = each.get<std::string>();
        const bool there = fs::exists(fs::path(folder) / name);
        files += fmt::format("{}{}{}", files.empty() ? "" : ", ", name, there ? "" : " (missing)");
    }
    add_line(text, "files", files);
    return text;
}

} // namespace

bool is_run_directory(const std::string& path) {
    std::error_code none;
    return fs::is_regular_file(fs::path(path) / OutputFolder::manifest, none) &&
           fs::is_regular_file(fs::path(path) / result_file, none);
}

void print_run_info(const std::string& path, bool as_json) {
    const std::string manifest_name = in_folder(path, OutputFolder::manifest);
    const nlohmann::json manifest = read_json_file(manifest_name);
    try {
        if (as_json) {
            const nlohmann::json all{{"manifest", manifest},
                                     {"result", read_json_file(in_folder(path, result_file))}};
            fmt::print("{}\n", json_text(all, 2));
            return;
        }
        const std::string words = manifest_words(manifest, path);
        fmt::print("{}{}", read_whole_file(in_folder(path, "summary.txt")), words);
    } catch (const nlohmann::json::exception&) {
        throw InputError(Error{manifest_name, 0, 0, "not a manifest of a run directory"});
    }
}

} // namespace orrery::cli
