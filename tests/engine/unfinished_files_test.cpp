// Files with a temporary name, on file systems that have no nameless files.
#include "engine/unfinished_files.h"

#include "engine/interrupt.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace orrery::unfinished_files_test {
namespace {

namespace fs = std::filesystem;

class UnfinishedFileTest : public testing::Test {
  protected:
    void SetUp() override { fs::create_directories(folder_); }
    void TearDown() override { fs::remove_all(folder_); }
    [[nodiscard]] UnfinishedFile make(const std::string& name) const {
        std::ofstream(folder_ / name) << "half";
        return UnfinishedFile(folder_ / name);
    }
    // The signal that ended a child which did `what`; 0: it ended by itself.
    static int signal_of_child(const std::function<void()>& what) {
        const pid_t child = ::fork();
        if (child == 0) {
            what();
            ::_exit(0);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    }
    fs::path folder_ = fs::path(testing::TempDir()) / ("unfinished_" + std::to_string(::getpid()));
};

TEST_F(UnfinishedFileTest, ASignalRemovesThem) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) {
        EXPECT_EQ(signal_of_child([&] {
                      const UnfinishedFile one = make("one");
                      const UnfinishedFile two = make("two");
                      ::raise(signal);
                  }),
                  signal);
        EXPECT_TRUE(fs::is_empty(folder_)) << signal;
    }
}

TEST_F(UnfinishedFileTest, ASecondSignalToAnInterruptedVerbRemovesThem) {
    EXPECT_EQ(signal_of_child([&] {
                  const InterruptWatch watch;
                  const UnfinishedFile one = make("one");
                  ::raise(SIGINT);
                  ::usleep(300'000); // what comes at once is the same signal
                  ::raise(SIGINT);
              }),
              SIGINT);
    EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(UnfinishedFileTest, ASignalThatIsIgnoredStaysSo) {
    EXPECT_EQ(signal_of_child([&] {
                  (void)std::signal(SIGHUP, SIG_IGN);
                  UnfinishedFile one = make("one");
                  ::raise(SIGHUP);
                  (void)one.rename(folder_ / "done");
              }),
              0);
    EXPECT_TRUE(fs::exists(folder_ / "done"));
}

TEST_F(UnfinishedFileTest, AChildLeavesThoseOfItsParent) {
    const UnfinishedFile mine = make("mine");
    EXPECT_EQ(signal_of_child([&] { ::raise(SIGTERM); }), SIGTERM);
    EXPECT_TRUE(fs::exists(mine.path()));
    EXPECT_EQ(signal_of_child([&] {
                  const UnfinishedFile own = make("own");
                  ::raise(SIGTERM);
              }),
              SIGTERM);
    EXPECT_TRUE(fs::exists(mine.path()));
    EXPECT_FALSE(fs::exists(folder_ / "own"));
}

} // namespace
} // namespace orrery::unfinished_files_test
