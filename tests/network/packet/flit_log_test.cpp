// The log of a lane's flits against a plain list of their times.
#include "network/packet/flit_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace orrery::flit_log_test {
namespace {

using packet::FlitLog;

TEST(FlitLog, KnowsEachFlitOfManyRuns) {
    std::mt19937 random(1);
    for (int round = 0; round < 50; ++round) {
        FlitLog log;
        std::vector<Time> times; // of all flits
        std::uint64_t forgotten = 0;
        Time now;
        const auto below = [&](std::size_t bound) { return static_cast<std::int64_t>(random() % bound); };
        for (std::int64_t run = below(200) + 1; run > 0; --run) {
            const Time pace = Time::ns(1 + below(3));
            const auto count = static_cast<std::uint64_t>(1 + below(5));
            log.append(now, pace, count);
            for (std::uint64_t i = 0; i < count; ++i) {
                times.push_back(now);
                now += pace;
            }
            if (below(4) == 0) { // its end is planned anew; nothing of it may be left
                const std::uint64_t end = times.size() - static_cast<std::uint64_t>(below(count + 1));
                log.set_end(end);
                times.resize(end);
            }
            if (below(8) == 0 && !times.empty()) {
                forgotten = std::max(forgotten, static_cast<std::uint64_t>(below(times.size())));
                log.forget(forgotten);
            }
            now += Time::ns(below(10));
        }
        ASSERT_EQ(log.end(), times.size());
        for (std::uint64_t flit = forgotten; flit < times.size() + 3; ++flit)
            ASSERT_EQ(log.time(flit), flit < times.size() ? times[flit] : Time::max()) << flit;
        // How many have passed, also at the instants of flits and between them.
        for (std::uint64_t i = 0; i < 300 && forgotten < times.size(); ++i) {
            const Time at = times[forgotten + static_cast<std::uint64_t>(below(times.size() - forgotten))] +
                            Time::ps(below(3000) - 1);
            const auto passed = std::upper_bound(times.begin(), times.end(), at) - times.begin();
            ASSERT_EQ(log.until(at), static_cast<std::uint64_t>(passed));
        }
    }
}

} // namespace
} // namespace orrery::flit_log_test
