// Writes the event log of a run: what fibers, messages, CPUs and interfaces do, and what let them do it.
//
// At every instant something acts: a fiber that has been let go on, a message that has arrived, a clock that
// has come to some point. `present` is why it acts; whatever it sets off is caused by that. So who waits need
// not know for whom: it is told, when it goes on, by who acts.
//
// RankEngine and Messenger call this where time passes and where somebody is let go on; null there: no log.
#pragma once

#include "protocol/processors.h"
#include "results/event_log.h"

#include <array>
#include <cstdint>
#include <vector>

namespace orrery {

class EventWriter {
  public:
    // A link, and when it lets something start.
    struct Why {
        Time at;
        EventLink link;
    };

    // `cpus`: of each rank.
    EventWriter(EventLog& log, const std::vector<HostId>& hosts, Bytes envelope, std::uint32_t cpus);

    // Who acts.
    void runs(std::uint32_t fiber, std::uint32_t rank) { acting_ = fiber, acting_rank_ = rank; }
    void because(const Why& why) { acting_ = nobody_acts, present_ = why; }
    void because_of_cpu(const Why& why, std::uint32_t rank) { because(why), acting_rank_ = rank; }
    void because_of_message(std::uint32_t send) { because(requests(send).message); }
    // As a cause of what `rank` does, or of a message that it sends.
    [[nodiscard]] Why present(std::uint32_t rank) const;
    // What is set off from now on has waited for a lock, until this is called with false.
    void lock_released(bool yes) { lock_released_ = yes; }

    // Fibers. `to` may lie in the future: the fiber does nothing else until then.
    void starts(std::uint32_t fiber, std::uint32_t rank, Time at);
    void spawned(std::uint32_t fiber, std::uint32_t rank) { fiber_why(fiber) = present(rank); }
    void passes(std::uint32_t fiber, std::uint32_t rank, EventKind kind, Time from, Time to, Bytes bytes = 0,
                std::uint32_t peer = 0);
    // It is idle from when it went on last until now.
    void timed_out(std::uint32_t fiber, std::uint32_t rank, Time now);
    // It goes on because of what acts now; of a request that is done; of a message that its rank has taken;
    // of what came to its rank last.
    void let_go_on(std::uint32_t fiber, std::uint32_t rank) { fiber_why(fiber) = present(rank); }
    void done_for(std::uint32_t fiber, std::uint32_t request) { fiber_why(fiber) = requests(request).done; }
    void fetched_for(std::uint32_t fiber, std::uint32_t rank) { fiber_why(fiber) = taking(rank, 0); }
    void came_for(std::uint32_t fiber, std::uint32_t rank) { fiber_why(fiber) = came_[rank]; }
    // A request that it waits for is done at `at`, and costs so much when all before has been paid for.
    void completes(std::uint32_t fiber, std::uint32_t rank, std::uint32_t request, Time at, Time busy_until,
                   EventKind kind, Time cost, Bytes bytes, std::uint32_t peer);

    // The fiber has used its CPU until its last event ends, or has come to it, when others had used it.
    void occupied(std::uint32_t fiber, std::uint32_t rank, std::uint32_t cpu) {
        cpu_why(rank, cpu) = fiber_why(fiber);
    }
    void granted(std::uint32_t fiber, std::uint32_t rank, std::uint32_t cpu, Time now);

    // Computations on cores that may be shared: begun, and ended (at once if it is known when).
    void begin_compute(std::uint32_t fiber, Time now, Time busy, Time noise) {
        if (fiber >= computing_.size()) computing_.resize(fiber + 1);
        computing_[fiber] = {now, busy, noise};
    }
    void end_compute(std::uint32_t fiber, std::uint32_t rank, Time end);

    // Messages, by the request of the send. What they wait for next is let happen by what acts now.
    void message_waits(std::uint32_t send, std::uint32_t rank) { requests(send).message = present(rank); }
    // The same if that came later than the message.
    void matched(std::uint32_t send, std::uint32_t rank) {
        const Why why = present(rank);
        if (why.at > requests(send).message.at) requests(send).message = why;
    }
    // Handed to the network, and arrived; `from` and `to` are ranks.
    void departs(std::uint32_t send, std::uint32_t from, Time now);
    void arrives(std::uint32_t send, EventKind kind, std::uint32_t from, std::uint32_t to, Bytes bytes,
                 Time now);
    // A message of a handshake that only costs a latency.
    void travels(std::uint32_t send, std::uint32_t from, std::uint32_t to, Time left, Time arrived);
    // The same of a clear-to-send that leaves at `left`: once its receive is there, and the request, which has
    // travelled since the send was posted.
    void answers(std::uint32_t send, std::uint32_t from, std::uint32_t to, Time posted, Time latency, Time left,
                 Time arrived);
    void completed(std::uint32_t request, std::uint32_t rank) { requests(request).done = present(rank); }
    void came(std::uint32_t rank, const Why& why) { came_[rank] = why; }
    void came_taken(std::uint32_t rank) { came_[rank] = last_end_; }
    // A message leaves of the rank that has waited for the end of the instant.
    void leaves(std::uint32_t send, std::uint32_t rank) { because_of_cpu(requests(send).message, rank); }
    // A CPU takes a message, or completes a send: after the fiber that has used it last, or the message
    // before; from `alone` on noise keeps it.
    struct Taking {
        std::uint32_t send = 0;
        EventKind kind = EventKind::receive;
        std::uint32_t rank = 0;
        std::uint32_t cpu = 0;
        std::uint32_t peer = 0;
        Bytes bytes = 0;
    };
    void takes(const Taking& what, Time begin, Time alone, Time end);
    void because_of_taking(std::uint32_t rank, std::uint32_t cpu) { because_of_cpu(taking(rank, cpu), rank); }
    // The sender learns that its message is about to be taken.
    void told(std::uint32_t send, std::uint32_t sender, std::uint32_t receiver, std::uint32_t cpu, Time now);
    // One-sided: an operation has arrived, known to the windows by its line.
    void transferred(std::uint32_t line);
    void because_of_operation(std::uint32_t line) { because(operations_[line]); }

