// A flit-by-flit network: flit_cycle.cpp moves what is under way, flit_routes.cpp asks the routing,
// flit_arbitration.cpp arbitrates channels.
#pragma once

#include "reference/flit_state.h"

#include <array>

namespace orrery::reference {

class FlitSimulation final : private LoadView {
  public:
    FlitSimulation(const Fabric& fabric, const Routing& routing, const PacketParameters& parameters,
                   std::span<const FlitMessage> messages);
    FlitRun run();

  private:
    void set_up_lines();
    void cut_messages();
    void find_cycle();

    // The events of one round of the present instant (flit_cycle.cpp).
    void process_events();
    bool move_flits();
    void flit_left(Line& line);
    void segment_left(Line& line, Passage& passage);
    void free_input(const Passage& passage, std::uint32_t flits);
    void crossed(Line& line);
    void flit_arrives(Line& line, const FlitOnWire& flit);
    void check_marks(Line& line);
    void receive_notice(Line& line, const Notice& notice);

    // Routes (flit_routes.cpp).
    void join(std::uint32_t message);
    void offer_next(HostId host, bool priority);
    void started(HostId host, bool priority);
    void decide_hops();
    void decide_hop(Passage& passage, NodeId at);
    void set_lanes(const FlitSegment& segment) const;
    [[nodiscard]] Bytes queued(LinkId channel) const override;
    [[nodiscard]] bool waits_for(const Passage& passage, LinkId channel) const;
    [[nodiscard]] bool per_segment() const { return routing_.decides() >= Decides::per_packet; }

    // Arbitration (flit_arbitration.cpp). True if something was granted.
    bool arbitrate();
    bool arbitrate_wire(Line& line);
    bool arbitrate_crossbar(Line& line);
    bool arbitrate_output_wire(Line& line);
    Passage* candidate_of_adapter(Line& line);
    Passage* candidate_of_inputs(Line& line);
    Passage* earliest_candidate(Line& line);
    [[nodiscard]] Time candidate_since(const Passage& passage, const Line& line) const;
    [[nodiscard]] bool may_start(const Passage& passage, const Line& line) const;
    [[nodiscard]] bool may_send_flit(const Passage& passage, const Line& line) const;
    [[nodiscard]] bool flow_control_agrees(const Line& line, std::uint32_t lane, std::uint32_t flits) const;
    void send(Line& line, Passage& passage);
    void send_flit(Line& line, Passage& passage);

    [[nodiscard]] Line& line(LinkId channel) { return lines_[channel.index()]; }
    [[nodiscard]] std::uint32_t in_flits(Bytes bytes) const {
        return static_cast<std::uint32_t>(bytes / parameters_.flit);
    }
    [[nodiscard]] bool wormhole() const { return parameters_.switching == Switching::wormhole; }
    [[nodiscard]] bool combined() const { return parameters_.queueing == Queueing::combined; }
    // The pairs (input port, lane) of the node that a channel leaves; an adapter is one port.
    [[nodiscard]] std::uint64_t pairs(const Line& line) const;
    [[nodiscard]] std::uint64_t pair_of(const Passage& passage) const;
    [[nodiscard]] bool is_priority(std::uint64_t lane) const {
        return parameters_.control_priority && lane + 1 == lanes_;
    }

    const Fabric& fabric_;
    const Routing& routing_;
    const PacketParameters& parameters_;
    std::span<const FlitMessage> messages_;
    std::uint32_t lanes_;
    std::vector<Line> lines_;                         // by LinkId
    std::vector<std::uint32_t> waiting_;              // segments in the input buffers of each node
    std::deque<std::vector<Hop>> paths_;              // of each segment
    std::vector<std::array<Undecided, 2>> undecided_; // of each host; the second one has priority
    std::vector<Outgoing> outgoing_;                  // of each message, until it joins
    std::vector<std::uint32_t> to_arrive_;            // segments of each message
    std::uint32_t next_message_ = 0;                  // that has not joined yet
    std::uint32_t missing_ = 0;                       // messages that have not arrived
    Time now_;
    Time cycle_;
    Time patience_;  // longer than any of the times that something may take on its own
    Time last_move_; // something happened
    FlitRun result_;
};

} // namespace orrery::reference
