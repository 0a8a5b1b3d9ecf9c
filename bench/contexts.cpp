// What a pair of switches costs, to a rank and back, by the number of ranks. Beyond a thousand the tops of the
// stacks do not stay in the first caches, beyond ten thousand their address translations miss too.
#include "emulate/context/context.h"

#include <cstdio>
#include <ctime>
#include <vector>

using namespace orrery::emulate;

namespace {

Context scheduler;
std::vector<Context> ranks;

void body(void* argument) {
    Context& mine = *static_cast<Context*>(argument);
    for (;;) {
        char frame[512]; // what the calls of a rank touch of its stack
        frame[0] = 1;
        frame[256] = 1;
        asm volatile("" : : "r"(static_cast<char*>(frame)) : "memory");
        Context::swap(mine, scheduler);
    }
}

double seconds() { // of processor time: others may run beside
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void measure(std::uint32_t count, Stacks::Guards guards) {
    const Stacks stacks(count, Stacks::usual, guards);
    ranks.assign(count, Context());
    for (std::uint32_t i = 0; i < count; ++i) ranks[i] = Context(stacks[i], body, &ranks[i]);
    for (auto& rank : ranks) Context::swap(scheduler, rank);
    const std::uint32_t rounds = 4'000'000 / count;
    const double start = seconds();
    for (std::uint32_t round = 0; round < rounds; ++round)
        for (auto& rank : ranks) Context::swap(scheduler, rank);
    const double took = seconds() - start;
    std::printf("%6u ranks, %s: %6.1f ns a pair of switches\n", count,
                stacks.guarded() ? "guard pages" : "checked    ", took * 1e9 / rounds / count);
}

} // namespace

int main() {
    for (const std::uint32_t count : {2U, 64U, 1024U, 4096U, 8000U})
        measure(count, Stacks::Guards::when_possible);
    for (const std::uint32_t count : {64U, 4096U, 16384U, 65536U}) measure(count, Stacks::Guards::never);
}
