// The simulation itself: one event loop over processors, messages and collectives.
//
// The order of simultaneous things is that of Dimemas: each record ends with its thread going through the ready
// queue of its node (at the front if it keeps its processor, at the back if it had to wait), so that every step
// is an event of its own; processors are handed out node by node after each event.
#pragma once

#include "drivers/dimemas/call_reports.h"
#include "drivers/dimemas/call_tally.h"
#include "drivers/dimemas/cause_tracker.h"
#include "drivers/dimemas/match_queues.h"
#include "drivers/dimemas/simulate.h"
#include "drivers/dimemas/state.h"
#include "engine/event_queue.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace orrery::dimemas {

class Simulation {
  public:
    Simulation(const DimFile& trace, const Configuration& machine, const SimulationOptions& options);
    ReplayPrediction run();

  private:
    enum class What : std::uint32_t { processor, resources, arrival, group_resources, group_end };
    enum class Place : std::uint8_t { front, back }; // in the ready queue

    // Nonblocking ones that a thread has started in its present step; it goes on before they do.
    struct Started {
        std::uint32_t thread = 0;
        std::uint32_t communicator = 0;
        std::uint32_t number = 0;
        DimRecord record;
    };

    // processors.cpp: threads and what they do next
    void start_threads();
    bool more(Thread& thread);
    void begin_burst(Thread& thread);
    void step(std::uint32_t id);
    void step_records(std::uint32_t id);
    void end_of_work(std::uint32_t id);
    void make_ready(std::uint32_t id, Place place);
    void run_next(std::uint32_t node);
    void hand_out_processors();
    void finish_record(Thread& thread, Time until);
    void proceed(std::uint32_t id, Place place);
    // True: the thread pays it first and comes back to the same record.
    bool pay_latency(std::uint32_t id, Time latency);
    void enter_or_leave_module(Thread& thread);

    // messages.cpp
    void send(std::uint32_t id);
    void receive(std::uint32_t id);
    void receive_no_wait(std::uint32_t id);
    void wait(std::uint32_t id);
    bool take_arrived(std::uint32_t id);
    bool announce_receive(std::uint32_t id, bool no_wait);
    void start_rendezvous(std::uint32_t id);
    void block_receiver(std::uint32_t id);
    void message_arrived(std::uint32_t transfer);
    [[nodiscard]] MatchKey receive_key(const Thread& thread, std::uint32_t id) const;
    [[nodiscard]] Time receive_latency(const Thread& thread) const;
    [[nodiscard]] Route route(std::uint32_t from, std::uint32_t to, std::int64_t tag, Bytes bytes,
                              std::uint32_t& connection) const;
    [[nodiscard]] Time latency(std::uint32_t from, Route route, std::uint32_t connection) const;
    std::uint32_t new_transfer(Purpose purpose, std::uint32_t thread);
    void free_transfer(std::uint32_t transfer);
    [[nodiscard]] std::uint32_t target_of(const Transfer& message) const; // the thread that it is for

    // transfers.cpp: links and buses
    void carry(std::uint32_t transfer);
    bool get_network_links(std::uint32_t transfer, LinkSet& from, LinkSet& to);
    bool get_ordered_links(std::uint32_t transfer, LinkSet& from, LinkSet& to, bool input_first);
    bool get_out(std::uint32_t transfer, LinkSet& links);
    bool get_in(std::uint32_t transfer, LinkSet& links);
    std::uint32_t robbable(const LinkSet& links) const;
    void rob(std::uint32_t transfer, LinkSet& links, bool as_output);
    void free_out_link(std::uint32_t transfer, LinkSet& links);
    void free_in_link(std::uint32_t transfer, LinkSet& links);
    void go_on(std::uint32_t transfer); // one that waited for a link
    void begin_transfer(std::uint32_t transfer, LinkSet& from, LinkSet& to, BusSet* bus);
    void resources_free(std::uint32_t transfer);
    void serve_bus(BusSet& buses);
    bool serve_claim(BusSet& buses, std::uint32_t claim);
    [[nodiscard]] std::vector<LinkLoad> busiest_links(Time end) const; // link_report.cpp
    LinkSet& links_out(const Transfer& transfer);
    LinkSet& links_in(const Transfer& transfer);
    BusSet* buses_of(const Transfer& transfer);
    void push_back(WaitingLine& line, std::uint32_t transfer, EventCause what); // what it waits for
    void push_front(WaitingLine& line, std::uint32_t transfer, EventCause what);
    void log_wait(const Transfer& transfer, EventCause what);
    std::uint32_t pop_front(WaitingLine& line);
    void remove(WaitingLine& line, std::uint32_t transfer);

