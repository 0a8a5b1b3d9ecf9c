#include "engine/output_file.h"

#include "engine/error.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

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

TEST_F(OutputFileTest, SeveralThreadsWriteFilesOfOneFolder) {
    constexpr std::size_t threads = 4;
    constexpr std::size_t each = 40;
    const auto name = [&](std::size_t thread, std::size_t i) {
        return directory_ / (std::to_string(thread) + "-" + std::to_string(i));
    };
    std::vector<std::thread> all;
    for (std::size_t thread = 0; thread < threads; ++thread) {
        all.emplace_back([&, thread] {
            for (std::size_t i = 0; i < each; ++i)
                write_file(name(thread, i), std::to_string(1000 * thread + i));
        });
    }
    for (std::thread& thread : all) thread.join();
    EXPECT_EQ(files(), threads * each);
    for (std::size_t thread = 0; thread < threads; ++thread)
        for (std::size_t i = 0; i < each; ++i)
            EXPECT_EQ(content(name(thread, i)), std::to_string(1000 * thread + i));
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

TEST_F(OutputFileTest, ALinkStaysAndItsTargetIsWritten) {
    std::ofstream(directory_ / "target") << "old";
    fs::create_symlink("target", directory_ / "link");
    fs::create_symlink(directory_ / "link", directory_ / "link of a link");
    fs::create_symlink("later", directory_ / "leads nowhere");
    write_file(directory_ / "link of a link", "new");
    write_file(directory_ / "leads nowhere", "first");
    EXPECT_TRUE(fs::is_symlink(directory_ / "link of a link"));
    EXPECT_TRUE(fs::is_symlink(directory_ / "link"));
    EXPECT_EQ(content(directory_ / "target"), "new");
    EXPECT_EQ(content(directory_ / "later"), "first");
    EXPECT_EQ(files(), 5U);
    fs::create_symlink("circle", directory_ / "circle");
    EXPECT_THROW(OutputFile(directory_ / "circle"), InputError);
}

TEST_F(OutputFileTest, AReplacedFileKeepsModeAndOwner) {
    const fs::path path = directory_ / "a";
    std::ofstream(path) << "old";
    fs::permissions(path, fs::perms{0640});
    const bool root = ::geteuid() == 0;
    if (root) {
        ASSERT_EQ(::chown(path.c_str(), 12, 34), 0);
    }
    write_file(path, "new");
    struct stat now {};
    ASSERT_EQ(::stat(path.c_str(), &now), 0);
    EXPECT_EQ(now.st_mode & 07777U, 0640U);
    EXPECT_EQ(now.st_uid, root ? 12U : ::geteuid());
    EXPECT_EQ(now.st_gid, root ? 34U : ::getegid());
    EXPECT_EQ(content(path), "new");
}

TEST_F(OutputFileTest, ANewFileHasTheModeOfTheUmask) {
    const mode_t before = ::umask(027);
    write_file(directory_ / "a", "new");
    ::umask(before);
    EXPECT_EQ(fs::status(directory_ / "a").permissions(), fs::perms{0640});
}

TEST_F(OutputFileTest, NamesMayBeAsLongAsTheSystemAllows) {
    for (const std::size_t length : {248U, 249U, 255U}) {
        const fs::path path = directory_ / std::string(length, 'n');
        write_file(path, "x");
        EXPECT_EQ(content(path), "x");
    }
    EXPECT_THROW(OutputFile(directory_ / std::string(256, 'n')), InputError); // at once, not after a long run
    EXPECT_EQ(files(), 3U);
}

TEST_F(OutputFileTest, NothingIsLeftHoweverTheProcessEnds) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGKILL}) {
        const pid_t child = ::fork();
        if (child == 0) {
            OutputFile file(directory_ / "a");
            file.write(std::string(3'000'000, 'x'));
            ::raise(signal);
            ::_exit(0);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << signal;
        EXPECT_EQ(files(), 0U) << signal;
    }
}

} // namespace
} // namespace orrery::output_file_test
