// Variables that are swapped line by line, beside a twin that keeps all of each rank's.
#include "emulate/program/program.h"
#include "emulate/program/swapped_variables.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace orrery::emulate::swapped_variables_test {
namespace {

using Bytes = std::vector<std::byte>;

class SwappedVariablesTwin : public testing::TestWithParam<std::size_t> {};

// Ranks run in any order, write here and there, others write to them while they are out, and some end.
TEST_P(SwappedVariablesTwin, AgreesWithCopiesOfAll) {
    const std::size_t size = GetParam();
    std::mt19937 random(static_cast<unsigned int>(size));
    const auto below = [&](std::size_t limit) {
        return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
    };
    const auto value = [&] { return static_cast<std::byte>(below(256)); };
    Bytes place(size);
    for (std::byte& each : place) each = value();

    constexpr std::size_t ranks = 9;
    SwappedVariables variables(place.data(), size, ranks);
    std::vector<SavedVariables> out(ranks);
    std::vector<Bytes> twin(ranks, place);
    std::vector<bool> begun(ranks, false);
    std::vector<std::size_t> alive = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    variables.restore(out[0]);
    std::size_t in = 0;
    for (int step = 0; step < 2000 && !alive.empty(); ++step) {
        ASSERT_EQ(place, twin[in]) << "rank " << in << " in step " << step;
        if (!begun[in]) // each sets a table, the same for all
            for (std::size_t at = size / 2; at < size * 3 / 4; ++at) twin[in][at] = static_cast<std::byte>(at);
        begun[in] = true;
        for (std::size_t writes = below(3); writes > 0; --writes) // most write to the same few places
            twin[in][below(4) * size / 5] = value();
        if (below(20) == 0) twin[in][below(size)] = value();
        place = twin[in];
        const std::size_t other = alive[below(alive.size())];
        if (other != in && begun[other] && below(4) == 0) {
            const std::size_t at = below(size);
            ASSERT_TRUE(variables.has(&place[at]));
            *static_cast<std::byte*>(variables.find(out[other], &place[at])) = twin[other][at] = value();
        }
        if (below(300) == 0) {
            std::erase(alive, in);
            place[below(size)] = value(); // nobody else must see that
            variables.drop(out[in]);
        } else {
            variables.save(out[in]);
        }
        if (alive.empty()) break;
        in = alive[below(alive.size())];
        variables.restore(out[in]);
    }
    EXPECT_FALSE(variables.has(place.data() + size));
    EXPECT_LT(alive.size(), ranks);
}

INSTANTIATE_TEST_SUITE_P(Sizes, SwappedVariablesTwin, testing::Values(1, 8, 63, 64, 65, 200, 1000, 6272));

TEST(SwappedVariables, OnlyWhatDiffersIsNeeded) {
    Bytes place(1000);
    SwappedVariables variables(place.data(), place.size(), 2);
    SavedVariables first;
    SavedVariables second;
    variables.restore(first);
    variables.save(first);
    EXPECT_EQ(variables.first_needed(first), nullptr);
    variables.restore(second);
    place[700] = std::byte{1};
    variables.save(second);
    EXPECT_EQ(variables.first_needed(second), second.bytes.get() + 640);
    EXPECT_EQ(variables.first_needed(first), first.bytes.get() + 640);
}

// A table that all ranks have filled alike is not moved for ever.
TEST(SwappedVariables, WhatAllAgreeUponIsCommon) {
    constexpr std::size_t ranks = 5;
    Bytes place(6400);
    SwappedVariables variables(place.data(), place.size(), ranks);
    std::vector<SavedVariables> out(ranks);
    for (std::size_t step = 0; step < 20 * ranks; ++step) {
        SavedVariables& rank = out[step % ranks];
        variables.restore(rank);
        if (step < ranks) std::fill(place.begin() + 640, place.begin() + 6400, std::byte{7});
        place[0] = static_cast<std::byte>(step % ranks);
        EXPECT_EQ(place[6000], std::byte{7});
        variables.save(rank);
        if (step == 2 * ranks) {
            EXPECT_EQ(variables.moved_bytes(), 64U + 6400U - 640U);
        }
    }
    EXPECT_EQ(variables.moved_bytes(), 64U);
}

TEST(SwappedVariables, AreUsualWhereRanksAreManyAndVariablesFew) {
    EXPECT_EQ(usual_mechanism(255, 100), Privatise::segments);
    EXPECT_EQ(usual_mechanism(256, 100), Privatise::copy);
    EXPECT_EQ(usual_mechanism(256, 8192), Privatise::copy);
    EXPECT_EQ(usual_mechanism(256, 8193), Privatise::segments);
    EXPECT_EQ(usual_mechanism(1'000'000, 1 << 20), Privatise::copy); // there are not so many mappings
}

} // namespace
} // namespace orrery::emulate::swapped_variables_test
