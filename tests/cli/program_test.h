// Runs `orrery` as a script would, in a folder of its own.
#pragma once

#include "places.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace orrery::test {

struct Answer {
    std::string out;
    int code = -1;
};

// `command` by the shell: what it prints, and its exit code.
inline Answer run_command(const std::string& command) {
    Answer answer;
    FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return answer;
    std::array<char, 4096> buffer{};
    for (std::size_t got = 0; (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
        answer.out.append(buffer.data(), got);
    }
    const int status = pclose(pipe);
    answer.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return answer;
}

// `orrery` with these arguments, both streams.
inline Answer run_program(const std::string& arguments) {
    return run_command(orrery_program() + " " + arguments + " 2>&1");
}

class ProgramTest : public testing::Test {
  protected:
    void SetUp() override { std::filesystem::create_directories(folder_); }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    // In the test's folder: standard output, or both streams if `errors`.
    Answer run(const std::string& arguments, bool errors = false) {
        return run_command("cd " + folder_.string() + " && " + orrery_program() + " " + arguments +
                           (errors ? " 2>&1" : " 2>/dev/null"));
    }
    void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }

    std::filesystem::path folder_ =
        std::filesystem::path(testing::TempDir()) /
        (std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + "_" +
         std::to_string(getpid()));
};

} // namespace orrery::test
