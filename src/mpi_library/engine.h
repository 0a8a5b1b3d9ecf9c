// The emulated machine as the ranks see it: simulated time, computing, messages, waiting.
//
// Everything under "on a rank's context" may switch away from it: when it returns, simulated time may have
// passed and other ranks have run. The same primitives serve the replay of traces (protocol/rank_engine.h), so
// that an emulated program takes exactly as long as the replay of its trace.
//
// Cost: an operation that need not wait is a function call; one that waits costs two switches of contexts.
#pragma once

#include "emulate/memory/huge_heap.h"
#include "emulate/rank.h"
#include "engine/time.h"
#include "function_ids.h"
#include "mpi_library/collective_data.h"
#include "mpi_library/payload.h"
#include "protocol/rank_engine.h"
#include "results/call_counts.h"

#include <array>
#include <cstdint>
#include <deque>
#include <exception>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace orrery::emulate {

class ActionLog;

class Engine final : public RankEngine {
  public:
    Engine(const Platform& platform, Network& network, const ReplayOptions& options, std::vector<HostId> hosts);
    ~Engine() override;

    // The whole run, on the context that calls: each rank runs on another one, its fiber.
    ReplayPrediction run();
    // The run ends then, with what has happened so far. Ranks that have not ended never go on.
    void stop_at(Time time) { stop_at_ = time; }
    [[nodiscard]] bool stopped() const { return stopped_; }
    // A program that was started by itself is the one rank, and runs now; `scheduler` executes run() for it.
    void run_beside(Context scheduler);
    // Called before each switch to a rank, if given.
    void on_switch(void (*called)(Rank& rank)) { on_switch_ = called; }

    // Grows with each call of MPI except unsuccessful tests and probes, and with each rank that ends.
    [[nodiscard]] std::uint64_t progress() const { return actions_ + size() - unfinished_ - idle_calls_; }
    [[nodiscard]] std::string present_call_of(std::uint32_t rank) const { return present_call(rank); }

