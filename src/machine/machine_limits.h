// How large a machine may be: a limit keeps a misplaced digit from eating the memory.
#pragma once

#include <cstdint>

namespace orrery {

struct MachineLimits {
    std::uint64_t hosts = 1U << 24U;
    std::uint64_t links = 250'000'000;
};

const MachineLimits& machine_limits();

// Tests that read machines with any numbers lower the limits while this lives: large machines take time and
// memory. Not while other threads read machines.
class LoweredMachineLimits {
  public:
    explicit LoweredMachineLimits(const MachineLimits& limits);
    ~LoweredMachineLimits();
    LoweredMachineLimits(const LoweredMachineLimits&) = delete;
    LoweredMachineLimits& operator=(const LoweredMachineLimits&) = delete;

  private:
    MachineLimits before_;
};

} // namespace orrery
