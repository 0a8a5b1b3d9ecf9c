// A Dimemas trace must be read or refused; what was read can be simulated, written and replayed, or is refused.
#include "drivers/dimemas/simulate.h"
#include "engine/error.h"
#include "formats/dimemas_trace.h"
#include "memory_file.h"

#include <cstddef>
#include <cstdint>

using namespace orrery;

namespace {

dimemas::Configuration machine() {
    dimemas::Configuration machine;
    machine.clusters.emplace_back().nodes = 2;
    machine.clusters[0].ps_per_byte = 10;
    machine.clusters[0].buses = 1;
    dimemas::Node node;
    node.latency = Time::us(1);
    node.intra_ps_per_byte = 1;
    node.links = {1, 0};
    node.intra = {1, 0};
    machine.nodes.assign(2, node);
    machine.modules = {{7, 7, 2.0}};
    machine.placement.kind = dimemas::Placement::Kind::interleaved;
    return machine;
}

template <typename Work> void or_refuse(Work&& work) {
    try {
        work();
    } catch (const InputError&) {
    } catch (const SimulationError&) { // a deadlock
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzzing::MemoryFile file(data, size);
    or_refuse([&] {
        const DimemasTrace trace = DimemasTrace::open(file.path());
        if (trace.file().threads() > 1000) return;
        or_refuse([&] { (void)dimemas::simulate(trace.file(), machine()); });
        const auto source = trace.source();
        for (std::uint32_t rank = 0; rank < source->ranks(); ++rank) {
            for (std::span<const Action> window; !(window = source->next(RankId{rank})).empty();) {
                for (const Action& action : window) (void)source->counts(RankId{rank}, action);
            }
        }
        (void)trace.notes();
    });
    return 0;
}
