// Point-to-point messages: matching, protocol, and handing the bytes to the network.
//
// A send and a receive are requests. A request completes once; if somebody waits for it (`Request::waiter`),
// the driver hears of that through `completed()`, a list that it drains after every call.
//
// A message matches where and when its envelope arrives: with all bytes of an eager message, with the request
// of a rendezvous (without a handshake that costs no time). A receive from any source takes the message that
// arrived first. Envelopes of a pair of ranks arrive in the order of the sends: one that overtakes another is
// held until that is there. With Matching::at_send a message matches as it is sent. Endpoints with interfaces
// match a message when a CPU takes it: messenger_interfaces.cpp.
//
// What leaves for the network at one instant leaves at its end, in the order of rank, CPU, and what it is
// (Leaving), then as the program has it: which rank was looked at first does not matter.
//
// Life of a message: sent (after the sender's overhead) -> flows (at once if eager, otherwise once matched and
// after the handshake) -> arrives -> its receive completes. An eager send completes when it is posted, a
// rendezvous send when its last byte has arrived. If receiving costs CPU time, the receive completes when a CPU
// has taken the message: the driver says when. One that is fetched flows at once, and so does its send.
//
// A handshake is two latencies, or two messages of `control_bytes` over the network: the request leaves when
// the send is posted; the clear-to-send goes back when the request has arrived and a receive matches. A send
// has one transfer under way at a time, all by the same number.
#pragma once

#include "engine/pool.h"
#include "engine/random.h"
#include "machine/noise.h"
#include "network/network.h"
#include "protocol/clock.h"
#include "protocol/endpoint_parameters.h"
#include "protocol/event_writer.h"
#include "protocol/matching.h"
#include "protocol/pair_table.h"
#include "protocol/processors.h"
#include "results/replay_log.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <tsl/robin_map.h>

namespace orrery {

using RequestId = std::uint32_t;
inline constexpr RequestId no_request = 0xFFFF'FFFF;
inline constexpr std::uint32_t nobody = 0xFFFF'FFFF;

// One cache line.
struct alignas(64) Request {
    enum class Kind : std::uint8_t { unused, send, recv, activity, transfer };
    // What of a send is on its way, or was last: its bytes, or a message of the handshake.
    enum class Phase : std::uint8_t { data, request, requested, clear_to_send };
    enum Flag : std::uint8_t {
        matched = 1,
        started = 2,  // its bytes are on the way
        arrived = 4,  // all of them
        complete = 8, // the poster may go on
        eager = 16,
        released = 32,   // the poster has forgotten it
        fetch = 64,      // the receiver's CPU fetches it, see EndpointParameters::fetched
        withdrawn = 128, // a send that nobody will receive; what of it is on its way still arrives
    };
    Time posted;
    // Of a send: when its bytes left; if they arrived before there was a receive: when that was. With
    // interfaces, of a send: when the sender's CPU is done with it, then when the receiver's is; of a receive:
    // when it is done.
    Time moved;
    Bytes bytes = 0;
    // With interfaces: of who waits for it, drawn when its end became known. Without: its place among what its
    // CPU does (Message::order), and when it completed, in ps, from then on.
    Clock::Turn turn = 0;
    std::uint32_t rank = 0;         // who posted it
    std::uint32_t peer = 0;         // destination; source (of a receive from anyone: once matched)
    RequestId partner = no_request; // that it matched; of a send before that: the next of its pair of ranks
    std::uint32_t context = 0;      // communicator
    std::uint32_t tag = 0;
    std::uint32_t waiter = nobody; // fiber that waits for it
    std::uint32_t line = 0;        // of the trace, for messages
    Kind kind = Kind::unused;
    std::uint8_t flags = 0;
    Phase phase = Phase::data;
    // The CPU of who posted it; with interfaces: that which takes the message, once chosen.
    enum Cpu : std::uint8_t { posters = 1, takers = 2, chosen = 4 };
    // Of an envelope: another of its pair is on the way before it; it has come and is held behind that; it has
    // come and was let in; it is there, and a CPU is to take it.
    enum Envelope : std::uint8_t { behind = 8, held = 16, announced = 32, to_be_taken = 64 };
    std::uint8_t bits = 0; // of both

