#include "emulate/memory/huge_heap.h"

#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace orrery::emulate::huge_heap_test {
namespace {

bool granted() {
    std::string modes;
    std::getline(std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"), modes);
    return modes.find("[madvise]") != std::string::npos || modes.find("[always]") != std::string::npos;
}

// Bytes of the heap for which the system has been asked for huge pages, from what it says of its mappings.
std::uint64_t asked_for() {
    std::uint64_t bytes = 0;
    std::uint64_t size = 0;
    bool heap = false;
    std::ifstream maps("/proc/self/smaps");
    for (std::string line; std::getline(maps, line);) {
        const std::size_t dash = line.find('-');
        if (const std::size_t space = line.find(' '); dash != std::string::npos && space > dash) {
            heap = line.ends_with("[heap]");
            size = std::stoull(line.substr(dash + 1), nullptr, 16) - std::stoull(line, nullptr, 16);
        }
        if (heap && line.starts_with("VmFlags:") && line.find(" hg") != std::string::npos) bytes += size;
    }
    return bytes;
}

TEST(HugeHeap, AsksForWhatTheHeapHasGrownBy) {
    void* const before = sbrk(0);
    HugeHeap heap;
    std::vector<std::unique_ptr<char[]>> blocks;
    for (int i = 0; i < 3000; ++i) {
        blocks.push_back(std::make_unique<char[]>(20'000));
        heap.follow();
    }
    if (sbrk(0) == before || !granted()) GTEST_SKIP() << "this computer grants no heap, or no huge pages";
    EXPECT_GE(asked_for(), std::uint64_t{50} << 20);
}

} // namespace
} // namespace orrery::emulate::huge_heap_test