    // State, readable from anywhere.
    [[nodiscard]] Time now() const { return clock_.now(); }
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(ranks_.size()); }
    [[nodiscard]] Rank& rank(std::uint32_t index) { return processes_[index]; }
    [[nodiscard]] HostId host(std::uint32_t index) const { return hosts_[index]; }
    [[nodiscard]] const Platform& platform() const { return platform_; }
    [[nodiscard]] const EndpointParameters& endpoint() const { return options_.endpoint; }
    [[nodiscard]] const CollectivePolicy& collectives() const { return options_.collectives; }
    Communicators& communicators() { return communicators_; }
    PayloadPool& payloads() { return payloads_; }
    [[nodiscard]] ActionLog* log() const { return log_; } // null: no trace is kept
    void keep_log(ActionLog* log) { log_ = log; }

    // On a rank's context: time.
    void compute(Time busy);           // on a core of the rank's host, as others there let it
    void compute_volume(double flops); // at the host's speed
    [[nodiscard]] Time duration_of(double flops) const { return busy_time(self().index, flops, 0); }
    void sleep(Time duration); // passes without computing
    // What a clock shows. Reading it takes a little time, so that a program that waits for a certain moment
    // reaches it. The rank runs ahead of the others by up to 1 us, so that a loop that does nothing else costs
    // few switches; pay_clock() lets the others catch up.
    Time read_clock();
    void pay_clock() {
        if (self().clock_reads != 0) pass_clock_reads();
    }
    [[noreturn]] void wait_forever(const char* call); // a deadlock within the rank

    // On a rank's context: blocks until another part of the emulator calls wake() for this rank, which may have
    // happened before; callers check again what they wait for. `call` names the MPI function, for the report of
    // a deadlock.
    void block(const char* call);
    void wake(std::uint32_t rank); // from anywhere

    // On a rank's context: one-sided communication. `memory` is passed to what `set_memory` has set.
    void set_memory(WindowMemory* memory) { windows_.use(memory); }
    WindowMember& window(const Membership& member) { return windows_.member(member); }
    void leave_window(const Membership& member) { windows_.leave(member); }
    void window_call(WindowMember& own, WindowCall call, std::uint32_t target, std::uint32_t flags = 0,
                     std::span<const Bytes> ranks = {});
    void one_sided(WindowMember& own, std::uint32_t target, Bytes bytes, Bytes back, RequestId* request,
                   void* memory);
    [[nodiscard]] bool holds(const WindowMember& own, WindowCall call) const {
        return windows_.holds(own, call, 0);
    }

    // On a rank's context: messages. `message.line` is the number of the payload.
    void send(const Messenger::Message& message, bool synchronous);
    RequestId isend(const Messenger::Message& message, bool synchronous);
    RequestId irecv(const Messenger::Message& message);
    void wait(std::span<const RequestId> requests); // for all; they are gone afterwards
    [[nodiscard]] bool done(RequestId request) const { return is_done(request); }
    // Until one of them is done or the rank is woken up: callers check again.
    void wait_any(std::span<const RequestId> requests);
    void pay_test();                // what an unsuccessful test or probe costs
    void take(RequestId request);   // one that is done: pays for its completion; it is gone afterwards
    void forget(RequestId request); // nobody will wait for it
    bool cancel(RequestId request);
    const Request* probe(const Messenger::Message& wanted) { return messenger_.look_at(wanted); }
    void tested(bool found) {
        failed_probes_ = found ? 0 : failed_probes_ + 1; // SMPI's get slower
        if (!found) ++idle_calls_;
    }
    void await_message();
    void timed_wait(Time most); // until a message is sent to the rank, but no longer than that
    std::optional<RequestId> take_message(const Messenger::Message& wanted) { return messenger_.take(wanted); }
    const Request& message(RequestId id) const { return messenger_.request(id); }
    RequestId recv_taken(RequestId send, const Messenger::Message& message);

    // On a rank's context: collectives. `data` is what CollectiveData is about, or null for none; `steps` an
    // algorithm of the caller's own.
    void collective(Membership& member, const CollectiveCall& call, CollectiveData* data, Steps steps = {});
    RequestId icollective(Membership& member, const CollectiveCall& call, CollectiveData* data,
                          Steps steps = {});

    // The running rank's call ends.
    void end_call(mpi::FunctionId function, CallKind kind) {
        CallCount& count = calls_[static_cast<std::size_t>(function)];
        ++count.calls;
        ++actions_;
        account_since(self().index, count, kind);
    }
    // Reports to the observer of the run, if there is one, what the running rank has done since then.
    [[nodiscard]] bool watched() const { return options_.observer != nullptr; }
    void tell(const Action& action, Time since);
    // A rank has ended MPI with this number of requests that it never completed or freed.
    void count_leaks(std::int64_t requests) {
        leaked_requests_ += requests;
        ++leaking_ranks_;
    }

    // The rank does not go on before the run is stopped: never returns.
    [[noreturn]] void run_out();
    // The rank ends: never returns.
    [[noreturn]] void end_rank(int exit_code);
    // The whole run ends (MPI_Abort, a fatal error): never returns. The words go into the report.
    [[noreturn]] void abort(int exit_code, const std::string& words);
    [[noreturn]] void abort(int exit_code, std::exception_ptr failure);
    [[nodiscard]] int exit_code() const { return exit_code_; }

  private:
    void go_on(Fiber& fiber) override;
    void prepare(std::uint32_t rank, unsigned int stage) override;
    [[nodiscard]] std::string place(std::uint32_t rank, std::uint64_t line) const override;
    [[nodiscard]] std::string present_call(std::uint32_t rank) const override;
    [[nodiscard]] std::string last_words() const override;
    [[nodiscard]] std::string collective_words(const Communicators::Call& call) const override;
    void attach(CollectiveRun& run, const Fiber& fiber) override;
    void end_collective(CollectiveRun& run) override;
    // What it has done since the last account: a call, or something of its own.
    void account_since(std::uint32_t rank, CallCount& count, CallKind kind) {
        const Time time = clock_.now() - ranks_[rank].accounted;
        if (time == Time::zero()) return;
        count.ticks += static_cast<double>(time.ticks());
        account(rank, kind);
    }
    void count_bytes(Bytes bytes); // that its present call sends
    [[nodiscard]] std::vector<CallProfile> profile(const std::vector<CollectiveProfile>& collectives) const;
    // Time that the rank spends outside of MPI: into the trace, and to who watches.
    void log(ActionKind kind, double volume);
    void tell_own(ActionKind kind, Time since);
    template <typename Work> void as_rank(std::uint32_t rank, const Work& work);
    // What throws must not reach the program's frames: it ends the run.
    template <typename Work> auto or_abort(const Work& work);
    void pass_clock_reads();
    void tell_progress();
    void end_unfinished();
    void add_notes(std::vector<std::string>& notes) const;
    Fiber& fiber() { return fibers_[self().index]; }
    void leave() { Context::swap(self().context, scheduler_); }

    PayloadPool payloads_;
    std::vector<Rank> processes_;       // never grows: addresses stay
    std::vector<std::uint8_t> blocked_; // per rank: BlockState
    Context scheduler_;
    void (*on_switch_)(Rank& rank) = nullptr;
    HugeHeap heap_;
    std::exception_ptr failure_; // of a rank: thrown on by the scheduler
    ActionLog* log_ = nullptr;
    std::array<CallCount, std::size(mpi::function_names)> calls_{}; // by function of MPI
    CallCount computing_;
    CallCount pausing_;
    std::uint32_t last_run_ = nobody; // the rank that ran last
    std::uint64_t idle_calls_ = 0;    // unsuccessful tests and probes, and reads of a clock
    std::uint64_t next_progress_ = 0; // the number of calls at which it is reported next
    int exit_code_ = 0;
    std::uint32_t exited_ = nobody; // the rank whose exit code that is
    std::uint32_t ranks_with_mpi_ = 0;
    std::uint32_t unfinalised_ = 0;
    std::int64_t leaked_requests_ = 0;
    std::int64_t leaking_ranks_ = 0;
};

Engine& engine();
bool emulating();                // whether there is one
void set_engine(Engine* engine); // of this process; null: none

} // namespace orrery::emulate