    // collectives.cpp
    bool collective(std::uint32_t id); // true: the thread goes on with its next record
    void wait_collective(std::uint32_t id);
    void start_nonblocking(const Started& started);
    bool reduce(std::uint32_t id, std::uint32_t communicator);
    void reduction_arrived(std::uint32_t transfer);
    void arrive(std::uint32_t collective, std::uint32_t id, const DimRecord& record);
    void check_members(const CollectiveOp& collective, const Thread& last) const;
    void begin_collective(std::uint32_t collective);
    void claim_buses(std::uint32_t transfer);
    void claim_has_out(std::uint32_t transfer);
    void claim_has_all(std::uint32_t transfer);
    void start_collective(std::uint32_t collective);
    void free_collective_resources(std::uint32_t collective);
    void end_collective(std::uint32_t collective);
    CommunicatorState& communicator_of(const Thread& thread);
    std::uint32_t new_collective(std::uint32_t communicator, bool blocking);
    std::uint32_t next_number(Thread& thread, std::uint32_t communicator);
    [[nodiscard]] Time collective_latency(const Thread& thread, const CommunicatorState& communicator) const;

    void plan(Time when, What what, std::uint32_t about) {
        events_.push({when, order_++, static_cast<std::uint32_t>(what), about});
    }
    void handle(const Event& event);
    void log_actor(const Event& event);
    Time add_noise(Thread& thread);
    void log_work(const Thread& thread, Time noise);
    [[nodiscard]] std::uint32_t id_of(const Thread& thread) const {
        return static_cast<std::uint32_t>(&thread - threads_.data());
    }
    [[noreturn]] void fail(const Thread& thread, const std::string& reason) const;
    void check_all_finished() const;
    ReplayPrediction prediction() const;

    const DimFile& trace_;
    const Configuration& machine_;
    const SimulationOptions& options_;
    std::optional<CallReports> reports_; // if somebody watches
    std::optional<CauseTracker> causes_; // if there is an event log
    std::vector<std::uint32_t> node_of_; // of tasks

    Time now_;
    EventQueue events_;
    std::uint64_t order_ = 0;
    std::uint64_t handled_ = 0;
    std::uint64_t records_ = 0;

    std::vector<Thread> threads_;
    std::vector<Processors> processors_; // of nodes
    std::vector<std::uint32_t> touched_; // nodes whose ready queue grew

    std::vector<LinkSet> node_links_;
    std::vector<LinkSet> task_links_;
    std::vector<LinkSet> wan_links_;        // of clusters
    std::vector<LinkSet> connection_links_; // one each way shares them, as in Dimemas
    std::vector<BusSet> buses_;             // of clusters
    std::vector<BusSet> memory_buses_;      // of nodes
    std::vector<Transfer> transfers_;
    std::vector<std::uint32_t> free_transfers_;

    MatchQueues arrived_;    // transfers nobody has received
    MatchQueues receivers_;  // threads blocked in a receive or wait
    MatchQueues announced_;  // sends whose receive has not been reached: 1 if by rendezvous
    MatchQueues expected_;   // receives whose send has not been reached: 1 if nonblocking
    MatchQueues rendezvous_; // transfers that may not start yet

    std::vector<CommunicatorState> communicators_;
    std::unordered_map<std::int64_t, std::uint32_t> communicator_index_;
    std::vector<CollectiveOp> collectives_;
    std::vector<Started> started_;
    std::vector<std::uint32_t> free_collectives_;

    CallTally tally_;
    ReplayPrediction found_; // messages, counted as they go
    std::vector<std::uint32_t> not_started_;
};

} // namespace orrery::dimemas