    [[nodiscard]] bool is(Flag flag) const { return (flags & flag) != 0; }
    [[nodiscard]] bool is(Envelope bit) const { return (bits & bit) != 0; }
    // Of a message, for hash maps: unique, and mixed, because they take its low bits.
    [[nodiscard]] std::uint64_t pair_key() const { return mix_bits(std::uint64_t{peer} << 32 | rank); }
};
static_assert(sizeof(Request) == 64);

struct MessageStatistics {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    std::uint64_t point_to_point = 0; // of them, messages of the application itself, not of its collectives
    std::uint64_t point_to_point_bytes = 0;
    std::uint64_t truncated = 0;             // received into a smaller buffer than the message needs
    std::array<std::uint64_t, 65> by_size{}; // [k]: messages of 2^(k-1) to 2^k - 1 bytes; [0]: empty ones
};

// Who moves the bytes of messages, where there are any (emulation). It knows a message by the `line` of its
// send and of its receive.
class Payloads {
  public:
    virtual ~Payloads() = default;
    // Posted just now; it may be matched already. The sender may go on at once if it is eager.
    virtual void sent(const Request& send, const Request* recv) = 0;
    // All bytes are there and the receive is about to complete.
    virtual void deliver(const Request& send, const Request& recv) = 0;
    // It will be delivered soon.
    virtual void prefetch(const Request& send) const = 0;
};

class Messenger {
  public:
    // `hosts`: where each rank runs. `observer`, `payloads`: null if there is none.
    Messenger(const EndpointParameters& endpoint, Network& network, Clock& clock, std::vector<HostId> hosts,
              ReplayObserver* observer, Payloads* payloads = nullptr);

    struct Message {
        std::uint32_t from = 0;
        std::uint32_t to = 0;
        std::uint32_t context = 0;
        std::uint32_t tag = 0;
        Bytes bytes = 0;
        std::uint32_t line = 0;
        std::uint8_t cpu = 0;    // of the rank that posts it
        std::uint64_t order = 0; // without interfaces: its place among what that CPU does
    };
    RequestId send(const Message& message, bool synchronous);
    // `message.from` may be any_source, `message.tag` any_tag; `message.bytes` is the size of the buffer.
    RequestId recv(const Message& message);
    // The size of the oldest message that such a receive would take now, without taking it.
    std::optional<Bytes> peek(const Message& message);
    const Request* look_at(const Message& message);

    // Something of the driver's own that can be waited for like a message.
    RequestId activity(std::uint32_t rank);
    void finish(RequestId activity);

    // Bytes for the driver's own ends: no matching, no protocol. They are in transferred() once they have
    // arrived.
    RequestId transfer(std::uint32_t from, std::uint32_t to, Bytes bytes, std::uint32_t line);
    struct Transferred {
        std::uint32_t line = 0;
        std::uint32_t to = 0;
    };
    std::vector<Transferred>& transferred() { return transferred_; }
    // Takes the oldest message that such a receive would take, for a receive that is named later.
    std::optional<RequestId> take(const Message& message);
    RequestId recv_taken(RequestId send, const Message& message);
    // A receive that no message has matched, or a message that nobody has received or taken, is withdrawn and
    // complete; false: it was too late.
    bool cancel(RequestId request);

    // The poster is done with it: called once, after completion, or before if nobody will wait for it. A
    // receive that is forgotten before a message matches it stands back behind all others: it was cancelled,
    // or else a message will come that nobody else takes.
    void release(RequestId request);
    // Nothing else can happen any more: forgotten receives take what is there for them. Whether there was any.
    bool settle_forgotten();

