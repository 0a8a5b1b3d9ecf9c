#include "tools/acquire/mpi_program.h"
#include "engine/error.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char** environ; // NOLINT(readability-redundant-declaration): not every unistd.h has it

namespace orrery {

namespace {

namespace fs = std::filesystem;

bool executable(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

// What a short-lived command prints, both streams; empty if it cannot be started.
std::string said_by(const std::vector<std::string>& command) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    pid_t process = -1;
    const int failed = ::posix_spawn(&process, words[0], &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    std::string text;
    std::array<char, 4096> buffer; // NOLINT(cppcoreguidelines-pro-type-member-init)
    while (failed == 0) {
        const ssize_t got = ::read(ends[0], buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    ::close(ends[0]);
    int status = 0;
    while (failed == 0 && ::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return text;
}

// The loader that an ELF program asks for; empty if it asks for none, so that nothing can be preloaded into it.
std::string loader_of(std::ifstream& file) {
    Elf64_Ehdr header{};
    file.seekg(0);
    if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return {};
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr)) return {};
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr part{};
        file.seekg(static_cast<std::streamoff>(header.e_phoff + i * sizeof part));
        if (!file.read(reinterpret_cast<char*>(&part), sizeof part)) return {};
        if (part.p_type != PT_INTERP || part.p_filesz == 0 || part.p_filesz > 4096) continue;
        std::string name(part.p_filesz, '\0');
        file.seekg(static_cast<std::streamoff>(part.p_offset));
        if (!file.read(name.data(), static_cast<std::streamsize>(name.size()))) return {};
        return name.c_str(); // NOLINT(readability-redundant-string-cstr): without what follows its zero
    }
    return {};
}

// By the names of its libraries. Other makers of the MPICH ABI (Intel, MVAPICH) say libmpi.so.12.
std::optional<MpiKind> kind_of_library(std::string_view name) {
    if (name.starts_with("libmpich")) return MpiKind::mpich;
    if (!name.starts_with("libmpi")) return std::nullopt;
    const std::size_t so = name.find(".so.");
    if (so == std::string_view::npos) return std::nullopt;
    const std::string_view version = name.substr(so + 4);
    if (version.starts_with("12")) return MpiKind::mpich;
    if (version.starts_with("40") || version.starts_with("20")) return MpiKind::openmpi;
    return std::nullopt;
}

// The loader lists what it would load: "libmpi.so.40 => /usr/lib/... (0x...)", "libx.so => not found".
void read_libraries(const std::string& listing, ProgramFacts& facts) {
    std::istringstream lines(listing);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name;
        words >> name;
        if (line.find("=> not found") != std::string::npos && facts.missing.empty()) facts.missing = name;
        facts.emulated = facts.emulated || name.starts_with("liborrery_mpi.so");
        const std::optional<MpiKind> kind = kind_of_library(name);
        if (!kind || facts.mpi) continue;
        facts.mpi = kind;
        facts.library = name;
    }
}

} // namespace

std::string_view name_of(MpiKind kind) { return kind == MpiKind::openmpi ? "Open MPI" : "MPICH"; }
std::string_view suffix_of(MpiKind kind) { return kind == MpiKind::openmpi ? "openmpi" : "mpich"; }
std::string_view debian_package(MpiKind kind) { return kind == MpiKind::openmpi ? "openmpi-bin" : "mpich"; }

std::string find_in_path(const std::string& name) {
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        const fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
        if (executable(candidate)) return candidate.string();
    }
    return {};
}

ProgramFacts inspect_program(const std::string& program) {
    ProgramFacts facts;
    if (program.find('/') == std::string::npos) {
        facts.path = find_in_path(program);
        if (facts.path.empty()) {
            throw InputError(
                fmt::format("program '{}' is not in PATH{}", program,
                            executable(program) ? fmt::format("; did you mean ./{}?", program) : ""));
        }
    } else {
        facts.path = program;
        std::error_code ignored;
        if (!fs::exists(program, ignored)) throw InputError({program, 0, 0, "there is no such program"});
        if (fs::is_directory(program, ignored)) throw InputError({program, 0, 0, "a folder, not a program"});
        if (!executable(program)) {
            throw InputError(
                {program, 0, 0, fmt::format("not executable; 'chmod +x {}' makes it so", program)});
        }
    }
    std::ifstream file(facts.path, std::ios::binary);
    std::array<char, 4> magic{};
    file.read(magic.data(), magic.size());
    if (file && std::memcmp(magic.data(), ELFMAG, SELFMAG) == 0) {
        const std::string loader = loader_of(file);
        facts.form = loader.empty() ? ProgramForm::statically_linked : ProgramForm::dynamic;
        if (!loader.empty()) read_libraries(said_by({loader, "--list", facts.path}), facts);
    } else {
        facts.form = ProgramForm::script; // or a binary that we may start but not read: the loader will tell
    }
    return facts;
}

std::optional<MpiKind> mpi_of_launcher(const std::string& mpirun) {
    const std::string version = said_by({mpirun, "--version"});
    for (const char* const words : {"Open MPI", "OpenRTE", "open-mpi.org", "PRRTE"}) {
        if (version.find(words) != std::string::npos) return MpiKind::openmpi;
    }
    for (const char* const words : {"HYDRA", "Hydra", "MPICH", "Intel(R) MPI", "MVAPICH"}) {
        if (version.find(words) != std::string::npos) return MpiKind::mpich;
    }
    return std::nullopt;
}

MpiKind mpi_of(const std::string& program) {
    const ProgramFacts facts = inspect_program(program);
    if (facts.mpi) return *facts.mpi;
    const std::string mpirun = find_in_path("mpirun");
    if (!mpirun.empty()) {
        if (const std::optional<MpiKind> kind = mpi_of_launcher(mpirun)) return *kind;
    }
    for (const MpiKind kind : {MpiKind::openmpi, MpiKind::mpich}) {
        if (!find_in_path(fmt::format("mpirun.{}", suffix_of(kind))).empty()) return kind;
    }
    throw InputError({program, 0, 0,
                      "needs no MPI library, and there is no mpirun in PATH whose MPI could be taken; "
                      "Debian has them in the packages openmpi-bin and mpich"});
}

} // namespace orrery
