// Writes the event log of a run: what threads, messages and collectives do, and what let them do it.
//
// At every instant something acts: a thread whose work has ended, a message or a collective that has come to
// some point. Whatever happens then is caused by that, so who waits need not know for what. Who waited for a
// processor, a link or a bus is let go by the one that held it last: the path goes on through what that one
// did.
#pragma once

#include "drivers/dimemas/state.h"
#include "results/event_log.h"

#include <cstdint>
#include <vector>

namespace orrery::dimemas {

class CauseTracker {
  public:
    // `nodes`: of each thread.
    CauseTracker(EventLog& log, const std::vector<std::uint32_t>& nodes);

    // Who acts from now on.
    void thread_acts(std::uint32_t thread) { acts(threads_[thread].why, thread, false); }
    void resources_free(std::uint32_t transfer) {
        acts(transfers_[transfer].carried, transfers_[transfer].from, true);
    }
    void arrives(std::uint32_t transfer) {
        acts(transfers_[transfer].arrived, transfers_[transfer].from, false);
    }
    void collective_frees(std::uint32_t op) { acts(collectives_[op].carried, collectives_[op].last, true); }
    void collective_ends(std::uint32_t op) { acts(collectives_[op].ended, collectives_[op].last, false); }

    // A thread goes through the ready queue from now on; it has got a processor and does this; it is at its
    // end.
    void ready(std::uint32_t thread, Time now);
    struct Work {
        EventKind kind = EventKind::compute; // or startup
        Time context_switch;                 // before it
        Time busy;
        Time noise; // behind it
        std::uint32_t peer = 0;
        Bytes bytes = 0;
    };
    void runs(std::uint32_t thread, const Work& work, Time now);
    void finished(std::uint32_t thread, Time now) {
        log_.ends[thread] = {now, cause(thread)};
        log_.ended = true;
    }

    // A message, or the claim of a collective, waits for a link or a bus.
    void waits(std::uint32_t transfer, EventCause what);
    void claim_waits(std::uint32_t op, EventCause what);
    // A message has all that it needs: carried at `carried`, arrived at `arrived`.
    void begins(std::uint32_t transfer, std::uint32_t from, std::uint32_t to, Bytes bytes, Time now,
                Time carried, Time arrived);
    // The last thread of a collective has come; it has all that it needs. Its latencies are first, then its
    // bytes until `carried`, then a flight.
    void complete(std::uint32_t op, std::uint32_t last);
    struct Closed {
        Bytes bytes = 0;
        Time latency;
        Time carried;
        Time ended;
    };
    void collective_begins(std::uint32_t op, const Closed& form, Time now);

  private:
    struct OfThread {
        EventLink why; // of what it does next
        Time since;    // then it could have done it
    };
    struct OfTransfer {
        std::uint32_t from = 0;
        EventCause waited = EventCause::none;
        EventLink carried;
        EventLink arrived;
    };
    struct OfCollective {
        std::uint32_t last = 0;
        EventCause waited = EventCause::none;
        EventLink carried;
        EventLink ended;
    };
    void acts(const EventLink& link, std::uint32_t rank, bool releases) {
        present_ = link;
        acting_rank_ = rank;
        releases_ = releases;
    }
    // What acts now, as a cause of what `rank` does.
    [[nodiscard]] EventLink cause(std::uint32_t rank) const;
    // As the cause of what has waited for `what` if something was let go.
    [[nodiscard]] EventLink cause(std::uint32_t rank, EventCause what) const;
    // Appends, unless it takes no time and has not waited for a link or bus; what follows from its end.
    EventLink add(EventKind kind, std::uint32_t rank, std::uint32_t peer, Bytes bytes, Time start, Time end,
                  const EventLink& why);
    template <typename Of> static Of& at(std::vector<Of>& all, std::uint32_t index) {
        if (index >= all.size()) all.resize(index + std::size_t{1});
        return all[index];
    }

    EventLog& log_;
    EventLink present_;
    std::uint32_t acting_rank_ = 0;
    bool releases_ = false; // what acts lets go links and buses
    std::vector<OfThread> threads_;
    std::vector<OfTransfer> transfers_;     // by number
    std::vector<OfCollective> collectives_; // by number
};

} // namespace orrery::dimemas
