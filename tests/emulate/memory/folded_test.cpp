#include "emulate/memory/folded.h"

#include "engine/ids.h"

#include <array>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace orrery::emulate::folded_test {
namespace {

constexpr Bytes mib = Bytes{1} << 20U;
constexpr Bytes gib = Bytes{1} << 30U;

std::uint64_t mappings_of_process() {
    std::ifstream in("/proc/self/maps");
    std::uint64_t lines = 0;
    for (std::string line; std::getline(in, line);) ++lines;
    return lines;
}

// VmRSS counts a folded page once per address; what is really there is the private and the proportional part.
Bytes status_bytes(const std::string& key) {
    std::ifstream in("/proc/self/status");
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with(key)) return std::stoull(line.substr(key.size())) * 1024;
    }
    return 0;
}

TEST(EmulateFolded, RanksShareAddressesAndARanksBlocksDoNotOverlap) {
    FoldedMemory memory;
    char* const a = static_cast<char*>(memory.allocate(0, 40 * mib));
    char* const b = static_cast<char*>(memory.allocate(0, 40 * mib));
    EXPECT_GE(b - a, static_cast<std::ptrdiff_t>(40 * mib));
    EXPECT_EQ(memory.allocate(1, 40 * mib), a);
    EXPECT_EQ(memory.size_of(0, b), 40 * mib);
    EXPECT_EQ(memory.size_of(1, b), 0U);
    a[5] = 'x';
    EXPECT_EQ(a[5 + 16 * mib], 'x'); // folded every 16 MiB
    EXPECT_TRUE(memory.contains(a));
    EXPECT_TRUE(memory.contains(b + 40 * mib - 1));
    int here = 0;
    EXPECT_FALSE(memory.contains(&here));
    EXPECT_FALSE(memory.contains(nullptr));
    EXPECT_TRUE(memory.free(0, a));
    EXPECT_FALSE(memory.free(0, a));
    EXPECT_FALSE(memory.free(1, b));
    EXPECT_EQ(memory.allocate(0, 30 * mib), a); // the gap
    EXPECT_EQ(memory.allocate(0, 1), a + 30 * mib);
    EXPECT_EQ(memory.allocate(0, ~Bytes{0}), nullptr);
    EXPECT_EQ(memory.allocate(0, Bytes{1} << 60U), nullptr);
    memory.free_all(0);
    EXPECT_EQ(memory.allocate(0, 40 * mib), a);
}

