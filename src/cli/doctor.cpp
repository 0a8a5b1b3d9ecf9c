// `orrery doctor`: what this build can do and what it cannot, and why. Every line is found out, from how the
// build was configured or from the machine it runs on.
#include "cli/this_machine.h"
#include "cli/verbs.h"
#include "engine/error.h"
#include "engine/ids.h"
#include "engine/time.h"
#include "engine/time_text.h"
#include "engine/units.h"
#include "machine/built_in.h"
#include "observe/json_text.h"
#include "tools/acquire/mpirun.h"
#include "workload/op.h"
#include "workload/patterns/pattern.h"
#include "workload/schedule.h"

#include <CLI/Version.hpp>
#include <fmt/format.h>
#include <google/protobuf/stubs/common.h>
#include <nlohmann/json.hpp>
#include <xxhash.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery::cli {
namespace {

struct Part {
    std::string name;
    Finding finding;
};

constexpr std::uint64_t cpus_per_rank = std::uint64_t{max_cpu} + 1;
constexpr std::uint64_t nics_per_rank = std::uint64_t{max_nic} + 1;
constexpr std::uint64_t operations_per_rank = std::numeric_limits<decltype(OpId::value)>::max();
constexpr std::uint64_t schedule_bytes = block_alignment << 32U;

std::string compiler() {
#if defined(__clang__)
    return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
    return fmt::format("GCC {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

constexpr bool assertions() {
#ifdef NDEBUG
    return false;
#else
    return true;
#endif
}

Finding optimised() {
#ifdef __OPTIMIZE__
    return {true, "compiled with optimisation"};
#else
    return {
        false,
        "compiled without optimisation: expect it ten times slower; configure with `cmake --preset release`"};
#endif
}

Finding networks() { return {true, "loggops, flow, packet, kpacket, ideal (--network)"}; }

Finding machines() {
    std::vector<std::string_view> names;
    for (const BuiltInMachine& machine : built_in_machines()) names.push_back(machine.name);
    return {!names.empty(), fmt::format("{} (--on)", fmt::join(names, ", "))};
}

Finding generators() {
    return {!patterns().empty(), fmt::format("{}; `orrery generate --list` names them", patterns().size())};
}

// Both are needed: the library that is preloaded, and an mpirun that starts the program.
Finding tracing(MpiKind mpi) {
    try {
        const std::string library = tracer_library(mpi);
        return {true, fmt::format("`orrery trace` with {} and {}", library, find_mpirun("", mpi).path)};
    } catch (const UsageError& error) {
        return {false, error.what()};
    }
}

// major * 10000 + minor * 100 + patch, as libraries encode their versions; protobuf uses 1000 instead of 100.
std::string dotted(std::uint64_t version, std::uint64_t base = 100) {
    return fmt::format("{}.{}.{}", version / base / base, version / base % base, version % base);
}

// The Debian libraries that this was compiled with.
std::vector<std::pair<std::string, std::string>> libraries() {
    return {{"CLI11", CLI11_VERSION},
            {"fmt", dotted(FMT_VERSION)},
            {"nlohmann-json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                                          NLOHMANN_JSON_VERSION_PATCH)},
            {"protobuf", dotted(GOOGLE_PROTOBUF_VERSION, 1000)},
            {"xxHash", dotted(XXH_VERSION_NUMBER)}};
}

void print_parts(const std::vector<Part>& parts, const ThisMachine& machine) {
    constexpr const char* sanitizers = sizeof(ORRERY_SANITIZE) > 1 ? ORRERY_SANITIZE : "off";
    fmt::print("orrery {}: {} build, {}, sanitizers {}, assertions {}\n", ORRERY_VERSION, ORRERY_BUILD_TYPE,
               compiler(), sanitizers, assertions() ? "on" : "off");
    fmt::print("  with  ");
    for (const auto& [name, version] : libraries()) fmt::print(" {} {}", name, version);
    fmt::print("\n");
    for (const Part& part : parts)
        fmt::print("  {:<6} {:<20} {}\n", part.finding.has ? "has" : "lacks", part.name, part.finding.why);
    fmt::print("this machine\n");
    fmt::print("  CPU     {}, {} usable\n", machine.cpu, machine.cores);
    fmt::print("  memory  {}, of which {} available\n", format_bytes(machine.memory_bytes),
               format_bytes(machine.available_bytes));
    fmt::print("limits\n");
    fmt::print("  ranks           {}\n", format_count(max_ranks));
    fmt::print("  per rank        {} CPUs, {} NICs, {} operations\n", format_count(cpus_per_rank),
               format_count(nics_per_rank), format_count(operations_per_rank));
    fmt::print("  schedule        {} of rank programs that differ\n", format_bytes(schedule_bytes));
    fmt::print("  message         {}\n", format_bytes(max_op_size));
    fmt::print("  simulated time  {}, longer with --resolution\n", longest_in_words());
}

void print_parts_json(const std::vector<Part>& parts, const ThisMachine& machine) {
    nlohmann::ordered_json out;
    out["version"] = ORRERY_VERSION;
    out["build"] = {{"type", ORRERY_BUILD_TYPE},
                    {"compiler", compiler()},
                    {"sanitizers", ORRERY_SANITIZE},
                    {"assertions", assertions()}};
    for (const auto& [name, version] : libraries()) out["libraries"][name] = version;
    out["parts"] = nlohmann::ordered_json::array();
    for (const Part& part : parts)
        out["parts"].push_back({{"name", part.name}, {"has", part.finding.has}, {"why", part.finding.why}});
    out["machine"] = {{"cpu", machine.cpu},
                      {"cores", machine.cores},
                      {"memory_bytes", machine.memory_bytes},
                      {"available_bytes", machine.available_bytes}};
    out["limits"] = {{"ranks", max_ranks},
                     {"cpus_per_rank", cpus_per_rank},
                     {"nics_per_rank", nics_per_rank},
                     {"operations_per_rank", operations_per_rank},
                     {"schedule_bytes", schedule_bytes},
                     {"message_bytes", max_op_size},
                     {"simulated_time_ps", Time::longest().ps()}};
    fmt::print("{}\n", json_text(out, 2));
}

} // namespace

void add_doctor(const Verb& app) {
    const Verb verb = app.add_subcommand("doctor", "Show which features work here, and what is missing");
    verb.group("This program");
    auto json = std::make_shared<bool>(false);
    verb.add_flag("--json", *json, "Print one JSON object instead of text");
    verb.examples({"orrery doctor"});
    verb.callback([json] {
        const ThisMachine machine = look_at_this_machine();
        const std::vector<Part> parts = {{"network models", networks()},
                                         {"machines", machines()},
                                         {"patterns", generators()},
                                         {"optimisation", optimised()},
                                         {"huge pages", machine.huge_pages},
                                         {"lazy memory", machine.lazy_memory},
                                         {"tracing Open MPI", tracing(MpiKind::openmpi)},
                                         {"tracing MPICH", tracing(MpiKind::mpich)},
                                         {"instruction counter", machine.counters},
                                         {"fast CPU clock", machine.cpu_clock}};
        if (*json)
            print_parts_json(parts, machine);
        else
            print_parts(parts, machine);
    });
}

} // namespace orrery::cli
