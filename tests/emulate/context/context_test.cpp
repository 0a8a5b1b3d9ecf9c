#include "emulate/context/context.h"
#include "engine/error.h"

#include <cerrno>
#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace orrery::emulate::context_test {
namespace {

struct Bed {
    explicit Bed(std::uint32_t count, Stacks::Guards guards = Stacks::Guards::when_possible)
        : stacks(count, Stacks::smallest * 4, guards), contexts(count) {}
    Stacks stacks;
    Context scheduler;
    std::vector<Context> contexts;
    std::vector<int> log;
};
Bed* bed = nullptr;

struct Argument {
    std::size_t index;
};

void back(std::size_t index) { Context::swap(bed->contexts[index], bed->scheduler); }

TEST(EmulatedContext, GoesOnWhereItLeftOff) {
    Bed mine(3);
    bed = &mine;
    std::vector<Argument> arguments{{0}, {1}, {2}};
    for (std::uint32_t i = 0; i < 3; ++i)
        mine.contexts[i] = Context(
            mine.stacks[i],
            [](void* a) {
                const std::size_t index = static_cast<Argument*>(a)->index;
                for (int step = 0;; ++step) {
                    bed->log.push_back(static_cast<int>(index) * 10 + step);
                    back(index);
                }
            },
            &arguments[i]);
    for (int round = 0; round < 3; ++round)
        for (auto& context : mine.contexts) Context::swap(mine.scheduler, context);
    EXPECT_EQ(mine.log, (std::vector<int>{0, 10, 20, 1, 11, 21, 2, 12, 22}));
}

std::uint64_t marks[8];
volatile int marked; // read where it is written that it is, not kept in a register over the call

__attribute__((noinline)) void mark() {
    marks[marked] = bed->contexts[0].fingerprint(); // not by way of a variable, which would lie on the stack
    marked = marked + 1;
}

TEST(EmulatedContext, FingerprintTellsWhetherVariablesHaveChanged) {
    Bed mine(1);
    bed = &mine;
    marked = 0;
    mine.contexts[0] = Context(
        mine.stacks[0],
        [](void*) {
            while (marked < 4) mark();
            for (int i = 0, turns = marked; i < turns; ++i) mark();
            for (;;) back(0);
        },
        nullptr);
    Context::swap(mine.scheduler, mine.contexts[0]);
    if (marks[0] == 0) GTEST_SKIP() << "this computer's compiler keeps variables elsewhere";
    EXPECT_EQ(std::set<std::uint64_t>(marks, marks + 4).size(), 1U);
    EXPECT_EQ(std::set<std::uint64_t>(marks + 4, marks + 8).size(), 4U);
    EXPECT_EQ(mine.scheduler.fingerprint(), 0U); // the thread's own stack
}

TEST(EmulatedContext, ErrnoAndExceptionsAreItsOwn) {
    Bed mine(2);
    bed = &mine;
    std::vector<Argument> arguments{{0}, {1}};
    for (std::uint32_t i = 0; i < 2; ++i)
        mine.contexts[i] = Context(
            mine.stacks[i],
            [](void* a) {
                const std::size_t index = static_cast<Argument*>(a)->index;
                errno = static_cast<int>(index) + 100;
                try {
                    throw std::runtime_error(std::to_string(index));
                } catch (const std::exception&) {
                    back(index); // the other one throws while this one handles
                    try {
                        throw;
                    } catch (const std::exception& again) {
                        bed->log.push_back(std::stoi(again.what()));
                    }
                }
                bed->log.push_back(errno);
                bed->log.push_back(std::uncaught_exceptions());
                for (;;) back(index);
            },
            &arguments[i]);
    errno = 7;
    for (int round = 0; round < 2; ++round)
        for (auto& context : mine.contexts) Context::swap(mine.scheduler, context);
    EXPECT_EQ(errno, 7);
    EXPECT_EQ(mine.log, (std::vector<int>{0, 100, 0, 1, 101, 0}));
}

// Small pieces at every depth; the last call is left for good.
[[gnu::noinline]] int deep(int levels) {
    volatile char piece[24] = {};
    piece[levels % 24] = 1;
    if (levels == 0) {
        back(0);
        return 0;
    }
    return deep(levels - 1) + piece[0];
}

// As code of the program, which the sanitizer has not seen; memset is the sanitizer's.
[[gnu::noinline, gnu::no_sanitize_address]] int fills_its_stack(int value) {
    char whole[8192];
    std::memset(whole, value, sizeof whole);
    return whole[4096];
}

TEST(EmulatedContext, AStackServesAgainAfterACallThatNeverReturned) {
    Bed mine(1);
    bed = &mine;
    mine.contexts[0] = Context(
        mine.stacks[0], [](void*) { bed->log.push_back(deep(50)); }, nullptr);
    Context::swap(mine.scheduler, mine.contexts[0]);
    mine.contexts[0] = Context(
        mine.stacks[0],
        [](void*) {
            bed->log.push_back(fills_its_stack(3));
            for (;;) back(0);
        },
        nullptr);
    Context::swap(mine.scheduler, mine.contexts[0]);
    EXPECT_EQ(mine.log, (std::vector<int>{3}));
}

// And what lies right below a top is in one page.
TEST(EmulatedStacks, TopsFallOnDifferentLines) {
    const Stacks stacks(64);
    std::set<std::uintptr_t> lines;
    for (std::uint32_t i = 0; i < 64; ++i) {
        const Stack s = stacks[i];
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(s.top) % 16, 0U);
        EXPECT_GE(s.top - s.low, static_cast<std::ptrdiff_t>(Stacks::usual - Stacks::page));
        const auto top = reinterpret_cast<std::uintptr_t>(s.top);
        lines.insert(top % Stacks::page);
        EXPECT_EQ((top - 1) / Stacks::page, (top - 1536) / Stacks::page);
    }
    EXPECT_EQ(lines.size(), 40U);
}

TEST(EmulatedStacks, KnowsItsGuardPages) {
    const Stacks stacks(10);
    ASSERT_TRUE(stacks.guarded());
    EXPECT_EQ(stacks.overflowed(stacks[7].low - 1), 7U);
    EXPECT_EQ(stacks.overflowed(stacks[7].low - Stacks::page), 7U);
    EXPECT_FALSE(stacks.overflowed(stacks[7].low));
    EXPECT_FALSE(stacks.overflowed(stacks[0].low - Stacks::page - 1));
    EXPECT_FALSE(stacks.overflowed(&stacks));
}

TEST(EmulatedStacks, ManyAreReservedButNotGuarded) {
    const Stacks stacks(100'000);
    EXPECT_FALSE(stacks.guarded());
    *(stacks[99'999].top - 1) = std::byte{1};
    stacks.release(99'999);
    EXPECT_EQ(*(stacks[99'999].top - 1), std::byte{0});
}

TEST(EmulatedStacks, ImpossibleSizesAreRefused) {
    EXPECT_THROW(Stacks(1, 1000), UsageError);
    EXPECT_THROW(Stacks(1, std::size_t{9} << 20), UsageError);
}

TEST(EmulatedStacks, OverflowInWords) {
    char words[128];
    overflow_words(static_cast<char*>(words), sizeof words, 17, Stacks::usual);
    EXPECT_STREQ(static_cast<char*>(words), "rank 17: stack overflow (256 KiB); try --stack 1MiB");
    overflow_words(static_cast<char*>(words), sizeof words, 3, Stacks::largest);
    EXPECT_STREQ(static_cast<char*>(words), "rank 3: stack overflow (8192 KiB)");
}

} // namespace
} // namespace orrery::emulate::context_test
