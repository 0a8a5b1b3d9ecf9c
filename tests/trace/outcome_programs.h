// The small MPI programs of tests/trace/outcomes, and whether they can be traced here.
#pragma once

#include "places.h"
#include "tools/acquire/launch.h"

#include <filesystem>
#include <fmt/format.h>
#include <string>

namespace orrery::test {

inline std::string outcome_program(MpiKind kind, const std::string& name) {
    return fmt::format("{}/outcomes/{}/{}", build_folder(), suffix_of(kind), name);
}
inline std::string plain_program(const std::string& name) {
    return fmt::format("{}/outcomes/none/{}", build_folder(), name);
}

// Why programs of this MPI cannot be started here; empty if they can.
inline std::string cannot_launch(MpiKind kind) {
    if (!std::filesystem::exists(outcome_program(kind, "outcome"))) {
        return fmt::format("{} is not installed", name_of(kind));
    }
    if (find_in_path(fmt::format("mpirun.{}", suffix_of(kind))).empty()) {
        return fmt::format("there is no mpirun of {}", name_of(kind));
    }
    return {};
}

// Why they cannot be traced: a library with a sanitizer in it needs a program that has it too.
inline std::string cannot_trace(MpiKind kind) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return "the tracing library has a sanitizer in it";
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
    return "the tracing library has a sanitizer in it";
#endif
#endif
    const std::string missing = cannot_launch(kind);
    if (!missing.empty()) return missing;
    // The tests are not in the folder of the program that they run.
    const bool built =
        std::filesystem::exists(fmt::format("{}/liborrery-trace-{}.so", build_folder(), suffix_of(kind)));
    return built ? "" : fmt::format("the tracing library for {} was not built", name_of(kind));
}

} // namespace orrery::test
