// The bursts of computation of a timed trace: exact ones for a replay, and how long they took.
#pragma once

#include "formats/ort/recorded_trace.h"
#include "machine/platform.h"
#include "results/replay_prediction.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace orrery {

// A trace whose bursts last what they lasted when it was recorded (section 5.2.2 of the paper on
// time-independent traces): the volume of each is its duration times the rate of its host. All else is as
// recorded.
class ExactComputation final : public ActionSource {
  public:
    // `rates`: of each rank's host, in volume per second, whatever the size of a burst.
    ExactComputation(std::unique_ptr<RecordedTrace::TimedSource> trace, std::vector<double> rates);

    [[nodiscard]] std::uint32_t ranks() const override { return trace_->ranks(); }
    std::span<const Action> next(RankId rank) override;
    [[nodiscard]] std::span<const Bytes> counts(RankId rank, const Action& action) const override;
    [[nodiscard]] std::string file(RankId rank) const override { return trace_->file(rank); }

  private:
    std::unique_ptr<RecordedTrace::TimedSource> trace_;
    std::vector<double> rates_;
    std::vector<std::vector<Action>> windows_; // per rank, what next() gave last
};

using KindSeconds = std::array<double, call_kinds>;

// Bursts of about the same length, and whether the machine's rates suit them.
struct BurstClass {
    double below = 0; // seconds: shorter than this; the last class has no bound (infinity)
    std::uint64_t bursts = 0;
    double seconds = 0;   // that they took
    double predicted = 0; // that they take on the machine
};
inline constexpr std::size_t burst_classes = 4;

// Where the time of a traced run went: means over ranks, in seconds, by kind of call.
struct TracedTimes {
    KindSeconds by_kind{};
    std::uint64_t calls = 0;                        // of all ranks
    std::array<BurstClass, burst_classes> bursts{}; // of all ranks
    [[nodiscard]] double outside() const;           // of MPI
    [[nodiscard]] double inside() const;
};
// Reads the whole trace. `hosts`: where each rank runs on the platform. `rate`: of all bursts, in volume per
// second; 0: the speeds of the hosts.
TracedTimes traced_times(RecordedTrace::TimedSource& trace, const Platform& platform,
                         std::span<const HostId> hosts, double rate = 0);

double outside_mpi(const KindSeconds& by_kind);
double inside_mpi(const KindSeconds& by_kind);
// The same of a prediction.
KindSeconds mean_seconds(const std::vector<CallTimes>& calls);

} // namespace orrery
