// The file for what does not fit into memory.
#include "engine/run_file.h"

#include "engine/error.h"
#include "engine/own_descriptors.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace orrery::run_file_test {
namespace {

namespace fs = std::filesystem;

const std::string folder = testing::TempDir() + "orrery-run-file-" + std::to_string(::getpid());

class RunFiles : public testing::Test {
  protected:
    void SetUp() override { fs::create_directories(folder); }
    void TearDown() override { fs::remove_all(folder); }
    static std::size_t files() {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
    }
};

void expect_kept(const std::string& path) {
    RunFile file(path);
    file.append("some words", 10);
    file.append(" more", 5);
    std::array<char, 5> read{};
    file.read(5, read.data(), read.size());
    EXPECT_EQ(std::string(read.data(), read.size()), "words");
}

TEST_F(RunFiles, HaveNoName) {
    RunFile file(folder + "/events");
    file.append("x", 1);
    EXPECT_EQ(files(), 0U);
}

TEST_F(RunFiles, AreMadeBesideNamesOfAnyLength) {
    expect_kept(folder + "/" + std::string(255, 'n'));
    const fs::path before = fs::current_path();
    fs::current_path(folder);
    expect_kept(std::string(255, 'n'));
    fs::current_path(before);
}

TEST_F(RunFiles, RefuseAFolderThatIsNotThere) {
    RunFile file(folder + "/nowhere/events");
    EXPECT_THROW(file.append("x", 1), InputError);
}

// An emulated program has closed its standard input: a file of ours must not take its number.
TEST_F(RunFiles, LeaveTheNumbersOfStandardStreams) {
    const int input = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 100);
    ::close(STDIN_FILENO);
    {
        RunFile file(folder + "/events");
        file.append("x", 1);
        EXPECT_EQ(::fcntl(STDIN_FILENO, F_GETFD), -1);
    }
    if (input >= 0) {
        ::dup2(input, STDIN_FILENO);
        ::close(input);
    }
}

TEST_F(RunFiles, KeepTheirDescriptors) {
    const int file = own_descriptors::keep(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    EXPECT_TRUE(own_descriptors::has(file));
    EXPECT_FALSE(own_descriptors::has(file + 1));
    EXPECT_EQ(own_descriptors::close(file), 0);
    EXPECT_FALSE(own_descriptors::has(file));
    EXPECT_EQ(own_descriptors::keep(-1), -1);
    EXPECT_FALSE(own_descriptors::has(-1));
}

} // namespace
} // namespace orrery::run_file_test
