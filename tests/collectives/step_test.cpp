// Frames of coroutines: pooled, and returned whatever happens.
#include "collectives/step.h"

#include "collectives/algorithms.h"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace orrery::step_test {
namespace {

CollectiveCall some_call() {
    CollectiveCall call;
    call.operation = Collective::allreduce;
    call.size = 8;
    call.bytes = 1000;
    return call;
}

TEST(Steps, FramesAreUsedAgain) {
    const Algorithm* const algorithm = find_algorithm(Collective::allreduce, "recursive_doubling");
    const void* first = nullptr;
    {
        Steps steps = algorithm->run(some_call(), {});
        first = steps.next();
    }
    Steps steps = algorithm->run(some_call(), {});
    EXPECT_EQ(steps.next(), first); // the step lies in the frame, and the frame is the same
}

TEST(Steps, MayBeDroppedHalfWay) {
    for (const Algorithm& algorithm : algorithms(Collective::allreduce)) {
        Steps steps = algorithm.run(some_call(), {});
        steps.next();
        steps.next();
    }
}

TEST(Steps, MayEndOnAnotherThread) {
    std::vector<Steps> made;
    for (const Algorithm& algorithm : algorithms(Collective::allreduce))
        made.push_back(algorithm.run(some_call(), {}));
    std::thread([&] {
        while (made.size() > 3) made.pop_back();
        while (made.front().next() != nullptr) {
        }
    }).join();
    made.clear();
}

TEST(Steps, AreEmptyUntilMade) {
    Steps steps;
    EXPECT_FALSE(steps);
    steps = find_algorithm(Collective::barrier, "linear")->run(CollectiveCall{}, {});
    EXPECT_TRUE(steps);
}

} // namespace
} // namespace orrery::step_test
