#include "tools/sweep/process_pool.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace orrery::process_pool_test {
namespace {

const auto silent = [](std::size_t) {};

std::map<std::size_t, TaskOutcome> run(std::size_t tasks, std::uint32_t jobs,
                                       const std::function<std::string(std::size_t)>& work) {
    std::map<std::size_t, TaskOutcome> all;
    PoolOptions options;
    options.jobs = jobs;
    const int stopped = run_in_processes(
        tasks, options, work, [&](std::size_t task, const TaskOutcome& outcome) { all[task] = outcome; },
        silent);
    EXPECT_EQ(stopped, 0);
    return all;
}

TEST(ProcessPool, EveryTaskAnswers) {
    const auto all = run(17, 3, [](std::size_t task) { return std::string(task * 10'000, 'x'); });
    ASSERT_EQ(all.size(), 17);
    for (const auto& [task, outcome] : all) {
        EXPECT_TRUE(outcome.finished);
        EXPECT_EQ(outcome.answer.size(), task * 10'000) << "longer than a pipe holds";
    }
}

TEST(ProcessPool, ATaskThatDiesTakesDownNothingElse) {
    const auto all = run(4, 2, [](std::size_t task) -> std::string {
        if (task == 1) {
            const rlimit none{0, 0}; // no core file
            setrlimit(RLIMIT_CORE, &none);
            fprintf(stderr, "first\nlast words\n");
            std::raise(SIGKILL);
        }
        if (task == 2) _exit(7);
        if (task == 3) throw std::runtime_error("thrown");
        return "fine";
    });
    EXPECT_EQ(all.at(0).answer, "fine");
    EXPECT_FALSE(all.at(1).finished);
    EXPECT_NE(all.at(1).reason.find("signal 9"), std::string::npos) << all.at(1).reason;
    EXPECT_NE(all.at(1).reason.find("last words"), std::string::npos) << all.at(1).reason;
    EXPECT_EQ(all.at(1).reason.find("first"), std::string::npos);
    EXPECT_NE(all.at(2).reason.find("code 7"), std::string::npos) << all.at(2).reason;
    EXPECT_NE(all.at(3).reason.find("thrown"), std::string::npos) << all.at(3).reason;
}

TEST(ProcessPool, NoMoreThanItsJobsAtATime) {
    std::size_t most = 0;
    PoolOptions options;
    options.jobs = 2;
    (void)run_in_processes(
        5, options,
        [](std::size_t) {
            usleep(20'000);
            return std::string();
        },
        [](std::size_t, const TaskOutcome&) {}, [&](std::size_t running) { most = std::max(most, running); });
    EXPECT_LE(most, 2);
}

TEST(ProcessPool, ShortMemoryRunsOneAtATime) {
    PoolOptions options;
    options.jobs = 8;
    options.memory_bytes = 1000;
    options.largest_bytes = 900; // two of these do not fit
    std::size_t most = 0;
    std::size_t done = 0;
    (void)run_in_processes(
        4, options, [](std::size_t) { return std::string(); }, [&](std::size_t, const TaskOutcome&) { ++done; },
        [&](std::size_t running) { most = std::max(most, running); });
    EXPECT_EQ(done, 4) << "one may always run";
    EXPECT_LE(most, 1);
}

TEST(ProcessPool, ASignalStopsItAndLeavesNobodyBehind) {
    std::size_t done = 0;
    PoolOptions options;
    options.jobs = 2;
    const int stopped = run_in_processes(
        10, options,
        [](std::size_t task) {
            if (task > 1) sleep(60);
            return std::string();
        },
        [&](std::size_t, const TaskOutcome&) {
            if (++done == 2) raise(SIGTERM);
        },
        silent);
    EXPECT_EQ(stopped, SIGTERM);
    EXPECT_EQ(done, 2);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "no child is left";
}

} // namespace
} // namespace orrery::process_pool_test
