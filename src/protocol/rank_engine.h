// What a rank can do, whoever drives it: send, receive, wait, compute, take part in collectives.
//
// A fiber does one thing after the other; each rank has a main fiber, and a nonblocking collective runs in
// one of its own beside it. The driver says what main fibers do (`go_on`): the replayer lets them perform the
// actions of a trace (replayer.h), the emulator lets the application itself run (mpi_library/engine.h). Both
// get the same times for the same calls, because everything that takes time is here.
//
// An operation that may have to wait returns `blocked`; the driver calls it again, with the same `phase`, when
// the fiber goes on. Cost: an operation that need not wait costs, for messages, a match; one that waits costs
// an event more.
//
// Six parts: rank_engine.cpp (the loop, waiting), rank_engine_messages.cpp (messages, computing),
// rank_engine_collectives.cpp (steps of collective algorithms), rank_engine_windows.cpp (one-sided
// communication), rank_engine_cpus.cpp (CPUs that take messages while they have nothing else to do),
// rank_engine_turns.cpp (CPUs with interfaces, which take messages as they come: LogGOPS).
#pragma once

#include "engine/pool.h"
#include "machine/platform.h"
#include "network/network.h"
#include "protocol/clock.h"
#include "protocol/collective_counts.h"
#include "protocol/event_writer.h"
#include "protocol/fiber.h"
#include "protocol/host_cpus.h"
#include "protocol/messenger.h"
#include "protocol/rank_cpus.h"
#include "protocol/replay_options.h"
#include "protocol/windows.h"
#include "workload/communicators.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace orrery {

class RankEngine {
  public:
    RankEngine(const RankEngine&) = delete;
    RankEngine& operator=(const RankEngine&) = delete;

  protected:
    enum class Outcome : std::uint8_t {
        done,    // go on to the next
        blocked, // come back when the fiber goes on
        again,   // something else first (a collective), then come back
    };

    // Who pays for a message that is received: the CPU that takes it while it has nothing else to do, or the
    // wait for it (SMPI).
    enum class Receiving : std::uint8_t { by_cpu, in_wait };
    static Receiving receiving_of(const EndpointParameters& endpoint) {
        return endpoint.matching == Matching::at_arrival ? Receiving::by_cpu : Receiving::in_wait;
    }

    // `hosts`: where each rank runs. `payloads`: who moves the bytes of messages; null: nobody.
    RankEngine(const Platform& platform, Network& network, const ReplayOptions& options,
               std::vector<HostId> hosts, Payloads* payloads, Receiving receiving, std::uint32_t cpus = 2);
    virtual ~RankEngine() = default;

    // The main fiber of a rank goes on, until it must wait or its rank is finished.
    virtual void go_on(Fiber& fiber) = 0;
    // Its turn comes in a few others': what it needs may be brought into the cache, in three stages, each of
    // which finds what the one before has brought. Nothing else.
    virtual void prepare(std::uint32_t rank, unsigned int stage);
    // Words for a place in the rank's trace (empty: there is none), and for the call that it is in.
    [[nodiscard]] virtual std::string place(std::uint32_t rank, std::uint64_t line) const = 0;
    [[nodiscard]] virtual std::string present_call(std::uint32_t rank) const = 0;
    // For the words of an interrupted run: ", when rank 3 was in MPI_Test".
    [[nodiscard]] virtual std::string last_words() const { return {}; }
    // About the data of a call, for ranks that differ: " (MPI_SUM of 4 bytes)".
    [[nodiscard]] virtual std::string collective_words(const Communicators::Call& call) const;
    // --- for a driver without fibers (drivers/graph/schedule_driver.h)
    // Its turn on the CPU has come; the CPU is free.
    virtual void begin_operation(RankCpu& cpu, const RankCpu::Waiting& operation);
    virtual void end_operation(std::uint32_t operation); // Clock::Kind::operation
    virtual void on_complete(RequestId id);              // a request that has a waiter
    virtual void on_take(const Request& /*request*/, Time /*begin*/, Time /*end*/) {}
    [[nodiscard]] virtual std::uint32_t taking_cpu(const Request& request) const;
    virtual void go(std::uint32_t fiber);
    virtual void end_computation(std::uint32_t fiber); // on a host whose ranks share its cores
    virtual void interrupted();
    virtual void check_ended(); // nothing is left to happen

    // A collective that moves data is about to perform `run.step`: says by what numbers the payloads of its
    // messages are known (`run.outgoing`, `run.incoming`), or works on the rank's own data.
    virtual void attach(CollectiveRun& run, const Fiber& fiber);
    virtual void end_collective(CollectiveRun& run);

    // The loop: until nothing is left to happen, or nothing before `stop_at_`. Throws SimulationError if
    // nothing is left but ranks that wait.
    void start(std::uint32_t rank, Time at);
    void run_to_end();
    void finish_rank(std::uint32_t rank);
    void drain();
    void account(std::uint32_t rank, CallKind kind);

