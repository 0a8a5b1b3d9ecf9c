// Drives a schedule through the LogGOPS model: starts operations as their dependencies fall and as CPUs and
// NICs become free, carries messages, matches them.
//
// Of what is due at one rank at one instant, the first in the order of ties goes first (graph_event.h): an
// operation is drawn when it becomes ready, a message when it is sent. Of operations that become ready through
// one event, sends are drawn first, then receives, then computations, each in the order in which they became
// ready. Of several that wait for one CPU or NIC the first in the same order goes first. docs/loggops.md states
// the model.
//
// Cost per event: O(1) amortised and about two cache lines (the rank's state; the message, or the operation's
// record). `Multi` selects the code for ranks with several CPUs or NICs.
#pragma once

#include "drivers/graph/deadlock.h"
#include "drivers/graph/endpoint.h"
#include "drivers/graph/graph_event.h"
#include "drivers/graph/observers.h"
#include "drivers/graph/rank_state.h"
#include "drivers/graph/root_receives.h"
#include "drivers/graph/simulate.h"
#include "engine/error.h"
#include "engine/event_queue.h"
#include "engine/lazy_array.h"
#include "engine/random.h"
#include "engine/sums.h"
#include "network/loggops/loggops_network.h"
#include "protocol/matching.h"

#include <deque>
#include <optional>
#include <type_traits>

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