// The matrix of 3,875,000 unknowns on 6,006 ranks: 20 GB each.
TEST(EmulateFolded, StampedesMatrixTakesFewMappingsAndPages) {
    FoldedMemory memory;
    const std::uint64_t before = mappings_of_process();
    char* first = nullptr;
    for (std::uint32_t rank = 0; rank < 6006; ++rank) {
        first = static_cast<char*>(memory.allocate(rank, 20'000'000'000));
        ASSERT_NE(first, nullptr);
    }
    EXPECT_LT(memory.mappings(), 1100U);
    EXPECT_LE(mappings_of_process() - before, memory.mappings() + 100); // the C library maps some too
    for (Bytes i = 0; i < 2 * gib; i += 4096) first[i] = 1;             // every page of 2 GiB
    const Bytes tables = status_bytes("VmPTE:");
    EXPECT_LT(tables, 16 * mib);
}

TEST(EmulateFolded, PrivateRangesKeepTheirContent) {
    FoldedMemory memory;
    const Bytes size = 10 * mib;
    const std::array<std::size_t, 4> shared{0, 3 * mib + 100, 3 * mib + 9000, size};
    std::vector<char*> blocks;
    for (std::uint32_t rank = 0; rank < 50; ++rank) {
        auto* const block = static_cast<char*>(memory.allocate_partial(rank, size, shared));
        ASSERT_NE(block, nullptr);
        blocks.push_back(block);
        std::memset(block, static_cast<int>(rank + 100), size); // also over what is shared
        std::memset(block + 3 * mib + 100, static_cast<int>(rank), 8900);
    }
    for (std::size_t rank = 0; rank < blocks.size(); ++rank) {
        for (Bytes i = 3 * mib + 100; i < 3 * mib + 9000; ++i)
            ASSERT_EQ(blocks[rank][i], static_cast<char>(rank)) << rank << ' ' << i;
    }
    EXPECT_EQ(memory.size_of(7, blocks[7]), size);
}

TEST(EmulateFolded, PartialBlocksOfBadShapeAreRefused) {
    FoldedMemory memory;
    const auto refused = [&](Bytes size, std::vector<std::size_t> shared) {
        return memory.allocate_partial(0, size, shared) == nullptr;
    };
    EXPECT_TRUE(refused(100, {0, 101}));
    EXPECT_TRUE(refused(100, {50, 40}));
    EXPECT_TRUE(refused(100, {0, 50, 40, 60}));
    EXPECT_TRUE(refused(100, {0}));
    EXPECT_TRUE(refused(~Bytes{0}, {}));
    EXPECT_FALSE(refused(100, {}));
    EXPECT_FALSE(refused(0, {}));
    EXPECT_FALSE(refused(100, {0, 50, 50, 100})); // nothing private
}

// The panel of HPL: smaller at each step, its private range further to the front.
TEST(EmulateFolded, ShrinkingPanelsUseOneBlock) {
    FoldedMemory memory;
    std::uint64_t mappings = 0;
    for (std::uint32_t step = 0; step < 300; ++step) {
        const Bytes head = (400 - step) * mib + 8 * mib;
        const Bytes own = 1025 * 8;
        const Bytes tail = (400 - step) * mib;
        const std::array<std::size_t, 4> shared{0, head, head + own, head + own + tail};
        for (std::uint32_t rank = 0; rank < 8; ++rank) {
            auto* const block = static_cast<char*>(memory.allocate_partial(rank, head + own + tail, shared));
            ASSERT_NE(block, nullptr);
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 16, 0U);
            std::memset(block + head, static_cast<int>(rank), own);
            block[0] = 1;
            block[head + own + tail - 1] = 1;
        }
        // What each of them has is its own.
        for (std::uint32_t rank = 0; rank < 8; ++rank) {
            auto* const again =
                static_cast<char*>(memory.allocate_partial(rank, 16, std::array<std::size_t, 0>{}));
            ASSERT_NE(again, nullptr);
            EXPECT_TRUE(memory.free(rank, again));
        }
        memory.free_all(0);
        for (std::uint32_t rank = 1; rank < 8; ++rank) memory.free_all(rank);
        if (step == 0) mappings = memory.mappings();
    }
    EXPECT_EQ(memory.mappings(), mappings);
}

// 6,006 panels of 830 MB, their private parts touched.
TEST(EmulateFolded, StampedesPanelsStayWithinTheLimits) {
    FoldedMemory memory;
    const Bytes head = Bytes{50'500} * 1024 * 8 + 1024 * 1024 * 8;
    const Bytes own = 1025 * 8;
    const Bytes size = head + own + Bytes{50'000} * 1024 * 8;
    const std::array<std::size_t, 4> shared{0, head, head + own, size};
    for (std::uint32_t rank = 0; rank < 6006; ++rank) {
        auto* const block = static_cast<char*>(memory.allocate_partial(rank, size, shared));
        ASSERT_NE(block, nullptr) << rank;
        std::memset(block + head, 1, own);
    }
    EXPECT_LT(memory.mappings(), 22'000U);
    EXPECT_LT(mappings_of_process(), 22'500U);
}

// Against an obvious twin: what is private on both sides is copied, byte by byte.
TEST(EmulateFolded, CopiesWhatIsPrivateOnBothSides) {
    FoldedMemory memory;
    std::mt19937 random(7);
    const Bytes size = 64 * 1024;
    const auto shape = [&] {
        std::vector<std::size_t> offsets;
        for (int i = 0; i < 6; ++i) offsets.push_back(random() % size);
        std::sort(offsets.begin(), offsets.end());
        return offsets;
    };
    const auto is_private = [&](const char* address) { return !memory.is_all_shared(address, 1); };
    for (std::uint32_t round = 0; round < 30; ++round) {
        std::vector<char> heap(size);
        char* from = static_cast<char*>(memory.allocate_partial(2 * round, size, shape()));
        char* to = static_cast<char*>(memory.allocate_partial(2 * round + 1, size, shape()));
        if (round % 5 == 0) from = heap.data();
        if (round % 5 == 1) to = heap.data();
        ASSERT_TRUE(from != nullptr && to != nullptr);
        for (Bytes i = 0; i < size; ++i) {
            if (is_private(to + i)) to[i] = 0;
            if (is_private(from + i)) from[i] = 1;
        }
        const Bytes begin = random() % size;
        const Bytes length = random() % (size - begin);
        memory.copy(to + begin, from + begin, length);
        for (Bytes i = 0; i < size; ++i) {
            if (!is_private(to + i)) continue;
            const bool copied = i >= begin && i < begin + length && is_private(from + i);
            ASSERT_EQ(to[i], copied ? 1 : 0) << round << ' ' << i;
        }
    }
    char* const common = static_cast<char*>(memory.allocate(0, size));
    std::vector<char> mine(size, 3);
    common[0] = 9;
    memory.copy(mine.data(), common, size);
    EXPECT_EQ(mine[0], 3);
    memory.copy(common, mine.data(), size);
    EXPECT_EQ(common[0], 9);
    EXPECT_TRUE(memory.is_all_shared(common, size));
    EXPECT_FALSE(memory.is_all_shared(mine.data(), size));
}

// Forty MiB with 8 KiB of the rank's own in the middle, asked piece by piece.
TEST(EmulateFolded, FindsPrivateRangesInLargeBlocks) {
    FoldedMemory memory;
    const std::vector<std::size_t> shared{0, 17 * mib, 17 * mib + 8192, 40 * mib};
    const auto* const block = static_cast<const char*>(memory.allocate_partial(3, 40 * mib, shared));
    ASSERT_NE(block, nullptr);
    constexpr Bytes around = 8192; // whole pages, from where the block begins
    for (Bytes from = 0; from < 40 * mib; from += mib / 2) {
        for (const Bytes bytes : {Bytes{1}, mib / 4, mib, 5 * mib, 40 * mib - from}) {
            if (from + bytes > 40 * mib) continue;
            const bool reaches = from < 17 * mib + 8192 && from + bytes > 17 * mib;
            const bool near = from < 17 * mib + 8192 + around && from + bytes + around > 17 * mib;
            if (near && !reaches) continue;
            EXPECT_EQ(memory.is_all_shared(block + from, bytes), !reaches) << from << ' ' << bytes;
        }
    }
    EXPECT_FALSE(memory.is_all_shared(block, ~Bytes{0} / 2)); // a wrong count is no harm
    EXPECT_TRUE(memory.is_all_shared(block, 0));
}

} // namespace
} // namespace orrery::emulate::folded_test
