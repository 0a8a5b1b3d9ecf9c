// A run over the packet network as a Paraver trace, as Venus wrote them (Minkenberg and Rodriguez, 2009, table
// 1): a task per adapter or switch, a thread per port.
//
//   state   of a port: what its input buffer holds, in units of a quantum, rounded up
//   events  stop and go as the port sends them, head-of-line blocking in its buffer, segments that it sends
//   record  a message passes a link. Logical send: its first flit is there to be sent; physical send: its first
//           flit is sent; logical reception: its first flit is received; physical reception: its last flit.
//           The size is that of the message, the tag its number.
//
// Memory: what is under way (a few bytes per message and link), and a few bytes per port.
#pragma once

#include "network/packet/observer.h"
#include "observe/paraver/trace_writer.h"

#include <cstdint>
#include <string>
#include <vector>

#include <tsl/robin_map.h>

namespace orrery {

// The network in names and numbers, as far as such a trace shows it.
struct NetworkMap {
    struct Node {
        std::string name;
        std::uint32_t ports = 0;
    };
    struct Channel {
        std::uint32_t from = 0; // a node
        std::uint32_t to = 0;
        std::uint32_t from_port = 0;
        std::uint32_t to_port = 0;
        Time latency;
    };
    std::vector<Node> nodes;
    std::vector<Channel> channels; // by LinkId; one that joins nothing has from == to
};

class ParaverNetworkTrace final : public PacketObserver {
  public:
    enum Event : std::uint32_t {
        flow_control = 66'000'001, // 1: stop, 0: go; with several lanes the number of those stopped
        head_of_line = 66'000'002, // the number of lanes blocked, 0: none
        segment = 66'000'003,      // its number in its message, from 1; 0: it has been sent
        message_number = 66'000'004,
    };

    // `quantum`: bytes of backlog per state. Throws as TraceWriter does.
    ParaverNetworkTrace(const std::string& path, NetworkMap map, Bytes quantum,
                        std::size_t run_records = std::size_t{1} << 18);

    void message(const Message& message) override;
    void traversal(const Traversal& traversal) override;
    void backlog(LinkId channel, Time now, Bytes bytes) override;
    void stop(LinkId channel, Time now) override;
    void go(LinkId channel, Time now) override;
    void blocked(LinkId channel, Time now) override;
    void unblocked(LinkId channel, Time now) override;
    void arrived(std::uint64_t message, Time now) override;

    // The run is over; the files appear.
    void finish(Time end);

  private:
    // A message on a link.
    struct Passage {
        LinkId channel;
        Time ready;
        Time start;
        Time end;
    };
    struct UnderWay {
        Bytes bytes = 0;
        std::vector<Passage> passages; // few: the links of its way
    };
    // The buffer at the end of a channel.
    struct Buffer {
        std::uint32_t level = 0;
        Time since;
        std::uint32_t stopped = 0; // lanes
        std::uint32_t blocked = 0;
    };

    [[nodiscard]] paraver::Entity sender(LinkId channel) const;
    [[nodiscard]] paraver::Entity receiver(LinkId channel) const;
    void set_level(LinkId channel, Time now, std::uint32_t level);

    NetworkMap map_;
    Bytes quantum_;
    paraver::TraceWriter writer_;
    std::vector<Buffer> buffers_; // by channel
    tsl::robin_map<std::uint64_t, UnderWay> under_way_;
    std::uint32_t highest_ = 0;    // level seen
    std::uint32_t most_lanes_ = 1; // stopped or blocked at once
};

} // namespace orrery
