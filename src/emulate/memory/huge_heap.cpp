#include "emulate/memory/huge_heap.h"

#include <fstream>
#include <malloc.h>
#include <string>
#include <sys/mman.h>

namespace orrery::emulate {

namespace {

constexpr std::uintptr_t huge_page = std::uintptr_t{2} << 20;
constexpr int collapse = 25; // MADV_COLLAPSE, Linux 6.1: what is there already, at once

} // namespace

void HugeHeap::begin() {
    mallopt(M_TOP_PAD, 16 << 20);
    mallopt(M_MMAP_THRESHOLD, 32 << 20); // where it would go by itself, as blocks are freed
}

HugeHeap::HugeHeap() {
    begin();
    std::ifstream maps("/proc/self/maps");
    for (std::string line; done_ == 0 && std::getline(maps, line);) {
        if (line.ends_with("[heap]")) done_ = std::stoull(line, nullptr, 16);
    }
    done_ = (done_ + huge_page - 1) / huge_page * huge_page;
    ask();
}

void HugeHeap::ask() {
    seen_ = sbrk(0);
    const auto end = reinterpret_cast<std::uintptr_t>(seen_) / huge_page * huge_page;
    if (done_ != 0 && end > done_) {
        auto* const from = reinterpret_cast<void*>(done_);
        (void)madvise(from, end - done_, MADV_HUGEPAGE);
        (void)madvise(from, end - done_, collapse);
    }
    if (done_ != 0) done_ = end;
}

} // namespace orrery::emulate