    // The driver says when CPUs take messages that cost CPU time: each receive in to_take() is handed back by
    // taken() once, and so are sends that were fetched and whose completion costs time. `all`: otherwise only
    // what is fetched is taken so, and a wait pays for other receives (completion_cost).
    void let_driver_take(bool all) { driver_takes_ = all; }
    std::vector<RequestId>& to_take() { return to_take_; }
    void taken(RequestId request);
    // The sender of a message that is fetched learns that this is about to end.
    void told(RequestId send);
    // CPU time that taking it costs.
    [[nodiscard]] Time taking_cost(const Request& request) const;

    // What leaves at this instant does so.
    [[nodiscard]] bool departing() const { return !departures_.empty(); }
    void depart();

    // With interfaces (EndpointParameters::interfaces) a send is called when its CPU and interface are free,
    // and takes them; messages arrive by events of the clock, and are received when a CPU is free.
    void use(Processors& processors, Noise* noise);
    void use(EventWriter* events) { events_ = events; } // null: no log
    [[nodiscard]] EventWriter* events() const { return events_; }
    // Clock::Kind::arrival: a request without load, or, with interfaces, a message is at its destination; or
    // there a CPU may be free for it.
    void arrive(const Clock::Due& due);
    void answer(const Clock::Due& due); // Clock::Kind::answer: the next message of a handshake can be sent
    // The rank's second CPU is used from now on.
    void use_second_cpu(std::uint32_t rank);
    // By when a request that is complete is done. An eager send is when its sender's CPU is free again.
    [[nodiscard]] Time done(const Request& request) const {
        const bool later = request.kind != Request::Kind::send || !request.is(Request::eager);
        return endpoint_.interfaces && later ? request.moved : Time::zero();
    }
    // Ranks to whom an envelope has come, and when it can be seen. With interfaces: only if no receive waits
    // for it.
    struct Came {
        std::uint32_t rank = 0;
        Time at;
    };
    std::vector<Came>& came() { return came_; }

    void start_transfer(RequestId send); // a delayed start is due
    void arrive(std::span<const TransferId> transfers);

    [[nodiscard]] const Request& request(RequestId id) const { return requests_[id]; }
    Request& request(RequestId id) { return requests_[id]; }
    // CPU time that completing this receive costs the rank that waits for it.
    [[nodiscard]] Time completion_cost(const Request& request) const;
    std::vector<RequestId>& completed() { return completed_; }
    [[nodiscard]] const MessageStatistics& statistics() const { return statistics_; }
    [[nodiscard]] HostId host(std::uint32_t rank) const { return hosts_[rank]; }
    // Requests that have not completed, by the rank that posted them: to explain a deadlock.
    [[nodiscard]] std::vector<std::vector<RequestId>> pending() const;
    // Messages that nobody has received.
    [[nodiscard]] std::vector<RequestId> unreceived() const;
    [[nodiscard]] bool all_received() const { return unexpected_.size() == 0; }

  private:
    // An event log is written. It seldom is: that is kept out of the way of the rest.
    [[nodiscard]] bool logs() const { return __builtin_expect(static_cast<long>(events_ != nullptr), 0) != 0; }
    RequestId make(Request::Kind kind, const Message& message, std::uint32_t rank, std::uint32_t peer);
    bool withdraw(RequestId send);
    bool withdraw_by_interface(RequestId send);
    // It can be seen by a probe: with interfaces, once a CPU has taken it.
    [[nodiscard]] bool visible(RequestId send) const {
        return processors_ == nullptr || requests_[send].moved <= clock_.now();
    }
    void match(RequestId send, RequestId recv);
    void take_or_complete(RequestId send);
    void end_receive(RequestId send);
    void arrive_one(RequestId send);
    // --- matching at arrival
    // In this order: what others wait for first. An eager message that flows when its receive is there is none
    // of the sender's business any more: such leave in the order of their receivers.
    enum class Leaving : std::uint8_t { clear_to_send, data, eager_data, envelope, one_sided };
    struct Departure {
        std::uint64_t place = 0; // rank, CPU, what
        std::uint64_t order = 0;
        RequestId request = no_request;

