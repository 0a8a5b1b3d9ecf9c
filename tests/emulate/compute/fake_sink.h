// Where the time of computation goes in tests: it is added up, for each of a few ranks.
#pragma once

#include "emulate/compute/compute.h"
#include "engine/error.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace orrery::emulate::test {

class FakeSink final : public TimeSink {
  public:
    explicit FakeSink(std::size_t ranks = 1) : states_(ranks), busy(ranks), flops(ranks) {}
    void compute(Time time) override {
        busy[present] += time;
        ++injections;
    }
    void compute_volume(double volume) override {
        flops[present] += volume;
        ++injections;
    }
    Time duration(double volume) override { return Time::from_ps(volume * 1e3); }
    ComputeState& state() override { return states_[present]; }
    std::uint32_t rank() override { return static_cast<std::uint32_t>(present); }
    std::uint64_t place(const void* address) override { return reinterpret_cast<std::uintptr_t>(address); }
    [[noreturn]] void refuse(const std::string& words) override { throw InputError(words); }
    [[noreturn]] void fail(const std::string& words) override { throw std::runtime_error(words); }

  private:
    std::vector<ComputeState> states_;

  public:
    std::size_t present = 0; // the rank that runs
    std::vector<Time> busy;
    std::vector<double> flops;
    int injections = 0;
};

} // namespace orrery::emulate::test
