#include "tools/acquire/mpirun.h"
#include "engine/error.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace orrery {

namespace {

void add(std::vector<std::string>& to, std::initializer_list<std::string> words) {
    to.insert(to.end(), words.begin(), words.end());
}

void add_openmpi(std::vector<std::string>& line, const Launch& what, std::uint32_t cores, bool root,
                 const std::vector<std::pair<std::string, std::string>>& environment) {
    if (root) add(line, {"--allow-run-as-root"});
    add(line, {"-n", fmt::format("{}", what.ranks), "--oversubscribe"});
    // Ranks that wait give the core to those that do not; with a hostfile the cores are not known here, and
    // Open MPI sees to it by itself.
    if (is_folded(what, cores)) add(line, {"--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"});
    // More than 32 ranks on a host are started by several threads of mpirun, which then may miss the end of a
    // rank and wait for it for ever (Open MPI 4.1.4: 50 ranks that end at once, one run in four).
    const std::string threads = "odls_base_num_threads";
    const bool chosen = std::ranges::find(what.mpirun_options, threads) != what.mpirun_options.end();
    if (what.ranks > 32 && !chosen) add(line, {"--mca", threads, "0"});
    if (!what.hostfile.empty()) add(line, {"--hostfile", what.hostfile});
    if (!what.map_by.empty()) add(line, {"--map-by", what.map_by});
    for (const auto& [name, value] : environment) add(line, {"-x", fmt::format("{}={}", name, value)});
}

void add_mpich(std::vector<std::string>& line, const Launch& what,
               const std::vector<std::pair<std::string, std::string>>& environment) {
    for (const auto& [name, value] : environment) add(line, {"-genv", name, value});
    if (!what.hostfile.empty()) add(line, {"-f", what.hostfile});
    if (!what.map_by.empty()) add(line, {"-map-by", what.map_by});
    add(line, {"-n", fmt::format("{}", what.ranks)});
}

} // namespace

bool is_folded(const Launch& what, std::uint32_t cores) { return what.hostfile.empty() && what.ranks > cores; }

Mpirun find_mpirun(const std::string& asked, MpiKind kind) {
    if (!asked.empty()) {
        const std::string path = asked.find('/') == std::string::npos ? find_in_path(asked) : asked;
        if (path.empty()) throw UsageError(fmt::format("--mpirun {}: there is no such program in PATH", asked));
        const std::optional<MpiKind> dialect = mpi_of_launcher(path);
        if (dialect && *dialect != kind) {
            throw UsageError(fmt::format("{} starts programs of {}, but this program is linked with {}", asked,
                                         name_of(*dialect), name_of(kind)));
        }
        return {path, dialect};
    }
    const std::string own = find_in_path(fmt::format("mpirun.{}", suffix_of(kind)));
    if (!own.empty()) return {own, kind};
    for (const char* const name : {"mpirun", "mpiexec"}) {
        const std::string found = find_in_path(name);
        if (!found.empty() && mpi_of_launcher(found) == kind) return {found, kind};
    }
    throw UsageError(
        fmt::format("there is no mpirun of {} in PATH; Debian has it in the package {}, and --mpirun "
                    "names another",
                    name_of(kind), debian_package(kind)));
}

std::vector<std::string> mpirun_command(const Launch& what, const Mpirun& mpirun, std::uint32_t cores,
                                        bool root) {
    auto environment = what.environment;
    if (!what.preload.empty()) {
        const char* const before = std::getenv("LD_PRELOAD");
        const bool more = before != nullptr && *before != '\0';
        environment.emplace_back("LD_PRELOAD",
                                 more ? fmt::format("{}:{}", what.preload, before) : what.preload);
    }
    std::vector<std::string> line{mpirun.path};
    if (mpirun.dialect == MpiKind::openmpi) add_openmpi(line, what, cores, root, environment);
    if (mpirun.dialect == MpiKind::mpich) add_mpich(line, what, environment);
    if (!mpirun.dialect) add(line, {"-n", fmt::format("{}", what.ranks)});
    line.insert(line.end(), what.mpirun_options.begin(), what.mpirun_options.end());
    if (!mpirun.dialect && !environment.empty()) {
        add(line, {"env"});
        for (const auto& [name, value] : environment) add(line, {fmt::format("{}={}", name, value)});
    }
    line.insert(line.end(), what.command.begin(), what.command.end());
    return line;
}

std::string shell_words(const std::vector<std::string>& command) {
    std::string out;
    for (const std::string& word : command) {
        if (!out.empty()) out += ' ';
        const bool plain = !word.empty() && std::ranges::all_of(word, [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                   std::string_view("_-+=./:,@%^").find(c) != std::string_view::npos;
        });
        if (plain) {
            out += word;
            continue;
        }
        out += '\'';
        for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
        out += '\'';
    }
    return out;
}

} // namespace orrery
