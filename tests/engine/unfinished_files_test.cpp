// Files with a temporary name, on file systems that have no nameless files.
#include "engine/unfinished_files.h"

#include "engine/interrupt.h"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

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

// The first files of a process, opened by several threads at once: none is lost from the list.
TEST_F(UnfinishedFileTest, ASignalRemovesThoseOfAllThreads) {
    constexpr int threads = 8;
    for (int round = 0; round < 30; ++round) {
        EXPECT_EQ(signal_of_child([&] {
                      std::atomic<int> to_come = threads;
                      std::atomic<int> to_open = threads;
                      std::vector<std::thread> all;
                      for (int i = 0; i < threads; ++i) {
                          all.emplace_back([&, i] {
                              std::ofstream(folder_ / std::to_string(i)) << "half";
                              --to_come;
                              while (to_come > 0) {
                              }
                              const UnfinishedFile mine(folder_ / std::to_string(i));
                              --to_open;
                              ::pause();
                          });
                      }
                      while (to_open > 0) ::usleep(100);
                      ::kill(::getpid(), SIGTERM);
                      for (std::thread& each : all) each.join();
                  }),
                  SIGTERM);
        ASSERT_TRUE(fs::is_empty(folder_)) << round;
    }
}

// A thread that finishes its files while the handler of another one removes what is unfinished.
TEST_F(UnfinishedFileTest, FilesMayBeFinishedWhileOthersAreRemoved) {
    int status = 0;
    const pid_t child = ::fork();
    if (child == 0) {
        std::atomic<bool> over = false;
        std::thread removing([&] {
            while (!over) remove_unfinished_files();
        });
        for (int i = 0; i < 2000; ++i) UnfinishedFile(folder_ / std::to_string(i)).remove();
        over = true;
        removing.join();
        ::_exit(0); // a sanitizer has a code of its own
    }
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

} // namespace
} // namespace orrery::unfinished_files_test
