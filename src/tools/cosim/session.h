// One client of the co-simulation: the lines that it sends, and what the network answers.
//
// The protocol is that of Venus, the network simulator of Dimemas (Minkenberg and Rodriguez, 2009): the client
// owns the application and hands over messages (SEND, PROTO); with STOP it says when its own next event is, and
// with END it gives the turn to us. We run our network up to that time, but no further than to the first
// delivery, report it (COMPLETED SEND) and give the turn back (END). So neither side ever sees its past change.
// docs/serve.md has the grammar.
//
// A session does no input or output: it takes lines and gives answers, one for each END. An answer is shorter
// than 500 bytes, which is what an unmodified Dimemas reads at once; further deliveries of the same instant go
// with the next answer. Whatever is wrong with a line ends the session with a SessionError.
#pragma once

#include "engine/ids.h"
#include "engine/pool.h"
#include "network/network.h"
#include "tools/cosim/session_types.h"
#include "tools/cosim/stride.h"

#include <cstdint>
#include <deque>
#include <map>
#include <queue>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

class SessionWords;

class CosimSession {
  public:
    // `network` is the session's own.
    CosimSession(Network& network, CosimOptions options);

    // A line without its end. The answer, to be sent in one piece; empty if there is none.
    std::string take(std::string_view line);
    [[nodiscard]] bool finished() const { return finished_; } // the client said FINISH
    [[nodiscard]] const CosimFigures& figures() const { return figures_; }

  private:
    enum class Phase : std::uint8_t { data, request, clear_to_send };
    using MessageId = std::uint32_t;

    // From SEND or PROTO to its report. Tokens are the client's own, and go back as they came.
    struct Message {
        HostId from;
        HostId to;
        Bytes bytes = 0;
        Phase phase = Phase::data;
        bool requested = false; // rendezvous: the request has arrived
        bool ready = false;     // rendezvous: the receiver is ready
        Time ready_at;
        Time left;          // its first byte was handed to the network
        std::string tokens; // "<src> <dst> <size> <ev> <evres> <src> <dst>"
    };
    // Something that is to enter the network, or a protocol message without load that arrives.
    struct Start {
        Time time;
        std::uint64_t order = 0;
        MessageId message = 0;
        bool arrives = false;
        bool operator>(const Start& other) const {
            return time != other.time ? time > other.time : order > other.order;
        }
    };
    struct Delivery {
        Time time;
        MessageId message = 0;
    };

    void send(SessionWords words);
    void protocol(SessionWords words);
    void clear_to_send_if_due(MessageId id);
    MessageId make(HostId from, HostId to, Bytes bytes);
    void enter(MessageId id, Phase phase, Time time);
    void start(const Start& due);
    void start_control(MessageId id, HostId from, HostId to);
    void arrive(MessageId id);
    std::string answer();
    void run();

    Network& network_;
    CosimOptions options_;
    CosimFigures figures_;
    Time now_;
    Time stop_ = Time::ticks(-1); // the client has not said anything yet
    Pool<Message> messages_;
    std::uint32_t under_way_ = 0;
    std::priority_queue<Start, std::vector<Start>, std::greater<>> starts_;
    std::uint64_t order_ = 0;
    std::deque<Delivery> delivered_; // not reported yet
    // Rendezvous whose receiver is not ready yet, by "<src> <dst> <tag> <size> <src_app> <dst_app>".
    std::map<std::string, std::deque<MessageId>, std::less<>> offered_;
    std::vector<TransferId> arrived_;
    Stride stride_;
    bool finished_ = false;
};

} // namespace orrery
