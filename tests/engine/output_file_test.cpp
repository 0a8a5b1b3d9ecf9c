#include "engine/output_file.h"

#include "engine/error.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace orrery::output_file_test {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public testing::Test {
  protected:
    void SetUp() override {
        directory_ = fs::path(testing::TempDir()) / ("output_file_" + std::to_string(::getpid()));
        fs::create_directories(directory_);
    }
    void TearDown() override { fs::remove_all(directory_); }
    [[nodiscard]] std::size_t files() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(directory_), fs::directory_iterator()));
    }
    [[nodiscard]] std::string content(const fs::path& path) const {
        std::ostringstream text;
        text << std::ifstream(path).rdbuf();
        return text.str();
    }
    fs::path directory_;
};

TEST_F(OutputFileTest, AppearsOnCommit) {
    const fs::path path = directory_ / "a";
    OutputFile file(path);
    file.write("hello");
    EXPECT_FALSE(fs::exists(path));
    EXPECT_EQ(file.position(), 5U);
    file.write_at(0, "J", 1);
    file.write(" there");
    file.commit();
    EXPECT_EQ(content(path), "Jello there");
    EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFileTest, LeavesNothingBehindWithoutCommit) {
    {
        OutputFile file(directory_ / "a");
        file.write(std::string(3'000'000, 'x'));
    }
    EXPECT_EQ(files(), 0U);
}

TEST_F(OutputFileTest, KeepsTheOldFileUntilCommit) {
    const fs::path path = directory_ / "a";
    std::ofstream(path) << "old";
    {
        OutputFile file(path);
        file.write("new");
    }
    EXPECT_EQ(content(path), "old");
}

TEST_F(OutputFileTest, SaysWhyItCannotBeCreated) {
    EXPECT_THROW(OutputFile(directory_ / "no" / "such" / "place"), InputError);
}

TEST_F(OutputFileTest, WritesToDevicesDirectly) {
    OutputFile file("/dev/null");
    file.write("gone");
    file.commit();
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

} // namespace
} // namespace orrery::output_file_test
