// What the ranks do, kept as the actions of a trace: `orrery run --trace`.
//
// It stays in memory until the run is over, about 100 bytes for each call.
#pragma once

#include "workload/action.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace orrery::emulate {

// Computations are logged in picoseconds: this many units of volume a second.
inline constexpr double logged_rate = 1e12;

class ActionLog final : public ActionSource {
  public:
    explicit ActionLog(std::uint32_t ranks, std::string program)
        : ranks_(ranks), program_(std::move(program)) {}

    void add(std::uint32_t rank, Action action, std::span<const Bytes> counts = {});
    // Numbers for requests and communicators of a rank; those of requests are used again.
    std::uint32_t new_request(std::uint32_t rank);
    void free_request(std::uint32_t rank, std::uint32_t number) { ranks_[rank].free.push_back(number); }
    std::uint32_t new_communicator(std::uint32_t rank) { return ++ranks_[rank].communicators; }

    // The trace, once.
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
    };
    std::vector<RankLog> ranks_;
    std::string program_;
};

} // namespace orrery::emulate