    // Waiting. A wait is: begin, add each request, end; `end` says whether the fiber may go on at once.
    void begin_wait(Fiber& fiber);
    void add_wait(Fiber& fiber, RequestId id);
    Outcome end_wait(Fiber& fiber);
    Outcome sleep_until(Fiber& fiber, Time time);
    // The same, and it is that which the fiber does until then.
    Outcome spend(Fiber& fiber, Time until, EventKind what, Bytes bytes = 0, std::uint32_t peer = 0) {
        if (until <= clock_.now()) return Outcome::done;
        if (logs()) events_->passes(fiber.index, fiber.rank, what, clock_.now(), until, bytes, peer);
        return sleep_until(fiber, until);
    }
    // Until the request is done; it is known when.
    Outcome sleep_until_done(Fiber& fiber, RequestId id);
    // The same, in a call that takes messages meanwhile.
    Outcome pause_in_call(Fiber& fiber, Time until);
    void resume(Fiber& fiber);
    // The same because of what acts at present.
    void let_go_on(Fiber& fiber);
    void resume_at(Fiber& fiber, Time at);
    // The rank is in a call that waits, or has ended: its CPU takes messages.
    void take_messages(std::uint32_t rank);
    // CPUs that own nothing else begin what waits for them; what leaves at this instant leaves.
    void settle();
    void take_next(RankCpu& cpu);
    // Until when the rank's CPU takes a message; the present if it takes none.
    [[nodiscard]] Time taking_until(std::uint32_t rank) {
        const RankCpu* const cpu = rank_cpus_.find(rank, 0);
        return cpu != nullptr && cpu->taking ? cpu->taking_until : clock_.now();
    }
    // With what takes the rank's CPU so long otherwise.
    [[nodiscard]] Time prolonged(std::uint32_t rank, std::uint32_t cpu, Time begin, Time busy) {
        return options_.noise == nullptr ? busy : busy + options_.noise->delay(RankId{rank}, cpu, begin, busy);
    }
    // Whether an operation of the fiber may start now; otherwise it comes back when it may.
    bool starts(Fiber& fiber, bool takes_time) {
        return cpu_of(fiber) == 0 || !by_cpu_ || takes_turn(fiber, takes_time);
    }
    bool takes_turn(Fiber& fiber, bool takes_time);
    // Its CPU is busy for that long.
    Outcome work(Fiber& fiber, Time busy, EventKind what, Bytes bytes = 0, std::uint32_t peer = 0) {
        return busy == Time::zero() ? Outcome::done : do_work(fiber, busy, what, bytes, peer);
    }
    Outcome do_work(Fiber& fiber, Time busy, EventKind what, Bytes bytes, std::uint32_t peer);
    // Of a message that the fiber posts.
    void name_cpu(const Fiber& fiber, Messenger::Message& message) {
        constexpr unsigned posted_bits = 36;
        const std::uint32_t cpu = cpu_of(fiber);
        message.cpu = static_cast<std::uint8_t>(cpu);
        message.order = ++posted_;
        if (cpu != 0) message.order |= fiber.turn << posted_bits;
    }

    // Messages; `phase` begins as 0 and is kept by the caller from call to call.
    Outcome send(Fiber& fiber, std::uint8_t& phase, const Messenger::Message& message, bool blocking,
                 bool synchronous, RequestId* request);
    Outcome receive(Fiber& fiber, std::uint8_t& phase, const Messenger::Message& message);
    Outcome post_receive(Fiber& fiber, std::uint8_t& phase, const Messenger::Message& message,
                         RequestId* request);
    // Of a message that a probe has taken.
    RequestId receive_taken(const Fiber& fiber, RequestId send, Messenger::Message message);
    Outcome exchange(Fiber& fiber, std::uint8_t& phase, const Messenger::Message& out,
                     const Messenger::Message& in);
    // What a failed test or probe costs; then the caller tries again.
    Outcome failed_probe(Fiber& fiber);
    // The fiber waits until a message comes in that could be looked at.
    Outcome await_message(Fiber& fiber);
    // The same, but no longer than until then.
    Outcome timed_wait(Fiber& fiber, Time until);
    // Envelopes have come: who probes may see them.
    void tell_probers();
    void end_timed_wait(std::uint32_t rank) {
        if (probers_[rank] != nobody) let_go_on(fibers_[probers_[rank]]);
    }
    Outcome compute(Fiber& fiber, std::uint8_t& phase, Time busy);
    [[nodiscard]] Time busy_time(std::uint32_t rank, double volume, double rate) const;

    // Collectives. A blocking one: start it, then advance it until it is over. A nonblocking one returns what
    // is waited for; `volume` is computed at its end, at `rate`. `steps` are an algorithm of the caller's own;
    // none: one is chosen.
    std::uint32_t start_collective(Fiber& fiber, Membership& member, CollectiveCall call, bool nonblocking,
                                   std::uint64_t line, Steps steps = {});
    Outcome advance_collective(Fiber& fiber);
    Fiber& spawn(std::uint32_t rank, Membership& member, CollectiveCall call, std::uint64_t line,
                 Time computed_after, Steps steps = {});

