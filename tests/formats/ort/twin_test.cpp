// Random streams of actions, with loops in loops, through the encoder and both decoders.
#include "formats/ort/layout.h"
#include "reference/recorded_segment.h"
#include "streams.h"

#include <gtest/gtest.h>

namespace orrery::twin_test {
namespace {

using namespace recorded_test;

class RandomStream {
  public:
    explicit RandomStream(std::uint64_t seed) : random_(seed) {}

    std::vector<Entry> make(std::size_t actions) {
        while (entries_.size() < actions) body(0);
        return std::move(entries_);
    }

  private:
    std::uint64_t below(std::uint64_t n) { return random_() % n; }

    // A number of any size, often a small one or one that has been seen.
    std::uint64_t number() {
        switch (below(5)) {
        case 0: return random_() >> below(64);
        case 1: return ~std::uint64_t{0} - below(3);
        case 2: return 1000 + below(3);
        default: return below(4);
        }
    }
    std::uint32_t small() { return static_cast<std::uint32_t>(number()); }

    Entry any_action() {
        Entry entry;
        Action& action = entry.action;
        action.kind = static_cast<ActionKind>(below(action_kinds));
        if (below(4) == 0) action.kind = ActionKind::compute;
        action.collective = static_cast<Collective>(below(collective_count));
        action.nonblocking = below(3) == 0;
        action.commutative = below(3) != 0;
        if (below(3) == 0) action.comm = small();
        if (below(2) == 0) action.peer = small();
        if (below(4) == 0) action.other = small();
        if (below(2) == 0) action.tag = small();
        if (below(2) == 0) action.request = small();
        if (below(4) == 0) action.element = small();
        if (below(2) == 0) action.bytes = number();
        if (below(4) == 0) action.more_bytes = number();
        if (below(2) == 0)
            action.volume =
                below(3) == 0 ? std::ldexp(static_cast<double>(below(1000)), static_cast<int>(below(200)) - 100)
                              : static_cast<double>(below(1'000'000));
        if (below(6) == 0) {
            entry.counts.resize(1 + below(12));
            for (Bytes& count : entry.counts) count = number();
        }
        return entry;
    }

    // Some actions, turn after turn; in each turn fields may step, change, or be replaced, and a loop may be
    // inside.
    void body(int depth) {
        std::vector<Entry> turn;
        for (std::uint64_t n = 1 + below(8); n > 0; --n) turn.push_back(any_action());
        const std::uint64_t turns = 1 + below(below(4) == 0 ? 60 : 6);
        const std::size_t inner = depth < 3 && below(2) == 0 ? below(turn.size()) : turn.size();
        for (std::uint64_t i = 0; i < turns && entries_.size() < 5000; ++i) {
            for (std::size_t k = 0; k < turn.size(); ++k) {
                Entry& entry = turn[k];
                if (k == inner) body(depth + 1);
                if (below(20) == 0) entry = any_action();
                if (k % 3 == 0) entry.action.tag += 1;
                if (k % 4 == 1) entry.action.bytes -= 8;
                if (below(10) == 0 && !entry.counts.empty())
                    entry.counts[below(entry.counts.size())] += below(3);
                entry.action.counts = static_cast<std::uint32_t>(entry.counts.size());
                clock_ += static_cast<std::int64_t>(below(1000));
                entry.times.begin = clock_;
                clock_ += static_cast<std::int64_t>(below(100'000));
                entry.times.end = clock_;
                entries_.push_back(entry);
            }
        }
    }

    std::mt19937_64 random_;
    std::vector<Entry> entries_;
    std::int64_t clock_ = 0;
};

TEST(RecordedTwin, random_streams_come_back_from_both_decoders) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const bool timed = seed % 3 == 0;
        std::vector<Entry> entries = RandomStream(seed).make(800);
        const std::size_t segment = seed % 2 == 0 ? 100'000 : 1 + seed * 7 % 300;
        const std::vector<std::string> segments = encoded(entries, segment, timed);
        std::vector<Entry> slow;
        for (const std::string& each : segments) {
            for (const auto& action : reference::read_recorded_segment(each))
                slow.push_back({action.action, action.counts, action.times});
        }
        ASSERT_EQ(slow.size(), entries.size());
        for (std::size_t i = 0; i < entries.size(); ++i)
            ASSERT_TRUE(same(slow[i], entries[i], timed)) << "seed " << seed << ", action " << i;

        // The real one refuses what cannot be replayed: of sound actions it gives the same.
        std::erase_if(entries, [](const Entry& entry) {
            return ti::fault_of(entry.action, entry.counts, {0xFFFF'FFFF, std::uint64_t{1} << 33}) != nullptr;
        });
        const Decoded fast = decoded(encoded(entries, segment, timed), timed, 1 + seed % 40);
        ASSERT_EQ(fast.entries.size(), entries.size());
        for (std::size_t i = 0; i < entries.size(); ++i)
            ASSERT_TRUE(same(fast.entries[i], entries[i], timed)) << "seed " << seed << ", action " << i;
    }
}

TEST(RecordedTwin, programs_come_back_from_both_decoders) {
    for (const Stream& stream : {stencil(100), wavefront(3), conjugate_gradient(2), irregular(2000)}) {
        const std::vector<std::string> segments = encoded(stream.entries, 3000);
        std::size_t i = 0;
        for (const std::string& each : segments) {
            for (const auto& action : reference::read_recorded_segment(each)) {
                ASSERT_LT(i, stream.entries.size());
                ASSERT_TRUE(same({action.action, action.counts, action.times}, stream.entries[i++], false));
            }
        }
        EXPECT_EQ(i, stream.entries.size());
    }
}

} // namespace
} // namespace orrery::twin_test
