// "Two simulations may run at once in two threads": four here, through the public header alone.
#include <orrery/orrery.h>

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace orrery::api_at_once_test {

namespace {

using namespace orrery::api;

std::vector<std::int64_t> numbers_of(const Prediction& found) {
    std::vector<std::int64_t> all{
        found.time_ps, found.critical_rank, static_cast<std::int64_t>(found.operations),
        static_cast<std::int64_t>(found.messages), static_cast<std::int64_t>(found.bytes)};
    for (const RankTimes& rank : found.ranks)
        all.insert(all.end(), {rank.finish_ps, rank.compute_ps, rank.overhead_ps, rank.waiting_ps});
    return all;
}

// Made, loaded and built: the three ways to a workload.
std::vector<std::int64_t> predicted(int which, const std::string& file) {
    if (which == 0) return numbers_of(simulate(Workload::load(file), "L=1us o=200ns"));
    if (which == 1) {
        Builder builder(8);
        for (std::uint32_t rank = 0; rank < 8; ++rank) {
            const auto compute = builder.compute(rank, 1000 * rank);
            builder.require(rank, builder.send(rank, (rank + 1) % 8, 100'000), compute);
            builder.recv(rank, any, 100'000, any);
        }
        return numbers_of(simulate(builder.build(), "S=1kB"));
    }
    const std::vector<std::string> names = patterns();
    const std::string& name = names[static_cast<std::size_t>(which) % names.size()];
    return numbers_of(simulate(Workload::pattern(name, 32, 1000U * static_cast<unsigned>(which)), "L=2500ns"));
}

TEST(ApiAtOnce, FourThreadsHaveTheResultsOfOne) {
    constexpr int workloads = 16;
    const std::string file = testing::TempDir() + "api_at_once_" + std::to_string(getpid()) + ".goal";
    std::ofstream(file) << "num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\nrecv 8b from 0\n}\n";
    std::vector<std::vector<std::int64_t>> alone;
    for (int i = 0; i < workloads; ++i) alone.push_back(predicted(i, file));
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&, thread] {
            for (int i = 0; i < workloads; ++i) {
                const int which = (i + 4 * thread) % workloads;
                EXPECT_EQ(predicted(which, file), alone[static_cast<std::size_t>(which)]) << which;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    std::remove(file.c_str());
}

// A copy of a workload is the same one: several simulations read it.
TEST(ApiAtOnce, OneWorkloadForAllThreads) {
    const Workload workload = Workload::pattern("dissemination", 256, 8);
    const auto alone = numbers_of(simulate(workload));
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&alone, copy = workload] {
            for (int i = 0; i < 5; ++i) EXPECT_EQ(numbers_of(simulate(copy)), alone);
        });
    }
    for (std::thread& thread : threads) thread.join();
}

// What one thread does wrong is thrown in that thread.
TEST(ApiAtOnce, ErrorsStayInTheirThread) {
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([thread] {
            for (int i = 0; i < 20; ++i) {
                Builder builder(2);
                builder.recv(0, 1, 8);
                if (thread % 2 == 0) {
                    EXPECT_THROW(simulate(builder.build()), Error);
                } else {
                    builder.send(1, 0, 8);
                    EXPECT_EQ(simulate(builder.build()).messages, 1U);
                }
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
}

} // namespace

} // namespace orrery::api_at_once_test
