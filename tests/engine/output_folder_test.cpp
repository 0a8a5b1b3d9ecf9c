#include "engine/output_folder.h"

#include "engine/error.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace orrery::output_folder_test {
namespace {

namespace fs = std::filesystem;

class OutputFolderTest : public testing::Test {
  protected:
    void SetUp() override {
        directory_ = fs::path(testing::TempDir()) / ("output_folder_" + std::to_string(::getpid()));
        fs::create_directories(directory_);
    }
    void TearDown() override { fs::remove_all(directory_); }
    [[nodiscard]] std::size_t entries() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(directory_), fs::directory_iterator()));
    }
    static std::string content(const fs::path& path) {
        std::ostringstream text;
        text << std::ifstream(path).rdbuf();
        return text.str();
    }
    fs::path directory_;
};

TEST_F(OutputFolderTest, AppearsOnCommit) {
    const fs::path path = directory_ / "run";
    OutputFolder folder(path, false);
    EXPECT_EQ(entries(), 0U);
    folder.write("manifest.json", "{}");
    std::ofstream(folder.file("table.csv")) << "1\n";
    EXPECT_FALSE(fs::exists(path));
    EXPECT_EQ(folder.files(), (std::vector<std::string>{"manifest.json", "table.csv"}));
    folder.commit();
    EXPECT_EQ(content(path / "manifest.json"), "{}");
    EXPECT_EQ(content(path / "table.csv"), "1\n");
    EXPECT_EQ(entries(), 1U);
    struct stat facts {};
    ASSERT_EQ(::stat(path.c_str(), &facts), 0);
    const mode_t mask = ::umask(0);
    (void)::umask(mask);
    EXPECT_EQ(facts.st_mode & 0777, 0777 & ~mask);
}

TEST_F(OutputFolderTest, LeavesNothingWithoutCommit) {
    {
        OutputFolder folder(directory_ / "run", false);
        folder.write("a", std::string(3'000'000, 'x'));
        (void)folder.file("never written");
        EXPECT_EQ(entries(), 1U);
    }
    EXPECT_EQ(entries(), 0U);
}

const char* const manifest_of_a_run = R"({"schema": 1, "command": ["orrery"], "files": ["old.txt"]})";

TEST_F(OutputFolderTest, ReplacesAnotherWhole) {
    const fs::path path = directory_ / "run";
    fs::create_directory(path);
    std::ofstream(path / "manifest.json") << manifest_of_a_run;
    std::ofstream(path / "old.txt") << "old";
    fs::permissions(path, fs::perms{0750});
    EXPECT_THROW(OutputFolder(path, false), UsageError);
    OutputFolder folder(path, true);
    folder.write("manifest.json", "new");
    EXPECT_EQ(content(path / "manifest.json"), manifest_of_a_run);
    folder.commit();
    EXPECT_EQ(content(path / "manifest.json"), "new");
    EXPECT_FALSE(fs::exists(path / "old.txt"));
    EXPECT_EQ(fs::status(path).permissions(), fs::perms{0750});
    EXPECT_EQ(entries(), 1U);
}

// Nothing is deleted that no run has written, whenever it came.
TEST_F(OutputFolderTest, KeepsWhatIsNotOfARun) {
    const fs::path path = directory_ / "run";
    const auto expect_kept = [&](const std::string& manifest) {
        std::ofstream(path / "manifest.json") << manifest;
        EXPECT_THROW(OutputFolder(path, true), UsageError) << manifest;
    };
    fs::create_directory(path);
    for (const char* const manifest :
         {"", "{", "[]", R"({"name": "a web page", "icons": []})", R"({"schema": 1})",
          R"({"schema": 1, "command": [], "files": [1]})", "\xff\xfe"})
        expect_kept(manifest);
    std::ofstream(path / "notes.txt") << "mine";
    expect_kept(manifest_of_a_run);
    fs::remove(path / "notes.txt");
    fs::create_directory(path / "old.txt");
    expect_kept(manifest_of_a_run);
    fs::remove(path / "old.txt");
    {
        OutputFolder folder(path, true);
        folder.write("manifest.json", "new");
        std::ofstream(path / "notes.txt") << "mine";
        EXPECT_THROW(folder.commit(), UsageError);
    }
    EXPECT_EQ(content(path / "notes.txt"), "mine");
    EXPECT_EQ(content(path / "manifest.json"), manifest_of_a_run);
    EXPECT_EQ(entries(), 1U);
}

TEST_F(OutputFolderTest, NamesMayBeAsLongAsTheSystemAllows) {
    for (const std::size_t length : {249U, 255U}) {
        OutputFolder folder(directory_ / std::string(length, 'n'), false);
        folder.write("manifest.json", "{}");
        folder.commit();
        EXPECT_TRUE(fs::exists(folder.path()));
    }
    EXPECT_THROW(OutputFolder(directory_ / std::string(256, 'n'), false), InputError);
    EXPECT_EQ(entries(), 2U);
}

TEST_F(OutputFolderTest, ALinkStaysAndItsFolderIsReplaced) {
    fs::create_directory(directory_ / "target");
    fs::create_symlink("target", directory_ / "latest");
    OutputFolder folder(directory_ / "latest", false);
    folder.write("manifest.json", "new");
    folder.commit();
    EXPECT_TRUE(fs::is_symlink(directory_ / "latest"));
    EXPECT_EQ(content(directory_ / "target" / "manifest.json"), "new");
    EXPECT_EQ(entries(), 2U);
}

// What could not be replaced at the end is refused at the beginning.
TEST_F(OutputFolderTest, SomeFoldersCannotBeReplaced) {
    const fs::path before = fs::current_path();
    fs::current_path(directory_);
    EXPECT_THROW(OutputFolder(".", false), UsageError);
    EXPECT_THROW(OutputFolder(directory_, false), UsageError);
    EXPECT_THROW(OutputFolder("..", true), UsageError);
    fs::current_path(before);
    EXPECT_THROW(OutputFolder("/proc", true), UsageError);
    EXPECT_THROW(OutputFolder("/proc/run", false).begin(), InputError);
}

TEST_F(OutputFolderTest, TakesNoFolderOfOthers) {
    fs::create_directory(directory_ / "theirs");
    std::ofstream(directory_ / "theirs" / "a") << "a";
    std::ofstream(directory_ / "file") << "a";
    EXPECT_THROW(OutputFolder(directory_ / "theirs", true), UsageError);
    EXPECT_THROW(OutputFolder(directory_ / "file", true), UsageError);
    EXPECT_THROW(OutputFolder(directory_ / "no" / "such", true), InputError);
    // Somebody else was faster.
    OutputFolder folder(directory_ / "run", false);
    folder.write("manifest.json", "mine");
    fs::create_directory(directory_ / "run");
    std::ofstream(directory_ / "run" / "manifest.json") << "theirs";
    EXPECT_THROW(folder.commit(), InputError);
    EXPECT_EQ(content(directory_ / "run" / "manifest.json"), "theirs");
}

TEST_F(OutputFolderTest, ASignalLeavesNothing) {
    const pid_t child = ::fork();
    if (child == 0) {
        OutputFolder folder(directory_ / "run", false);
        folder.write("a", "a");
        folder.write("b", "b");
        (void)::raise(SIGTERM);
        ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(entries(), 0U);
}

} // namespace
} // namespace orrery::output_folder_test