    // --- With interfaces: CPUs and interfaces of ranks (event_writer_interfaces.cpp).
    // The fiber has what it needs now; its CPU is taken, or is free, at `at`, when it goes on.
    void acquired(std::uint32_t fiber, std::uint32_t rank, std::uint32_t cpu, Processors::Use use, Time now);
    void goes_on_at(std::uint32_t fiber, std::uint32_t rank, std::uint32_t cpu, Time at);
    void computes(std::uint32_t fiber, std::uint32_t rank, std::uint32_t cpu, Time now, Time busy, Time noise);
    // CPU and interface send or take (what of) a message: `busy` without noise.
    void uses_interface(std::uint32_t rank, std::uint32_t cpu, EventKind kind, std::uint32_t peer, Bytes bytes,
                        Time now, Time busy, Time noise, Time interface_until);
    // The message that has been sent so travels from `left` on.
    void leaves_interface(std::uint32_t send, EventKind kind, std::uint32_t from, std::uint32_t to, Bytes bytes,
                          Time left, Time arrived);
    // What follows follows from the start of what was done last; the message is taken at its end.
    void taken(std::uint32_t send, Time now);
    // Behind an earlier message of its pair, which is taken now.
    void let_in(std::uint32_t send) { requests(send).message = present_; }
    void extended(std::uint32_t rank, std::uint32_t cpu, Time now);
    // A request that was completed just now is done at `at`: because of its message or a CPU.
    void done_at(std::uint32_t request, std::uint32_t send, std::uint32_t rank, std::uint32_t cpu, Time at);
    void sent_at(std::uint32_t request, Time at);
    // Its rank goes on at `at`, when the CPU is free.
    void released_at(std::uint32_t request, std::uint32_t rank, std::uint32_t cpu, Time at);

    // --- The end of each rank, in their order.
    void finished(std::uint32_t fiber, std::uint32_t rank, Time at);

  private:
    static constexpr std::uint32_t nobody_acts = 0xFFFF'FFFF;
    struct OfRequest {
        Why message; // of a send: what its message waits for, or has come from
        Why done;
        Time left; // it was handed to the network
    };
    struct Computing {
        Time since;
        Time busy;
        Time noise;
    };
    // Each by index; they grow as they are asked for.
    OfRequest& requests(std::uint32_t request) {
        if (request >= requests_.size()) [[unlikely]]
            requests_.resize(request + std::size_t{1} + requests_.size() / 2);
        return requests_[request];
    }
    Why& fiber_why(std::uint32_t fiber) {
        if (fiber >= fibers_.size()) [[unlikely]]
            fibers_.resize(fiber + std::size_t{1} + fibers_.size() / 2);
        return fibers_[fiber];
    }
    Why& cpu_why(std::uint32_t rank, std::uint32_t cpu) { return cpus_[rank * cpus_of_rank_ + cpu]; }
    Why& interface_why(std::uint32_t rank, bool receiving) {
        return interfaces_[std::size_t{rank} * 2 + (receiving ? 1 : 0)];
    }
    Why& taking(std::uint32_t rank, std::uint32_t cpu) { return takings_[rank * cpus_of_rank_ + cpu]; }
    // The same link lets something start at another time: before its end, or, which shows as a gap, after it.
    static void move(Why& why, Time to) {
        if (why.at != to) why.link.early = to < why.at;
        why.at = to;
    }
    // Appends; returns that it has ended. A cause that lets go at another time shows as a gap in the path.
    Why add(EventKind kind, std::uint32_t rank, std::uint32_t peer, Bytes bytes, Time start, Time end,
            const Why& cause);

    EventLog& log_;
    std::size_t cpus_of_rank_;
    std::uint32_t acting_ = nobody_acts; // fiber
    std::uint32_t acting_rank_ = 0;      // of the fiber, or whose CPU has done something
    Why present_;                        // if it is none
    bool lock_released_ = false;
    Why last_use_; // of an interface: its overhead
    Why last_end_; // with the noise that came upon it
    std::vector<Why> fibers_;
    std::vector<Computing> computing_; // by fiber
    std::vector<OfRequest> requests_;
    std::vector<Why> takings_;    // by rank and CPU: the last
    std::vector<Why> came_;       // by rank
    std::vector<Why> operations_; // by line
    std::vector<Why> cpus_;
    std::vector<Why> interfaces_; // by rank: sending, receiving
};

} // namespace orrery
