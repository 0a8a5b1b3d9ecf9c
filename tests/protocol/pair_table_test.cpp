#include "protocol/pair_table.h"

#include "engine/random.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

namespace orrery::pair_table_test {
namespace {

// Against std::map, with entries that come and go; few ranks, so that pairs meet again.
TEST(PairTable, KeepsWhatAMapKeeps) {
    const RandomStream stream(7, 0);
    std::uint64_t n = 0;
    for (const std::uint32_t ranks : {2U, 5U, 40U, 300U}) {
        PairTable table;
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> twin;
        for (std::uint32_t i = 0; i < 20'000; ++i) {
            const auto from = static_cast<std::uint32_t>(stream.below(n++, ranks));
            const auto to = static_cast<std::uint32_t>(stream.below(n++, ranks));
            const auto found = twin.find({from, to});
            if (found != twin.end() && stream.below(n++, 3) > 0) {
                EXPECT_EQ(table.at(from, to, 0), found->second);
                table.erase(from, to);
                twin.erase(found);
            } else {
                const std::uint32_t expected = found == twin.end() ? i : found->second;
                ASSERT_EQ(table.at(from, to, i), expected);
                table.at(from, to, i) = twin[{from, to}] = i + 1;
            }
            ASSERT_EQ(table.size(), twin.size());
        }
        for (const auto& [pair, value] : twin) EXPECT_EQ(table.at(pair.first, pair.second, 0), value);
    }
}

} // namespace
} // namespace orrery::pair_table_test
