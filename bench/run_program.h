// Runs a program as a process of its own and tells what it cost: for benchmarks of whole programs.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace orrery::bench {

namespace fs = std::filesystem;

struct Cost {
    double cpu_seconds = 0;
    double wall_seconds = 0;
    double peak_megabytes = 0;
    bool worked = false;
};

// Runs a command with its standard output in `output`, its errors nowhere if `quiet`; the cost is that of this
// one process.
inline Cost run(const std::vector<std::string>& words, const fs::path& output, bool quiet = false) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0666);
    if (quiet) posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const auto begin = std::chrono::steady_clock::now();
    pid_t child = 0;
    Cost cost;
    if (posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ) == 0) {
        int status = 0;
        rusage usage{};
        wait4(child, &status, 0, &usage);
        const auto seconds = [](const timeval& time) {
            return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
        };
        cost.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
        cost.peak_megabytes = static_cast<double>(usage.ru_maxrss) / 1024;
        cost.worked = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    cost.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    posix_spawn_file_actions_destroy(&actions);
    return cost;
}

// The number after "name": in a JSON text.
inline double field(const fs::path& json, const std::string& name) {
    std::ifstream file(json);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const auto at = text.find("\"" + name + "\":");
    return at == std::string::npos ? 0 : std::atof(text.c_str() + at + name.size() + 3);
}

// [--quick] [ROW...]: which rows of a table are wanted.
struct Choice {
    Choice(int argc, char** argv) {
        for (int i = 1; i < argc; ++i) {
            if (std::string(argv[i]) == "--quick") {
                quick = true;
            } else {
                wanted.emplace_back(argv[i]);
            }
        }
    }
    [[nodiscard]] bool has(const std::string& name) const {
        return wanted.empty() || std::any_of(wanted.begin(), wanted.end(), [&](const std::string& word) {
                   return name.find(word) != std::string::npos;
               });
    }
    bool quick = false;
    std::vector<std::string> wanted;
};

// A new folder for what a benchmark writes; empty if there is none to be had.
inline fs::path new_folder() {
    std::string pattern = (fs::temp_directory_path() / "orrery-bench-XXXXXX").string();
    return mkdtemp(pattern.data()) == nullptr ? fs::path() : fs::path(pattern);
}

} // namespace orrery::bench
