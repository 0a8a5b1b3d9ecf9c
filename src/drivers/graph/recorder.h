// Fills a Recording while the driver runs: every activity, and what made it start when it did.
#pragma once

#include "drivers/graph/observers.h"
#include "results/recording.h"
#include "workload/schedule.h"

#include <vector>

namespace orrery {

class Recorder : public NullObserver {
  public:
    struct Why {
        std::uint32_t activity = no_activity;
        Cause how = Cause::none;
    };

    Recorder(const Schedule& schedule, Recording& recording);

    static Why at_start(Why why) {
        return {why.activity, why.activity == no_activity ? Cause::none : Cause::start};
    }
    static Why partner(Why why) {
        return {why.activity, why.activity == no_activity ? Cause::none : Cause::partner};
    }
    static Why later_of(Why a, Time a_time, Why b, Time b_time) { return b_time > a_time ? b : a; }

    Why calc(std::uint32_t rank, std::uint32_t op, const Occupation& used, std::uint64_t size);
    Why send(std::uint32_t rank, std::uint32_t op, const Occupation& used, const Message& message,
             std::uint32_t id, std::uint32_t peer, Time arrival, bool control);
    Why recv(std::uint32_t rank, const Occupation& used, const Message& message, std::uint32_t id,
             bool control);
    Why post(std::uint32_t rank, std::uint32_t op, const Occupation& at, std::uint32_t peer, std::uint32_t tag,
             std::uint64_t size);
    [[nodiscard]] Why reception(std::uint32_t id) const { return {flights_[id].reception, Cause::end}; }
    [[nodiscard]] Why injection(std::uint32_t id) const { return {flights_[id].injection, Cause::end}; }
    void held_until(std::uint32_t id, Why why, Time at) { flights_[id].held = {why, at}; }
    void matched(std::uint32_t id, std::uint32_t op);
    void ready(std::uint32_t rank, std::uint32_t op, Why why, Time at);
    void recv_queued(std::uint32_t rank, std::uint32_t op, std::uint32_t cpu, Time at);
    void task_ready(std::uint32_t id, Why why, Time at);
    void released(std::uint32_t rank, std::uint32_t cpu, Why why);

    void finish(const std::vector<Time>& finish_times);

  private:
    struct Instant {
        Why why;
        Time time;
    };
    // A message on its way.
    struct Flight {
        std::uint32_t injection = no_activity; // its latest send activity
        std::uint32_t reception = no_activity; // its latest recv activity
        Time arrival;
        Instant task; // when the next step of its handshake could start
        Instant held; // when an earlier message of the same pair let it go
    };
    // The last use of a CPU or of one direction of a NIC.
    struct Last {
        std::uint32_t activity = no_activity;
        Cause how = Cause::none;
        Time until;
    };

    Last& cpu(std::uint32_t rank, std::uint32_t number) {
        return cpus_[std::size_t{rank} * cpu_count_ + number];
    }
    Last& port(std::uint32_t rank, std::uint32_t nic, bool receiving) {
        return ports_[(std::size_t{rank} * nic_count_ + nic) * 2 + (receiving ? 1 : 0)];
    }
    Flight& flight(std::uint32_t id);
    Why add(Activity activity, const Occupation& used, const Instant& trigger, Last* busy_port);

    Recording& recording_;
    std::uint32_t cpu_count_;
    std::uint32_t nic_count_;
    std::vector<std::uint64_t> first_op_;
    std::vector<Instant> ready_; // per operation: its latest dependency
    std::vector<Last> cpus_;
    std::vector<Last> ports_;
    std::vector<Flight> flights_; // by message
};

} // namespace orrery
