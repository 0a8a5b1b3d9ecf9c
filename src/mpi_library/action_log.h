// What the ranks do, as the actions of a trace: kept for `orrery run --trace`, or only the last of each rank,
// for observers of the run.
//
// What is kept stays in memory until the run is over, about 100 bytes for each call.
#pragma once

#include "engine/time.h"
#include "workload/action.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace orrery::emulate {

// Computations are logged in nanoseconds, as recorded traces have them: this many units of volume a second.
inline constexpr double logged_rate = 1e9;
inline double logged_volume(Time busy) { return busy.picoseconds() * 1e-3; }

class ActionLog final : public ActionSource {
  public:
    enum class Keep : std::uint8_t { all, last };
    explicit ActionLog(std::uint32_t ranks, std::string program, Keep keep = Keep::all)
        : ranks_(ranks), program_(std::move(program)), keep_(keep) {}

    void add(std::uint32_t rank, Action action, std::span<const Bytes> counts = {});
    // Time that the rank spent on something that a trace has no words for: its replay takes as long.
    // `most`, of a timed wait: how long it could have lasted.
    void pause(std::uint32_t rank, Time duration, Pause how, Time most = Time::zero());
    // The test or probe that was logged last, if any was, has succeeded.
    void test_succeeded(std::uint32_t rank);
    // Of a buffered send: it was logged that nobody would ask for it again, but it is about to be cancelled.
    void unforget(std::uint32_t rank, std::uint32_t request);

    // Numbers for requests and communicators of a rank; those of requests are used again.
    std::uint32_t new_request(std::uint32_t rank);
    void free_request(std::uint32_t rank, std::uint32_t number) { ranks_[rank].free.push_back(number); }
    std::uint32_t new_communicator(std::uint32_t rank) { return ++ranks_[rank].communicators; }

    // The last action since the rank's call began; null: there is none.
    [[nodiscard]] const Action* last(std::uint32_t rank) const {
        return ranks_[rank].has_last ? &ranks_[rank].last : nullptr;
    }
    void begin_call(std::uint32_t rank) { ranks_[rank].has_last = false; }

    // The trace, once; then again after `rewind`.
    void rewind();
    [[nodiscard]] std::uint32_t ranks() const override { return static_cast<std::uint32_t>(ranks_.size()); }
    std::span<const Action> next(RankId rank) override;
    [[nodiscard]] std::span<const Bytes> counts(RankId rank, const Action& action) const override;
    [[nodiscard]] std::string file(RankId rank) const override;

  private:
    struct RankLog {
        std::vector<Action> actions;
        std::vector<Bytes> counts;
        std::vector<std::uint32_t> free;
        std::uint32_t requests = 0;
        std::uint32_t communicators = 0;
        bool read = false;
        bool has_last = false;
        Action last;
    };
    std::vector<RankLog> ranks_;
    std::string program_;
    Keep keep_;
};

} // namespace orrery::emulate
