#include "tools/acquire/own_files.h"
#include "engine/error.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>

namespace orrery {

namespace {

namespace fs = std::filesystem;

std::string find(const std::string& name) {
    for (const std::string& folder : own_folders()) {
        std::error_code ignored;
        const fs::path candidate = fs::path(folder) / name;
        if (fs::is_regular_file(candidate, ignored)) return candidate.string();
    }
    return {};
}

std::string need(const std::string& name, MpiKind kind) {
    std::string found = find(name);
    if (!found.empty()) return found;
    throw UsageError(fmt::format(
        "this build has nothing for {}: there is no {} in {}. './quickstart --build-only' builds it "
        "where {}'s headers are installed (Debian: lib{}-dev); ORRERY_LIBRARY_DIR names another folder",
        name_of(kind), name, fmt::join(own_folders(), ", "), name_of(kind), suffix_of(kind)));
}

std::string library_name(MpiKind kind) { return fmt::format("liborrery-trace-{}.so", suffix_of(kind)); }

} // namespace

std::vector<std::string> own_folders() {
    if (const char* const given = std::getenv("ORRERY_LIBRARY_DIR"); given != nullptr && *given != '\0') {
        std::error_code failed;
        const fs::path folder = fs::absolute(given, failed); // the ranks may have another working folder
        return {failed ? std::string(given) : folder.string()};
    }
    std::error_code failed;
    const fs::path program = fs::read_symlink("/proc/self/exe", failed);
    if (failed) return {};
    const fs::path folder = program.parent_path();
    utsname system{};
    ::uname(&system);
    std::vector<std::string> out{folder.string()};
    for (const std::string& library :
         {fmt::format("lib/{}-linux-gnu", system.machine), std::string("lib"), std::string("lib64")}) {
        out.push_back((folder.parent_path() / library / "orrery").string());
    }
    return out;
}

std::string tracer_library(MpiKind kind) { return need(library_name(kind), kind); }
std::string calibrate_program(MpiKind kind) {
    return need(fmt::format("orrery-calibrate-{}", suffix_of(kind)), kind);
}
bool has_tracer_library(MpiKind kind) { return !find(library_name(kind)).empty(); }

} // namespace orrery
