// The time of computation goes to the engine, in the name of the rank that runs.
#pragma once

#include "emulate/compute/compute.h"

namespace orrery::emulate {

class EngineSink final : public TimeSink {
  public:
    void compute(Time busy) override;
    void compute_volume(double flops) override;
    Time duration(double flops) override;
    ComputeState& state() override;
    std::uint32_t rank() override;
    std::uint64_t place(const void* address) override;
    [[noreturn]] void refuse(const std::string& words) override;
    [[noreturn]] void fail(const std::string& words) override;
};

} // namespace orrery::emulate
