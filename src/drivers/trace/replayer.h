// The replay of traces: the main fiber of each rank performs the actions of its trace.
//
// Four parts: replayer.cpp (windows of the traces, what is told about actions), replayer_actions.cpp (what
// each action does), replayer_communicators.cpp (communicators and neighbours), replayer_windows.cpp (one-sided
// communication).
#pragma once

#include "drivers/trace/replay.h"
#include "protocol/rank_engine.h"
#include "results/call_counts.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace orrery {

class Replayer final : public RankEngine {
  public:
    Replayer(std::vector<ReplayJob> jobs, const Platform& platform, Network& network,
             const ReplayOptions& options);
    ReplayPrediction run();

  private:
    struct TraceRank {
        const Action* at = nullptr; // the present action
        const Action* end = nullptr;
        std::uint32_t job = 0;
        std::vector<RequestId> requests; // by number in the trace
        Memberships communicators;
        std::vector<std::uint32_t> compared; // communicators, by index, in which the neighbours fit each other
        std::unique_ptr<std::map<std::uint32_t, RequestId>> taken; // messages that a probe has taken, by number
    };

    void go_on(Fiber& fiber) override;
    [[nodiscard]] std::string place(std::uint32_t rank, std::uint64_t line) const override;
    [[nodiscard]] std::string present_call(std::uint32_t rank) const override;
    bool fetch(std::uint32_t rank);
    void finish_action(std::uint32_t rank);
    void account_call(std::uint32_t rank, std::size_t number);

    Outcome perform(Fiber& fiber, const Action& action);
    Outcome perform_compute(Fiber& fiber, std::uint8_t& phase, double volume);
    Outcome perform_pause(Fiber& fiber, const Action& action);
    Outcome perform_await(Fiber& fiber, TraceRank& rank, const Action& action);
    Outcome perform_wait(Fiber& fiber, TraceRank& rank, const Action& action);
    Outcome perform_choice(Fiber& fiber, TraceRank& rank, const Action& action);
    Outcome perform_test(Fiber& fiber, TraceRank& rank, const Action& action);
    Outcome perform_irecv(Fiber& fiber, TraceRank& rank, const Action& action);
    Outcome perform_probe(Fiber& fiber, const Action& action);
    Outcome perform_collective(Fiber& fiber, TraceRank& rank, const Action& action);
    Outcome perform_aside(Fiber& fiber, TraceRank& rank, const Action& action);
    Outcome perform_window(Fiber& fiber, TraceRank& rank, const Action& action);
    void check_window(const Fiber& fiber, TraceRank& rank, const WindowMember& own, const Action& action);
    Outcome perform_communicator(Fiber& fiber, TraceRank& rank, const Action& action);
    void leave(TraceRank& rank, std::uint32_t name);
    void create_communicator(const Fiber& fiber, TraceRank& rank, const Action& action);
    void perform_neighbours(const Fiber& fiber, TraceRank& rank, const Action& action);
    void check_neighbours(const Fiber& fiber, TraceRank& rank, const Membership& member);
    std::span<const Bytes> counts(const Fiber& fiber, const Action& action) const;
    Messenger::Message message(const Fiber& fiber, const Action& action, std::uint32_t peer, Bytes bytes,
                               bool outgoing);
    RequestId& slot(TraceRank& rank, std::uint32_t number);
    Membership& membership(TraceRank& rank, const Action& action);
    std::uint32_t peer_of(TraceRank& rank, const Action& action, std::uint32_t peer);
    [[noreturn]] void fail(std::uint32_t rank, const Action& action, const std::string& reason) const;

    std::vector<ReplayJob> jobs_;
    std::vector<std::uint32_t> first_rank_; // of each job
    std::vector<TraceRank> traces_;         // per rank, all jobs counted through
    CallCounts counts_{};
};

} // namespace orrery
