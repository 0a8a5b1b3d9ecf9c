// Matching against a plain list that is searched from the front: the definition of MPI's order.
#include "protocol/matching.h"

#include "engine/random.h"

#include <gtest/gtest.h>
#include <list>

namespace orrery::matching_test {
namespace {

class NaiveList {
  public:
    explicit NaiveList(MatchLists::Holds holds) : holds_(holds) {}
    void append(const Envelope& envelope, std::uint32_t item) { entries_.emplace_back(envelope, item); }
    std::optional<std::uint32_t> find(const Envelope& search, bool remove) {
        for (auto at = entries_.begin(); at != entries_.end(); ++at) {
            const bool match =
                holds_ == MatchLists::Holds::receives ? accepts(at->first, search) : accepts(search, at->first);
            if (!match) continue;
            const std::uint32_t item = at->second;
            if (remove) entries_.erase(at);
            return item;
        }
        return std::nullopt;
    }
    [[nodiscard]] std::size_t size() const { return entries_.size(); }

  private:
    MatchLists::Holds holds_;
    std::list<std::pair<Envelope, std::uint32_t>> entries_;
};

void compare(MatchLists::Holds holds, std::uint64_t seed, std::uint32_t keys, std::uint64_t append_share,
             std::uint64_t wild_share, std::uint32_t phase = 4000) {
    const RandomStream random(seed, keys);
    std::uint64_t n = 0;
    constexpr std::size_t ranks = 3;
    MatchLists lists(holds);
    std::vector<MatchLists::List> heads(ranks, 0);
    std::vector<NaiveList> naive(ranks, NaiveList(holds));
    const auto envelope = [&](bool may_be_wild) {
        Envelope e{static_cast<std::uint32_t>(random.below(n++, 2)),
                   static_cast<std::uint32_t>(random.below(n++, keys)),
                   static_cast<std::uint32_t>(random.below(n++, keys))};
        if (may_be_wild && random.below(n++, 100) < wild_share) e.source = any_source;
        if (may_be_wild && random.below(n++, 100) < wild_share) e.tag = any_tag;
        return e;
    };
    for (std::uint32_t i = 0; i < 4000; ++i) {
        const std::size_t rank = random.below(n++, ranks);
        if (random.below(n++, 100) < (i / phase % 2 == 0 ? append_share : 100 - append_share)) {
            const Envelope e = envelope(holds == MatchLists::Holds::receives);
            lists.append(heads[rank], e, i);
            naive[rank].append(e, i);
        } else {
            const Envelope e = envelope(holds == MatchLists::Holds::messages);
            const bool remove = random.below(n++, 4) != 0;
            const auto found = remove ? lists.take(heads[rank], e) : lists.peek(heads[rank], e);
            ASSERT_EQ(found, naive[rank].find(e, remove)) << "seed " << seed << ", step " << i;
        }
        ASSERT_EQ(lists.size(), naive[0].size() + naive[1].size() + naive[2].size());
    }
}

TEST(Matching, AgreesWithAPlainList) {
    for (const auto holds : {MatchLists::Holds::receives, MatchLists::Holds::messages}) {
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            for (const std::uint32_t keys : {1U, 3U, 40U}) {
                for (const std::uint64_t share : {45ULL, 55ULL, 80ULL})
                    compare(holds, seed, keys, share, seed % 4 * 15);
            }
        }
    }
}

// Lists that become long and empty in turn, and such in which little is left of many.
TEST(Matching, AgreesWithAPlainListThatFillsAndEmpties) {
    for (const auto holds : {MatchLists::Holds::receives, MatchLists::Holds::messages}) {
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            for (const std::uint32_t keys : {1U, 2U, 5U}) {
                for (const std::uint32_t phase : {100U, 400U})
                    compare(holds, seed, keys, 92, seed % 4 * 15, phase);
            }
        }
    }
}

// One that nobody takes stays, while many others come and go.
TEST(Matching, OneThatStaysIsFoundAfterAllOthers) {
    MatchLists lists(MatchLists::Holds::receives);
    MatchLists::List list = 0;
    for (std::uint32_t i = 0; i < 20; ++i) lists.append(list, {0, 7, 1}, i);
    for (std::uint32_t i = 20; i < 100'000; ++i) {
        lists.append(list, {0, i, 2}, i);
        ASSERT_EQ(lists.take(list, {0, i, 2}), i);
    }
    for (std::uint32_t i = 0; i < 20; ++i) ASSERT_EQ(lists.take(list, {0, 7, 1}), i);
    EXPECT_EQ(list, 0U);
}

TEST(Matching, OldestFirstWithinOneKey) {
    MatchLists lists(MatchLists::Holds::messages);
    MatchLists::List list = 0;
    for (std::uint32_t i = 0; i < 1000; ++i) lists.append(list, {0, 7, 1}, i);
    for (std::uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(lists.take(list, {0, 7, 1}), i);
    EXPECT_EQ(list, 0U);
}

TEST(Matching, CommunicatorsAreApart) {
    MatchLists lists(MatchLists::Holds::receives);
    MatchLists::List list = 0;
    lists.append(list, {1, any_source, any_tag}, 1);
    EXPECT_EQ(lists.take(list, {0, 3, 4}), std::nullopt);
    EXPECT_EQ(lists.take(list, {1, 3, 4}), 1U);
}

// Twice as many unexpected messages cost about twice as much: each is looked up by its key.
TEST(Matching, ThousandsOfUnexpectedMessagesInReverse) {
    MatchLists lists(MatchLists::Holds::messages);
    MatchLists::List list = 0;
    constexpr std::uint32_t count = 200'000;
    for (std::uint32_t i = 0; i < count; ++i) lists.append(list, {0, i, 0}, i);
    for (std::uint32_t i = count; i > 0; --i) ASSERT_EQ(lists.take(list, {0, i - 1, 0}), i - 1);
    EXPECT_EQ(lists.size(), 0U);
}

TEST(Matching, ThousandsOfWildcardSearches) {
    MatchLists lists(MatchLists::Holds::messages);
    MatchLists::List list = 0;
    constexpr std::uint32_t count = 100'000;
    for (std::uint32_t i = 0; i < count; ++i) lists.append(list, {0, i, i % 1000}, i);
    for (std::uint32_t tag = 999;; --tag) { // the tag that is deepest in the list first
        for (std::uint32_t i = tag; i < count; i += 1000) ASSERT_EQ(lists.take(list, {0, any_source, tag}), i);
        if (tag == 0) break;
    }
    EXPECT_EQ(lists.size(), 0U);
}

} // namespace
} // namespace orrery::matching_test
