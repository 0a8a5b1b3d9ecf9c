#include "mpi_library/engine_sink.h"

#include "emulate/program/instance.h"
#include "engine/error.h"
#include "mpi_library/engine.h"

#include <fmt/format.h>

namespace orrery::emulate {

void EngineSink::compute(Time busy) { engine().compute(busy); }
void EngineSink::compute_volume(double flops) { engine().compute_volume(flops); }

Time EngineSink::duration(double flops) {
    try {
        return engine().duration_of(flops);
    } catch (const SimulationError&) {
        return Time::max(); // longer than any run
    }
}

ComputeState& EngineSink::state() {
    Rank& rank = self();
    if (!rank.compute) rank.compute = std::make_unique<ComputeState>();
    return *rank.compute;
}

std::uint32_t EngineSink::rank() { return self().index; }

// With a copy of the program for each rank its code has other addresses in each.
std::uint64_t EngineSink::place(const void* address) {
    constexpr std::uint64_t largest_program = std::uint64_t{1} << 31U;
    const auto raw = reinterpret_cast<std::uintptr_t>(address);
    if (raw == 0 || self().instance == nullptr) return raw;
    const std::uint64_t offset = raw - reinterpret_cast<std::uintptr_t>(self().instance->base());
    return offset < largest_program ? offset : raw;
}

void EngineSink::refuse(const std::string& words) {
    engine().abort(1, std::make_exception_ptr(InputError(words)));
}

void EngineSink::fail(const std::string& words) {
    engine().abort(1, fmt::format("rank {}: {}", self().index, words));
}

} // namespace orrery::emulate
