// Which request a wait is for, and what waits for any of them mean.
#include "formats/ti/requests.h"
#include "reference/ti_requests.h"
#include "ti_text.h"

#include <random>

namespace orrery::waits_test {
namespace {

using namespace ti_test;
using Lines = std::vector<std::string>;

TEST(TiWaits, the_oldest_of_a_name_comes_first) {
    EXPECT_EQ(read_lines({"isend 1 5 10 6", "irecv 1 5 20 6", "isend 1 5 30 6", "wait 0 1 5", "wait 1 0 5",
                          "wait 0 1 5"}),
              (Lines{"isend 1 tag 5 10 B #0", "irecv 1 tag 5 20 B #1", "isend 1 tag 5 30 B #2", "wait #0",
                     "wait #1", "wait #2"}));
}

TEST(TiWaits, numbers_are_the_smallest_free_ones) {
    EXPECT_EQ(read_lines({"irecv 1 0 1 6", "irecv 1 1 1 6", "irecv 1 2 1 6", "wait 1 0 1", "irecv 1 3 1 6",
                          "irecv 1 4 1 6"}),
              (Lines{"irecv 1 1 B #0", "irecv 1 tag 1 1 B #1", "irecv 1 tag 2 1 B #2", "wait #1",
                     "irecv 1 tag 3 1 B #1", "irecv 1 tag 4 1 B #3"}));
}

TEST(TiWaits, wildcards_are_names_too) {
    EXPECT_EQ(read_lines({"irecv -555 -444 1 6", "irecv 1 -444 1 6", "wait 1 0 -444", "test -333 0 -444",
                          "wait -333 0 -444"}),
              (Lines{"irecv any tag any 1 B #0", "irecv 1 tag any 1 B #1", "wait #1", "test #0", "wait #0"}));
}

TEST(TiWaits, wait_all_takes_everything_whatever_its_number) {
    EXPECT_EQ(
        read_lines({"irecv 1 0 1 6", "isend 1 0 1 6", "waitall 1", "irecv 1 0 1 6", "waitall", "waitall 5"}),
        (Lines{"irecv 1 1 B #0", "isend 1 1 B #1", "waitall", "irecv 1 1 B #0", "waitall"}));
}

TEST(TiWaits, a_test_leaves_the_request) {
    EXPECT_EQ(read_lines({"irecv 1 0 1 6", "test 1 0 0", "test 1 0 0", "wait 1 0 0"}),
              (Lines{"irecv 1 1 B #0", "test #0", "test #0", "wait #0"}));
    EXPECT_EQ(read_lines({"testall", "irecv 1 0 1 6", "testany", "testsome", "waitall"}),
              (Lines{"irecv 1 1 B #0", "test #0", "test #0", "waitall"}));
}

// Once as many waits for any have been made as requests were pending, all are done.
TEST(TiWaits, waits_for_any_end_in_a_wait_for_all) {
    EXPECT_EQ(read_lines({"irecv 1 0 1 6", "irecv 1 1 1 6", "irecv 1 2 1 6", "waitAny 3", "waitAny 3",
                          "waitAny 3", "irecv 1 0 1 6", "waitAny 1"}),
              (Lines{"irecv 1 1 B #0", "irecv 1 tag 1 1 B #1", "irecv 1 tag 2 1 B #2", "waitany", "waitany",
                     "waitall", "irecv 1 1 B #0", "waitall"}));
    EXPECT_EQ(read_lines({"irecv 1 0 1 6", "irecv 1 1 1 6", "waitsome", "wait 1 0 0", "irecv 1 2 1 6"}),
              (Lines{"irecv 1 1 B #0", "irecv 1 tag 1 1 B #1", "waitsome", "wait #0", "waitall",
                     "irecv 1 tag 2 1 B #0"}));
}

TEST(TiWaits, requests_by_number) {
    EXPECT_EQ(read_lines({"irecv 1 0 1 6", "irecv 1 0 2 6", "irecv 1 0 3 6", "wait req=1", "waitall req=0,2",
                          "irecv 1 0 1 6"}),
              (Lines{"irecv 1 1 B #0", "irecv 1 2 B #1", "irecv 1 3 B #2", "wait #1", "waitall [0 2]",
                     "irecv 1 1 B #0"}));
}

TEST(TiWaits, agree_with_a_plain_list) {
    std::mt19937 random(7);
    for (int round = 0; round < 30; ++round) {
        ti::Requests fast;
        reference::Requests slow;
        const auto below = [&](unsigned n) { return static_cast<std::uint32_t>(random() % n); };
        const unsigned most = round % 3 == 0 ? 5 : round % 3 == 1 ? 40 : 400;
        for (int step = 0; step < 2000; ++step) {
            const ti::RequestName name{below(3), below(2), below(4), below(10) == 0 ? 1U : 0U};
            switch (below(slow.size() < most ? 4 : 8)) {
            case 0:
            case 1:
            case 2: ASSERT_EQ(fast.add(name), slow.add(name)); break;
            case 3: ASSERT_EQ(fast.oldest(), slow.oldest()); break;
            case 4: ASSERT_EQ(fast.latest(), slow.latest()); break;
            case 5:
                if (const auto last = slow.latest()) {
                    fast.remove(*last);
                    slow.remove(*last);
                }
                break;
            case 6:
                if (below(50) == 0) {
                    fast.clear();
                    slow.clear();
                }
                break;
            default: break;
            }
            const auto oldest = slow.oldest(name);
            ASSERT_EQ(fast.oldest(name), oldest);
            if (oldest && below(2) == 0) {
                fast.remove(*oldest);
                slow.remove(*oldest);
            }
            const std::uint32_t any = below(most + 5);
            ASSERT_EQ(fast.pending(any), slow.pending(any));
            ASSERT_EQ(fast.size(), slow.size());
        }
    }
}

} // namespace
} // namespace orrery::waits_test