    // One-sided communication. A fence is without the barrier that follows it.
    Outcome window_call(Fiber& fiber, std::uint8_t& phase, WindowMember& own, WindowCall call,
                        std::uint32_t target, std::uint32_t flags = 0, std::span<const Bytes> ranks = {});
    // What goes there and comes back; `memory` is for who moves it.
    Outcome one_sided(Fiber& fiber, std::uint8_t& phase, WindowMember& own, std::uint32_t target, Bytes bytes,
                      Bytes back, RequestId* request, void* memory = nullptr);

    // With what collectives amounted to; calls are the driver's.
    ReplayPrediction prediction();

    const Platform& platform_;
    Network& network_;
    const ReplayOptions& options_;
    std::vector<HostId> hosts_; // per rank
    Clock clock_;
    std::unique_ptr<EventWriter> events_; // null: no log
    HostCpus cpus_;
    Processors processors_; // with interfaces
    RankCpus rank_cpus_;    // without
    bool by_cpu_ = false;   // Receiving::by_cpu, without interfaces
    Messenger messenger_;
    Communicators communicators_;
    Windows windows_;
    std::vector<RankProgress> ranks_;
    Pool<Fiber, std::deque<Fiber>> fibers_; // never move; the first ones are the main fibers of the ranks
    std::vector<std::uint32_t> probers_;    // per rank: a fiber that waits for a message to probe
    std::uint64_t actions_ = 0;
    std::uint32_t failed_probes_ = 0; // in a row, of all ranks: SMPI's tests get slower
    std::uint32_t unfinished_ = 0;
    Time stop_at_ = Time::max();
    bool stopped_ = false;
    Pool<CollectiveRun, std::deque<CollectiveRun>> runs_; // never move
    CollectiveCounts collective_counts_;
    bool unreceived_is_error_ = true; // messages that nobody has received at the end

    // An event log is written, which is seldom.
    [[nodiscard]] bool logs() const { return __builtin_expect(static_cast<long>(events_ != nullptr), 0) != 0; }
    // With interfaces: what needs a CPU waits for its turn; see rank_engine_turns.cpp.
    [[nodiscard]] bool by_turns() const { return options_.endpoint.interfaces; }
    [[nodiscard]] std::uint32_t cpu_of(const Fiber& fiber) const { return fiber.index < ranks_.size() ? 0 : 1; }
    [[nodiscard]] bool is_done(RequestId id) const {
        const Request& request = messenger_.request(id);
        return request.is(Request::complete) && messenger_.done(request) <= clock_.now();
    }
    // When a request is done, if that is known.
    [[nodiscard]] Time known_end(RequestId id) const {
        const Request& request = messenger_.request(id);
        return request.is(Request::complete) ? messenger_.done(request) : Time::max();
    }
    bool acquire(const Fiber& fiber, Processors::Use use);
    bool passes(Time end);
    Outcome pass_to(Fiber& fiber, Time at);
    Outcome go_on_at(Fiber& fiber, Time at, Clock::Turn turn);
    // The fiber's CPU is taken for that time; one that computes shares the cores of its host.
    Outcome occupy(Fiber& fiber, std::uint8_t& phase, Time busy, bool computes = false);

  private:
    void dispatch(const Clock::Due& due);
    Outcome send_in_turn(Fiber& fiber, std::uint8_t& phase, Messenger::Message message, bool blocking,
                         bool synchronous, RequestId* request);
    Outcome exchange_in_turn(Fiber& fiber, std::uint8_t& phase, Messenger::Message out, Messenger::Message in);
    void plan_end_of_pause(Fiber& fiber, Time until);
    void end_pause(const Clock::Due& due);
    // Of a request that the fiber waits for, into the log: before `busy_until` grows by it.
    void add_completion(const Fiber& fiber, RequestId id, Time at) {
        if (logs()) log_completion(fiber, id, at);
    }
    void log_completion(const Fiber& fiber, RequestId id, Time at);
    void on_transferred();
    Outcome send_operations(Fiber& fiber, WindowMember& own);
    void settle(RankCpu& cpu);
    void end_take(RequestId request);
    [[nodiscard]] bool in_call(std::uint32_t rank) const { return fibers_[rank].mode != Fiber::Mode::going; }
    void count_message(const Fiber& fiber, const CollectiveRun& run);
    Outcome perform_step(Fiber& fiber, CollectiveRun& run, const Step& step);
    void end_fiber(Fiber& fiber);
    [[noreturn]] void explain_deadlock();
    Outcome exchange_by_cpu(Fiber& fiber, std::uint8_t& phase, const Messenger::Message& out,
                            const Messenger::Message& in);
    std::string blocked_on(std::uint32_t rank, std::span<const RequestId> pending,
                           std::vector<std::uint32_t>& waits_for) const;

    Payloads* payloads_;
    std::uint64_t spawned_ = 0; // nonblocking collectives
    std::uint64_t posted_ = 0;  // messages and receives
    bool waking_ = false;       // the one that goes on has waited for a CPU
    std::vector<TransferId> arrived_;
};

} // namespace orrery
