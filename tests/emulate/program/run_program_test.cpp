#include "emulate/program/run_program.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/wait.h>
#include <unistd.h>

namespace orrery::emulate::program_tests {

namespace {

std::string text_of(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}
std::string folder() {
    const auto path = std::filesystem::temp_directory_path() / fmt::format("orrery-program-{}", getpid());
    std::filesystem::create_directories(path);
    return path.string();
}

} // namespace

Ran run_command(const std::string& command) {
    const std::string base = folder() + "/output";
    const int status = std::system(fmt::format("({}) >{}.out 2>{}.err", command, base, base).c_str());
    Ran ran;
    ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    ran.out = text_of(base + ".out");
    ran.err = text_of(base + ".err");
    return ran;
}

bool have(const std::string& compiler) { return run_command("command -v " + compiler).code == 0; }

std::string build(const std::string& compiler, const std::string& source, const std::string& name,
                  const std::string& flags) {
    const std::string program = folder() + "/" + name;
    const std::string command =
        fmt::format("cd {} && {} -O1 -fPIC -fno-semantic-interposition -ftls-model=global-dynamic "
                    "-fstack-clash-protection {} -shared "
                    "-Wl,-z,norelro -Wl,-z,noseparate-code -Wl,-z,now -Wl,-e,orrery_start {} {} -J{} -o {}",
                    program_sources(), compiler, source,
                    build_folder() + "/tests/emulate/program/orrery_start.o", flags, folder(), program);
    // Only gfortran knows -J (where its module files go).
    std::string line = command;
    if (compiler != "gfortran") line.erase(line.find(" -J"), folder().size() + 3);
    const Ran built = run_command(line);
    EXPECT_EQ(built.code, 0) << built.err;
    return program;
}

Ran run_ranks(unsigned int ranks, const std::string& options, const std::string& program_and_arguments) {
    // What a program leaves allocated when a rank ends is the program's business.
    return run_command(fmt::format("ASAN_OPTIONS=detect_leaks=0 {} -n {} {} {}",
                                   build_folder() + "/orrery_program_runner", ranks, options,
                                   program_and_arguments));
}

} // namespace orrery::emulate::program_tests
