#include "machine/machine_limits.h"

#include <utility>

namespace orrery {

namespace {

MachineLimits& present_limits() {
    static MachineLimits limits;
    return limits;
}

} // namespace

const MachineLimits& machine_limits() { return present_limits(); }

LoweredMachineLimits::LoweredMachineLimits(const MachineLimits& limits)
    : before_(std::exchange(present_limits(), limits)) {}
LoweredMachineLimits::~LoweredMachineLimits() { present_limits() = before_; }

} // namespace orrery
