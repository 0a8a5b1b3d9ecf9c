#include "emulate/memory/rank_memory.h"

#include <algorithm>
#include <malloc.h>
#include <sys/mman.h>
#include <vector>

namespace orrery::emulate {

namespace {

constexpr std::uint32_t most_asked_stacks = 4096;

std::uint64_t touched_bytes(const Stacks& stacks, std::uint32_t index) {
    std::vector<unsigned char> pages(stacks.bytes() / Stacks::page);
    if (::mincore(stacks[index].low, stacks.bytes(), pages.data()) != 0) return 0;
    const auto there =
        std::count_if(pages.begin(), pages.end(), [](unsigned char state) { return state & 1U; });
    return static_cast<std::uint64_t>(there) * Stacks::page;
}

} // namespace

std::uint64_t heap_bytes() {
    const struct mallinfo2 info = ::mallinfo2();
    return info.arena + info.hblkhd;
}

RankMemory rank_memory(const Stacks& stacks, std::uint64_t variables, std::uint64_t heap_before) {
    RankMemory memory;
    memory.variables = variables;
    const std::uint32_t ranks = std::max(stacks.count(), 1U);
    const std::uint32_t every = (ranks + most_asked_stacks - 1) / most_asked_stacks;
    std::uint64_t sum = 0;
    std::uint64_t asked = 0;
    for (std::uint32_t index = 0; index < stacks.count(); index += every, ++asked) {
        const std::uint64_t touched = touched_bytes(stacks, index);
        sum += touched;
        memory.stack_most = std::max(memory.stack_most, touched);
    }
    memory.stack_mean = asked > 0 ? sum / asked : 0;
    const std::uint64_t heap = heap_bytes();
    memory.heap_mean = heap > heap_before ? (heap - heap_before) / ranks : 0;
    return memory;
}

} // namespace orrery::emulate