namespace orrery {

template <bool Multi, typename Observer> class GraphDriver {
  public:
    GraphDriver(const Schedule& schedule, const SimulationOptions& options, Observer& observer);

    // True if every operation ended and every message was received.
    bool run();
    [[nodiscard]] Prediction prediction() const;
    [[nodiscard]] Time now() const { return now_; }
    [[nodiscard]] std::vector<UnreceivedMessage> unreceived() const; // after run()

  private:
    using Why = typename Observer::Why;

    enum Kind : std::uint64_t { operation, message, task, wake };
    static constexpr std::uint64_t kind_mask = 3;
    static constexpr std::uint64_t retry = 4; // a waiting operation that was put back into the event queue
    static_assert((kind_mask | retry) < 1U << Turn::kind_bits);
    enum class Use : std::uint64_t { send, receive, compute }; // the first two need a NIC, too
    static constexpr std::uint32_t max_retries = 2;
    static constexpr std::uint64_t cached_programs = std::uint64_t{32} << 20; // bytes that a cache may hold
    static constexpr std::uint64_t progress_interval = std::uint64_t{1} << 18;

    enum Flag : std::uint32_t { looked_at = 1, request = 2, clear_to_send = 4, data = 8, rendezvous = 16 };

    struct Freed {
        std::uint32_t op = 0;
        OpKind kind = OpKind::calc;
        std::uint32_t cpu = 0;
        std::uint32_t nic = 0;
        Time ready;
    };
    using FreedList = std::vector<Freed>;

    // --- starting
    void start_rank(std::uint32_t rank);

    // --- events
    void draw(Time at, Kind kind, std::uint32_t rank, std::uint32_t ref, std::uint32_t source = 0);
    void dispatch(const GraphEvent& event);
    void on_operation(const GraphEvent& event);
    void on_calc(const GraphEvent& event, const BlockView& view, const BlockView::Record& record);
    void on_send(const GraphEvent& event, const BlockView& view, const BlockView::Record& record);
    void on_recv(const GraphEvent& event, const BlockView& view, const BlockView::Record& record);
    void on_message(const GraphEvent& event);
    void on_task(const GraphEvent& event);
    void on_wake(const GraphEvent& event);

    // --- sending and receiving
    Time inject(std::uint32_t rank, std::uint32_t cpu, std::uint32_t nic, Bytes size, Time at,
                Occupation& used);
    void absorb(std::uint32_t rank, std::uint32_t cpu, std::uint32_t nic, Bytes size, Time at,
                Occupation& used);
    void receive(std::uint32_t rank, std::uint32_t id, Time at);
    void owe_clear_to_send(std::uint32_t rank, std::uint32_t id, std::uint32_t recv_op, Time ready, Why why);
    void finish_transfer(std::uint32_t source, std::uint32_t send_op, Time send_end, Why sender_why,
                         std::uint32_t rank, std::uint32_t recv_op, Time recv_end, Why why);
    void release_sender(std::uint32_t rank, std::uint32_t cpu, Time at, Why why);
    bool hold_for_earlier(const GraphEvent& event, const Message& message);
    void let_next_of_pair(std::uint32_t rank, std::uint32_t source, Time at, Why why);
    std::optional<std::uint32_t> find_posted(std::uint32_t rank, const Message& message, bool take);

    // --- dependencies
    void start_op(const BlockView& view, const BlockView::Record& record, std::uint32_t rank, std::uint32_t op,
                  bool ends, Time end, Why why);
    void count_end(std::uint32_t rank, std::uint32_t op);
    void end_op(std::uint32_t rank, std::uint32_t op, Time at, Why why, FreedList& freed);
    void satisfy(const BlockView& view, std::uint32_t rank, std::uint32_t op, Time at, Why why,
                 FreedList& freed);
    void queue_freed(std::uint32_t rank, FreedList& freed);
    Time least_occupation(std::uint32_t rank, const Freed& freed) const;

    // --- waiting
    static std::uint64_t class_key(Use use, std::uint32_t cpu, std::uint32_t nic) {
        return static_cast<std::uint64_t>(use) << 32 | std::uint64_t{cpu} << 16 | nic;
    }
    // Unique, and mixed: the map takes its low bits.
    static std::uint64_t pair_key(std::uint32_t rank, std::uint32_t source) {
        return mix_bits(std::uint64_t{rank} << 32 | source);
    }
    Time class_ready(std::uint32_t rank, std::uint64_t key);
    void wait(const GraphEvent& event, std::uint64_t key, Time ready);
    WaitClass& waiting_class(std::uint32_t rank, std::uint64_t key, std::uint32_t& index);
    void schedule_wake(std::uint32_t rank, WaitClass& waiting, std::uint32_t index, Time at);
    Turn first_turn(const WaitClass& waiting) const;
    // Of what is drawn now, or was at the start of the run.
    [[nodiscard]] Turn turn_of(std::uint64_t number, Time drawn, Kind kind, std::uint32_t source = 0) const {
        const std::uint64_t since = numbered_through_ ? number : static_cast<std::uint64_t>(drawn.ticks());
        return {since << Turn::kind_bits | kind, source, static_cast<std::uint32_t>(number)};
    }

    // --- state
    BlockView program(std::uint32_t rank) const { return schedule_.block(ranks_[rank].block, rank); }
    Time& cpu_free(std::uint32_t rank, std::uint32_t cpu) {
        if constexpr (Multi) return cpus_[std::size_t{rank} * cpu_count_ + cpu];
        return ranks_[rank].cpu_free;
    }
    Time& tx_free(std::uint32_t rank, std::uint32_t nic) {
        if constexpr (Multi) return nics_[(std::size_t{rank} * nic_count_ + nic) * 2];
        return ranks_[rank].tx_free;
    }
    Time& rx_free(std::uint32_t rank, std::uint32_t nic) {
        if constexpr (Multi) return nics_[(std::size_t{rank} * nic_count_ + nic) * 2 + 1];
        return ranks_[rank].rx_free;
    }
    std::uint32_t cpu_of(const BlockView::Record& record) const {
        if constexpr (!Multi) return 0;
        return record.cpu() < cpu_count_ ? record.cpu() : damaged_number(cpu_count_);
    }
    std::uint32_t nic_of(const BlockView::Record& record) const {
        if constexpr (!Multi) return 0;
        return record.nic() < nic_count_ ? record.nic() : damaged_number(nic_count_);
    }
    // Ranks that begin late post their receives late.
    [[nodiscard]] bool implicit_receives(const BlockLayout& layout) const {
        return RootReceives::applies(layout) && !skew_.any();
    }
    // One CPU is not busy for longer than the run.
    static void count_busy(Time& sum, Time busy) {
        if constexpr (Multi) return add_busy(sum, busy);
        sum += busy;
    }
    void check_roots(const BlockView& view, std::uint32_t rank);
    [[noreturn]] std::uint32_t damaged_number(std::uint32_t limit) const;
    Time noise(std::uint32_t rank, std::uint32_t cpu, Time start, Time busy);
    std::uint32_t new_message();
    void free_message(std::uint32_t id);
    void prefetch() const;
    [[noreturn]] void damaged(std::uint32_t rank) const;

    const Schedule& schedule_;
    Observer& observer_;
    LogGOPSEndpoint endpoint_;
    LogGOPSNetwork network_;
    Noise* noise_;
    ProgressHook progress_;
    StartSkew skew_;
    std::uint32_t cpu_count_;
    std::uint32_t nic_count_;
    bool shared_programs_; // few enough to stay in the cache

    BasicEventQueue<GraphEvent> queue_;
    Time now_;
    std::uint64_t next_number_ = 0;
    bool numbered_through_; // LogGOPSim's order of ties
    std::uint64_t ops_ended_ = 0;

    LazyArray<RankState> ranks_;
    LazyArray<Time> cpus_;       // Multi
    LazyArray<Time> nics_;       // Multi: sending and receiving, alternately
    std::vector<Time> noise_of_; // per rank, with noise
    RootReceives root_receives_;
    MatchLists posted_{MatchLists::Holds::receives};
    MatchLists unexpected_{MatchLists::Holds::messages};

    LazyArray<Message> messages_;
    std::uint32_t messages_used_ = 0;
    std::uint32_t free_messages_ = 0; // 1 + first of the chain
    // Per message, with Multi: the end of its sender's overhead; of an unexpected request: the end of its
    // reception.
    LazyArray<Time> message_times_;
    // Multi: per pair of ranks with a message that has arrived but is not received yet, those behind it.
    tsl::robin_map<std::uint64_t, std::deque<GraphEvent>> pairs_;

    std::vector<std::uint64_t> first_join_; // per rank, in the two arrays below
    LazyArray<std::uint8_t> satisfied_;     // dependencies that have fallen, of operations with two or more
    LazyArray<Time> join_ready_;            // Multi: the latest of them
    tsl::robin_map<std::uint64_t, std::uint32_t> many_satisfied_; // of operations with more than 255

    std::vector<WaitingRoom> rooms_;
    std::vector<std::uint32_t> free_rooms_;
    tsl::robin_set<std::uint32_t> checked_blocks_; // of a schedule from a file
    FreedList freed_;
    FreedList freed_elsewhere_; // on the sender's rank, when an event frees operations on two ranks
};

} // namespace orrery

#include "drivers/graph/graph_driver_waiting.h"

#include "drivers/graph/graph_driver_events.h"

#include "drivers/graph/graph_driver_messages.h"
