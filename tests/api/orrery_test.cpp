// The installed library, through its public header alone.
#include <orrery/orrery.h>

#include "places.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <unistd.h>

namespace orrery::orrery_test {

namespace {

using namespace orrery::api;

// What `work` throws; fails the test if it throws nothing.
template <typename Work> Error error_of(const Work& work) {
    try {
        work();
    } catch (const Error& error) {
        return error;
    }
    ADD_FAILURE() << "nothing was thrown";
    return {Fault::usage, ""};
}

TEST(Api, OneMessageTakesTwoOverheadsAndTheLatency) {
    Builder builder(2);
    builder.send(0, 1, 1);
    builder.recv(1, 0, 1);
    const Prediction prediction = simulate(builder.build(), "L=1us o=200ns g=0 G=1ns/B O=0");
    EXPECT_EQ(prediction.time_ps, 1'400'000);
    EXPECT_EQ(prediction.critical_rank, 1U);
    EXPECT_EQ(prediction.operations, 2U);
    EXPECT_EQ(prediction.messages, 1U);
    EXPECT_EQ(prediction.bytes, 1U);
    ASSERT_EQ(prediction.ranks.size(), 2U);
    EXPECT_EQ(prediction.ranks[0].finish_ps, 200'000);
    EXPECT_EQ(prediction.ranks[1].overhead_ps, 200'000);
    EXPECT_EQ(prediction.ranks[1].waiting_ps, 1'200'000);
    EXPECT_DOUBLE_EQ(prediction.seconds(), 1.4e-6);
}

TEST(Api, RequiredOperationsWait) {
    Builder builder(1);
    const auto first = builder.compute(0, 1000);
    const auto second = builder.compute(0, 500);
    builder.require(0, second, first);
    const Workload workload = builder.build();
    EXPECT_EQ(workload.ranks(), 1U);
    EXPECT_EQ(workload.operations(), 2U);
    const Prediction prediction = simulate(workload);
    EXPECT_EQ(prediction.time_ps, 1500);
    EXPECT_EQ(prediction.ranks[0].compute_ps, 1500);
}

TEST(Api, AnyReceivesFromAnyRankAndTag) {
    Builder builder(2);
    builder.send(0, 1, 8, 42);
    builder.recv(1, any, 8, any);
    EXPECT_EQ(simulate(builder.build()).messages, 1U);
}

TEST(Api, EveryPatternNameIsKnown) {
    const auto names = patterns();
    ASSERT_TRUE(std::find(names.begin(), names.end(), "dissemination") != names.end());
    for (const std::string& name : names) EXPECT_EQ(Workload::pattern(name, 16, 8).ranks(), 16U) << name;
}

TEST(Api, LoadsASchedule) {
    const std::string path = testing::TempDir() + "api_" + std::to_string(getpid()) + ".goal";
    std::ofstream(path) << "num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\nrecv 8b from 0\n}\n";
    EXPECT_EQ(Workload::load(path).operations(), 2U);
    std::ofstream(path) << "num_ranks 1\nrank 0 {\nsend 8b at 1\n}\n";
    const Error error = error_of([&] { Workload::load(path); });
    std::remove(path.c_str());
    EXPECT_EQ(error.fault(), Fault::input);
    EXPECT_EQ(error.file(), path);
    EXPECT_EQ(error.line(), 3U);
    EXPECT_EQ(error.column(), 9U);
}

TEST(Api, FaultsAreTold) {
    EXPECT_EQ(error_of([] { Workload::load("no/such/file.goal"); }).fault(), Fault::input);
    EXPECT_EQ(error_of([] { Workload::pattern("no-such-pattern", 4, 8); }).fault(), Fault::usage);

    Builder builder(2);
    EXPECT_EQ(error_of([&] { builder.send(2, 0, 8); }).fault(), Fault::usage);
    builder.recv(0, 1, 8);
    const Workload unmatched = builder.build();
    EXPECT_EQ(error_of([&] { simulate(unmatched); }).fault(), Fault::simulation);
    EXPECT_EQ(error_of([&] { simulate(unmatched, "L=fast"); }).fault(), Fault::usage);

    builder.send(1, 7, 8);
    EXPECT_EQ(error_of([&] { static_cast<void>(builder.build()); }).fault(), Fault::input);
}

TEST(Api, SaysItsVersion) { EXPECT_EQ(version(), built_version()); }

} // namespace

} // namespace orrery::orrery_test
