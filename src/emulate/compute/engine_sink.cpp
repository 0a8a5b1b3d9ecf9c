#include "emulate/compute/engine_sink.h"

#include "emulate/engine.h"

namespace orrery::emulate {

void EngineSink::compute(Time busy) { engine().compute(busy); }
void EngineSink::compute_volume(double flops) { engine().compute_volume(flops); }

ComputeState& EngineSink::state() {
    Rank& rank = self();
    if (!rank.compute) rank.compute = std::make_unique<ComputeState>();
    return *rank.compute;
}

void EngineSink::fail(const std::string& words) { engine().abort(1, words); }

} // namespace orrery::emulate
