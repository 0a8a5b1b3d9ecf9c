// The loop of a replay: strands that perform actions and steps until they have to wait.
//
// Cost: an action that need not wait costs a switch and, for messages, a match; one that waits costs an event
// more. The four parts: replayer.cpp (the loop, waiting), replayer_actions.cpp (actions of the trace),
// replayer_communicators.cpp (communicators and neighbours), replayer_collectives.cpp (steps of collective
// algorithms).
#pragma once

#include "mpi/clock.h"
#include "mpi/host_cpus.h"
#include "mpi/messenger.h"
#include "mpi/replay.h"
#include "mpi/strand.h"
#include "workload/communicators.h"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace orrery {

class Replayer {
  public:
    Replayer(std::vector<ReplayJob> jobs, const Platform& platform, Network& network,
             const ReplayOptions& options);
    ReplayPrediction run();

  private:
    enum class Outcome : std::uint8_t {
        done,    // go on to the next
        blocked, // come back when the strand is resumed
        again,   // something else first (a collective), then come back
    };

    // The loop.
    void go(std::uint32_t strand);
    bool fetch(std::uint32_t rank);
    void drain();
    void on_complete(RequestId id);
    void account(RankReplay& rank, CallKind kind);
    void finish_action(std::uint32_t rank);

    // Waiting. A wait is: begin, add each request, end; `end` says whether the strand may go on at once.
    void begin_wait(Strand& strand);
    void add_wait(Strand& strand, RequestId id);
    Outcome end_wait(Strand& strand);
    Outcome sleep_until(Strand& strand, Time time);
    // A rank fetches messages one after the other while it is in a call that waits, or has ended.
    void start_fetch(std::uint32_t rank);
    void end_fetch(RequestId send);
    [[nodiscard]] bool in_call(std::uint32_t rank) const;
    void resume(Strand& strand);

    // Messages of actions and steps alike; `phase` is kept by the caller from call to call.
    Outcome send(Strand& strand, std::uint8_t& phase, const Messenger::Message& message, bool blocking,
                 bool synchronous, RequestId* request);
    Outcome receive(Strand& strand, std::uint8_t& phase, const Messenger::Message& message);
    Outcome exchange(Strand& strand, std::uint8_t& phase, const Messenger::Message& out,
                     const Messenger::Message& in);
    Outcome compute(Strand& strand, double volume);

    // Actions.
    Outcome perform(Strand& strand, const Action& action);
    Outcome perform_wait(Strand& strand, RankReplay& rank, const Action& action);
    Outcome perform_choice(Strand& strand, RankReplay& rank, const Action& action);
    Outcome perform_test(Strand& strand, RankReplay& rank, const Action& action);
    Outcome perform_probe(Strand& strand, RankReplay& rank, const Action& action);
    Outcome perform_collective(Strand& strand, RankReplay& rank, const Action& action);
    Outcome perform_communicator(Strand& strand, RankReplay& rank, const Action& action);
    void create_communicator(const Strand& strand, RankReplay& rank, const Action& action);
    void perform_neighbours(const Strand& strand, RankReplay& rank, const Action& action);
    void check_neighbours(const Strand& strand, const Membership& member, const Action& action);
    std::span<const Bytes> counts(const Strand& strand, const Action& action) const;
    Messenger::Message message(const Strand& strand, const Action& action, std::uint32_t peer, Bytes bytes,
                               bool outgoing);
    RequestId& slot(RankReplay& rank, std::uint32_t number);
    Membership& membership(RankReplay& rank, const Action& action);
    std::uint32_t peer_of(RankReplay& rank, const Action& action, std::uint32_t peer);

    // Collectives.
    std::uint32_t start_collective(Strand& strand, Membership& member, CollectiveCall call, bool nonblocking,
                                   std::uint64_t line);
    void spawn(RankReplay& rank, const Action& action, Membership& member, CollectiveCall call);
    Outcome advance_collective(Strand& strand);
    Outcome perform_step(Strand& strand, CollectiveRun& run, const Step& step);
    void end_strand(Strand& strand);

    [[noreturn]] void fail(std::uint32_t rank, const Action& action, const std::string& reason) const;
    [[noreturn]] void explain_deadlock();
    std::string place(std::uint32_t rank, std::uint64_t line) const;
    std::string blocked_on(std::uint32_t rank, std::span<const RequestId> pending,
                           std::vector<std::uint32_t>& waits_for) const;
    ReplayPrediction prediction();

    std::vector<ReplayJob> jobs_;
    std::vector<std::uint32_t> first_rank_; // of each job
    const Platform& platform_;
    Network& network_;
    const ReplayOptions& options_;
    std::vector<HostId> hosts_; // per rank, all jobs counted through
    Clock clock_;
    HostCpus cpus_;
    Messenger messenger_;
    Communicators communicators_;
    std::vector<RankReplay> ranks_;
    std::deque<Strand> strands_; // never move; the first ones are the main strands of the ranks
    std::vector<std::uint32_t> free_strands_;
    std::vector<CollectiveRun> runs_;
    std::vector<std::uint32_t> free_runs_;
    std::vector<std::uint32_t> probers_; // per rank: a strand that waits for a message to look at
    std::vector<TransferId> arrived_;
    std::uint64_t actions_ = 0;
    std::uint32_t failed_tests_ = 0; // in a row, of all ranks: SMPI's tests get slower
    std::uint32_t unfinished_ = 0;
};

} // namespace orrery
