// Which event queue? The hold model: n events are in the queue; each step takes the earliest and puts one back
// at a random time ahead. Distributions: what simulations do (constant steps make ties, as in a symmetric
// collective; two steps, as overhead and latency make them; exponential and uniform, as traces do).
//
//   build/release/bench/event_queue
#include "engine/random.h"
#include "rival_queues.h"

#include <benchmark/benchmark.h>

namespace orrery::bench {
namespace {

enum Steps { constant, two, uniform, exponential };

Time step(const RandomStream& random, Steps steps, std::uint64_t n) {
    switch (steps) {
    case constant: return Time::ns(4000);
    case two: return n % 2 == 0 ? Time::ns(1500) : Time::ns(4000);
    case uniform: return Time::ps(static_cast<std::int64_t>(random.below(n, 8'000'000)));
    case exponential: break;
    }
    return Time::from_ps(random.exponential(n, 4e6));
}

template <typename Queue> void hold(benchmark::State& state) {
    const auto events = static_cast<std::uint64_t>(state.range(0));
    const auto steps = static_cast<Steps>(state.range(1));
    const RandomStream random(1, events);
    Queue queue;
    std::uint64_t order = 0;
    for (; order < events; ++order)
        queue.push({step(random, steps, order), order, static_cast<std::uint32_t>(order), 0});
    for (auto _ : state) {
        Event event = queue.pop();
        event.time += step(random, steps, order);
        event.order = order++;
        queue.push(event);
    }
    state.SetItemsProcessed(state.iterations());
    static constexpr const char* names[] = {"constant", "two", "uniform", "exponential"};
    state.SetLabel(names[steps]);
}

void cases(benchmark::internal::Benchmark* benchmark) {
    for (const std::int64_t events : {1 << 10, 1 << 15, 1 << 20}) {
        for (const Steps steps : {constant, two, uniform, exponential}) benchmark->Args({events, steps});
    }
}

BENCHMARK(hold<EventQueue>)->Apply(cases)->Name("radix+run");
BENCHMARK(hold<BinaryHeap>)->Apply(cases)->Name("binary heap");
BENCHMARK(hold<FourHeap>)->Apply(cases)->Name("4-ary heap");
BENCHMARK(hold<CalendarQueue>)->Apply(cases)->Name("calendar");

} // namespace
} // namespace orrery::bench

BENCHMARK_MAIN();
