#include "emulate/memory/allocation.h"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <orrery/emulate.h>
#include <string_view>

namespace orrery::emulate::allocation_test {
namespace {

std::uint32_t running = 0;
std::uint32_t who() { return running; }

template <typename F> F* bound(std::string_view name) {
    for (const Symbol& each : memory_symbols()) {
        if (name == each.name) return reinterpret_cast<F*>(each.address);
    }
    for (const Symbol& each : new_symbols()) {
        if (name == each.name) return reinterpret_cast<F*>(each.address);
    }
    ADD_FAILURE() << name;
    return nullptr;
}

TEST(EmulateAllocation, BlocksAboveTheLimitAreFolded) {
    ProgramMemory memory(1 << 20, who);
    auto* const make = bound<void*(std::size_t)>("malloc");
    auto* const zeroed = bound<void*(std::size_t, std::size_t)>("calloc");
    auto* const remake = bound<void*(void*, std::size_t)>("realloc");
    auto* const drop = bound<void(void*)>("free");
    auto* const aligned = bound<int(void**, std::size_t, std::size_t)>("posix_memalign");
    auto* const usable = bound<std::size_t(void*)>("malloc_usable_size");

    void* const small = make((1 << 20) - 1);
    EXPECT_FALSE(is_folded(small));
    void* const large = make(1 << 20);
    EXPECT_TRUE(is_folded(large));
    EXPECT_EQ(usable(large), std::size_t{1} << 20);
    drop(small);
    drop(large);
    drop(nullptr);

    int* numbers = static_cast<int*>(zeroed(4, sizeof(int)));
    EXPECT_EQ(numbers[3], 0);
    numbers[3] = 7;
    numbers = static_cast<int*>(remake(numbers, 2 << 20)); // private to folded
    EXPECT_TRUE(is_folded(numbers));
    EXPECT_EQ(numbers[3], 7);
    numbers = static_cast<int*>(remake(numbers, 3 << 20));
    EXPECT_TRUE(is_folded(numbers));
    EXPECT_EQ(usable(numbers), std::size_t{3} << 20);
    numbers[3] = 8;
    numbers = static_cast<int*>(remake(numbers, 64)); // and back
    EXPECT_FALSE(is_folded(numbers));
    EXPECT_EQ(numbers[3], 8);
    drop(numbers);
    EXPECT_TRUE(is_folded(zeroed(1024, 1024)));
    EXPECT_EQ(zeroed(~std::size_t{0}, 2), nullptr);

    void* block = nullptr;
    EXPECT_EQ(aligned(&block, 64, 1 << 21), 0);
    EXPECT_TRUE(is_folded(block));
    drop(block);
    EXPECT_EQ(aligned(&block, 1 << 21, 1 << 21), 0); // more than a page: not folded
    EXPECT_FALSE(is_folded(block));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % (1 << 21), 0U);
    drop(block);

    void* const object = bound<void*(std::size_t)>("_Znam")(1 << 21);
    EXPECT_TRUE(is_folded(object));
    bound<void(void*)>("_ZdaPv")(object);
}

TEST(EmulateAllocation, AskedFor) {
    EXPECT_FALSE(is_folded(&running));
    ProgramMemory memory(~Bytes{0}, who);
    running = 0;
    void* const mine = ORRERY_SHARED_MALLOC(5000);
    running = 1;
    void* const yours = ORRERY_SHARED_MALLOC(5000);
    EXPECT_EQ(mine, yours);
    EXPECT_TRUE(is_all_shared(mine, 5000));
    const size_t offsets[] = {0, 1 << 20, (1 << 20) + 64, 2 << 20};
    char* const panel = static_cast<char*>(ORRERY_PARTIAL_SHARED_MALLOC(2 << 20, offsets, 2));
    ASSERT_TRUE(is_folded(panel));
    EXPECT_TRUE(is_all_shared(panel, 4096));
    EXPECT_TRUE(orrery_is_shared(panel));
    EXPECT_FALSE(orrery_is_shared(panel + (1 << 20)));
    EXPECT_FALSE(orrery_is_shared(&running));
    EXPECT_FALSE(is_all_shared(panel, 2 << 20));
    ORRERY_SHARED_FREE(panel);
    bound<void(void*)>("free")(yours);
    running = 0;
    ORRERY_SHARED_FREE(mine);
    char text[] = "abc";
    char other[] = "xyz";
    copy_bytes(other, text, sizeof text);
    EXPECT_STREQ(other, "abc");
    EXPECT_DEATH(ORRERY_SHARED_FREE(mine), "freed before");
}

} // namespace
} // namespace orrery::emulate::allocation_test