        bool operator<(const Departure& other) const {
            return place != other.place ? place < other.place : order < other.order;
        }
    };
    void leave(Leaving what, RequestId send);
    void leave_with_data(RequestId send) {
        leave(requests_[send].is(Request::eager) ? Leaving::eager_data : Leaving::data, send);
    }
    void send_envelope(RequestId send);
    void join_pair(RequestId send);
    RequestId leave_pair(RequestId send);
    void envelope_arrived(RequestId send);
    void announce(RequestId send);
    void begin(RequestId send);
    void log_arrival(RequestId send);
    void came_to(std::uint32_t rank, Time at) {
        came_.push_back({rank, at});
        if (logs()) events_->came(rank, events_->present(rank));
    }
    void request_to_send(RequestId send);
    void clear_to_send(RequestId send);
    void complete(RequestId id);
    void dispose_if_over(RequestId send);
    void dispose(RequestId id);
    void deliver(RequestId send);
    void prefetch_partner(const Request& sent) const {
        if (sent.partner != no_request) __builtin_prefetch(&requests_[sent.partner], 1);
        if (payloads_ != nullptr) payloads_->prefetch(sent);
    }
    void tell_received(const Request& sent, Time arrived);
    std::optional<RequestId> take_posted(const Request& sent);
    // --- with interfaces (messenger_interfaces.cpp)
    void send_by_interface(RequestId send);
    void arrive_by_interface(const Clock::Due& due);
    Time occupy(std::uint32_t rank, std::uint32_t cpu, Processors::Use use, std::uint32_t peer, Time busy,
                Bytes bytes);
    Time depart(RequestId send, std::uint32_t rank, std::uint32_t cpu, Bytes bytes);
    bool hold_for_earlier(const Clock::Due& due, const Request& sent);
    void let_next_of_pair(const Request& sent);
    void take(RequestId send, std::uint32_t rank, std::uint32_t cpu);
    void match_taken(RequestId send, Time end);
    void finish_receive(RequestId send, Time end, Time arrived);
    void owe(RequestId send, Time ready);
    void hand_over(const Request& sent) {
        if (payloads_ != nullptr) payloads_->deliver(sent, requests_[sent.partner]);
    }

    const EndpointParameters& endpoint_;
    Network& network_;
    Clock& clock_;
    std::vector<HostId> hosts_;
    ReplayObserver* observer_; // null: nobody watches
    Payloads* payloads_;       // null: messages carry no data
    EventWriter* events_ = nullptr;
    Pool<Request> requests_;
    std::vector<RequestId> completed_;
    std::vector<RequestId> to_take_; // matched, and there
    std::vector<Departure> departures_;
    std::vector<Transferred> transferred_;
    std::uint64_t transfers_ = 0; // so far
    bool driver_takes_ = false;
    std::vector<RequestId> forgotten_; // receives that a message passed by
    MatchLists posted_{MatchLists::Holds::receives};
    MatchLists unexpected_{MatchLists::Holds::messages};
    struct Lists {
        MatchLists::List posted = 0;
        MatchLists::List unexpected = 0;
    };
    std::vector<Lists> lists_; // per rank
    MessageStatistics statistics_;
    Processors* processors_ = nullptr; // with interfaces
    Noise* noise_ = nullptr;
    std::vector<Came> came_;
    PairTable last_of_pair_;       // the last envelope under way of each pair of ranks that has any
    std::vector<bool> second_cpu_; // per rank: it is used
    // Messages of a pair of ranks that have arrived but are not taken: those that wait for a CPU, and those
    // held behind them.
    struct Pair {
        std::uint32_t waiting = 0;
        std::vector<Clock::Due> held;
    };
    tsl::robin_map<std::uint64_t, Pair> pairs_; // of ranks whose second CPU is used
};

} // namespace orrery
