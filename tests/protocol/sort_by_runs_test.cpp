// Sorting by runs against std::stable_sort, on what comes in runs, in overlapping runs, and in no order.
#include "protocol/sort_by_runs.h"

#include "engine/random.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

namespace orrery::sort_by_runs_test {
namespace {

struct Element {
    std::uint64_t key = 0;
    std::uint64_t number = 0; // tells equals apart

    bool operator<(const Element& other) const { return key < other.key; }
    bool operator==(const Element&) const = default;
};

// `blocks` ascending runs in any order, whose keys begin 3 apart: if `width` is more, they overlap.
std::vector<Element> elements(std::uint64_t seed, std::uint64_t blocks, std::uint64_t length,
                              std::uint64_t width) {
    const RandomStream random(seed, blocks);
    std::uint64_t n = 0;
    std::vector<std::uint64_t> begins(blocks);
    for (std::size_t i = 0; i < blocks; ++i) {
        begins[i] = 3 * i;
        std::swap(begins[i], begins[random.below(n++, i + 1)]);
    }
    std::vector<Element> all;
    for (const std::uint64_t begin : begins) {
        std::vector<Element> run;
        for (std::uint64_t i = 0; i < length; ++i) run.push_back({begin + random.below(n++, width), 0});
        std::stable_sort(run.begin(), run.end());
        all.insert(all.end(), run.begin(), run.end());
    }
    for (std::size_t i = 0; i < all.size(); ++i) all[i].number = i;
    return all;
}

TEST(SortByRuns, AgreesWithAStableSort) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        for (const std::uint64_t blocks : {0U, 1U, 2U, 7U, 40U}) {
            for (const std::uint64_t length : {1U, 2U, 3U, 30U}) {
                for (const std::uint64_t width : {1U, 2U, 3U, 4U, 9U}) {
                    std::vector<Element> all = elements(seed, blocks, length, width);
                    std::vector<Element> expected = all;
                    std::stable_sort(expected.begin(), expected.end());
                    sort_by_runs(all);
                    ASSERT_EQ(all, expected) << seed << " " << blocks << " " << length << " " << width;
                }
            }
        }
    }
}

} // namespace
} // namespace orrery::sort_by_runs_test
