// Dimemas 5.5.0 itself: its execution time and the time of each task outside bursts, within 2 ns.
#include "drivers/dimemas/simulate.h"
#include "places.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace orrery::oracle_test {

TEST(DimemasOracle, ExecutionTimes) {
    const std::string folder = test_data() + "/dimemas/";
    std::ifstream expected(folder + "expected.txt");
    std::size_t cases = 0;
    for (std::string line; std::getline(expected, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream words(line);
        std::string name;
        std::int64_t whole = 0;
        words >> name >> whole;
        SCOPED_TRACE(name);
        const dimemas::DimFile trace = dimemas::DimFile::open(folder + name + ".dim");
        const ReplayPrediction answer =
            dimemas::simulate(trace, dimemas::read_configuration(folder + name + ".cfg"));
        EXPECT_LE(std::abs(answer.base.time.ps() - whole * 1000), 2000);
        std::int64_t outside = 0;
        for (std::size_t task = 0; words >> outside; ++task) {
            ASSERT_LT(task, answer.calls.size());
            const CallTimes& times = answer.calls[task];
            Time all;
            for (const Time part : times.by_kind) all += part;
            EXPECT_EQ(all, answer.base.ranks[task].finish);
            // The time it waits for a processor is none of Dimemas' communication.
            const Time communication = all - times[CallKind::compute] - times[CallKind::other];
            EXPECT_LE(std::abs(communication.ps() - outside * 1000), 2000) << task;
        }
        ++cases;
    }
    EXPECT_EQ(cases, 37U);
}

} // namespace orrery::oracle_test
