// The model, event by event. The order of simultaneous events is part of the model: when each was made, where
// it happens, who made it (that rank itself, then others), and in which order these made theirs. All of that is
// kept when the event is put back. LogGOPSim's order is that in which all events of the run were made.
#include "reference/simulator.h"

#include <algorithm>
#include <cstddef>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace orrery::reference {
namespace {

enum class What {
    operation,     // an operation of the schedule starts
    message,       // an eager message, or the request of a rendezvous (RTS), is at its destination
    send_clear,    // handshake: the receiver sends the clear-to-send (CTS)
    clear_arrived, // handshake: the CTS is at the sender
    send_data,     // handshake: the sender sends the data
    data_arrived,  // handshake: the data is at the receiver
};

struct Event {
    Time time;
    Time made;
    std::uint32_t rank = 0;                  // where it happens
    std::optional<std::uint32_t> message_of; // who sent what arrives; nobody, who comes first, the rank's own
    std::uint64_t number = 0;                // of all that were made
    What what = What::operation;
    std::uint32_t op = 0;    // What::operation
    std::size_t message = 0; // all others
    bool loggopsim = false;

    bool operator<(const Event& other) const {
        if (loggopsim) return std::tie(time, number) < std::tie(other.time, other.number);
        const bool message_here = message_of.has_value();
        const bool message_there = other.message_of.has_value();
        return std::tie(time, made, message_here, rank, message_of, number) <
               std::tie(other.time, other.made, message_there, other.rank, other.message_of, other.number);
    }
};

struct Message {
    std::uint32_t source = 0;
    std::uint32_t destination = 0;
    std::uint32_t send_op = 0; // on the source
    std::uint32_t recv_op = 0; // on the destination, once matched
    std::uint32_t tag = 0;
    Bytes size = 0;
    bool is_request = false; // only the RTS of a handshake so far
    bool arrived = false;    // has chosen its CPU and NIC
    std::uint32_t cpu = 0;
    std::uint32_t nic = 0;
    Time overhead_end; // of its reception (of the RTS in a handshake)
};

struct Operation {
    std::vector<Dependency> dependents; // those that wait for this one, as written
    std::size_t waits_for = 0;          // dependencies that have not fallen
    Time ready;                         // the latest of those that have
    Time overhead_end;                  // of a send
    bool started = false;
    bool ended = false;
};

struct Rank {
    std::vector<Operation> ops;
    std::map<std::uint32_t, Time> cpu_free, tx_free, rx_free; // made as they are used, with time 0
    std::list<std::uint32_t> posted;                          // receive operations, in the order of posting
    std::list<std::size_t> unexpected;                        // messages, in the order of reception
};

class Simulator {
  public:
    Simulator(const std::vector<RankGraph>& graphs, const LogGOPS& parameters)
        : graphs_(graphs), p_(parameters), ranks_(graphs.size()) {}

    ReferenceResult run() {
        prepare();
        while (!queue_.empty()) {
            const Event event = *queue_.begin();
            queue_.erase(queue_.begin());
            now_ = event.time;
            handle(event);
            queue_freed();
        }
        return finish();
    }

  private:
    // ---- costs: size 0 has no per-byte cost, the first byte is in o and g ----
    static Time per_byte(Bytes size, double cost) {
        return size == 0 ? Time::zero() : Time::from_ps(static_cast<double>(size - 1) * cost);
    }
    Time cpu_per_byte(Bytes size) const { return per_byte(size, p_.O); }
    Time nic_per_byte(Bytes size) const { return per_byte(size, p_.G); }
    bool is_rendezvous(Bytes size) const { return size > p_.S; }

    // ---- the queue ----
    void add(Time time, What what, std::uint32_t rank, std::uint32_t op, std::size_t message) {
        std::optional<std::uint32_t> sender;
        if (what == What::message || what == What::data_arrived) sender = messages_[message].source;
        if (what == What::clear_arrived) sender = messages_[message].destination;
        queue_.insert(
            {time, now_, rank, sender, next_number_++, what, op, message, p_.ties == Ties::loggopsim});
    }
    // Occupies a CPU that is free: from `from` for o and what `per_byte_cost` adds.
    void occupy(std::uint32_t rank, Time& cpu_free, Time from, Time per_byte_cost) {
        cpu_free = from + p_.o + per_byte_cost;
        result_.overhead[rank] += p_.o + per_byte_cost;
    }
    bool put_back(Event event, Time until) {
        if (until <= event.time) return false;
        event.time = until;
        queue_.insert(event);
        return true;
    }

    void prepare() {
        result_.start.resize(graphs_.size());
        result_.end.resize(graphs_.size());
        result_.compute.resize(graphs_.size());
        result_.overhead.resize(graphs_.size());
        for (std::uint32_t r = 0; r < graphs_.size(); ++r) {
            const std::size_t count = graphs_[r].ops.size();
            ranks_[r].ops.resize(count);
            result_.start[r].resize(count);
            result_.end[r].resize(count);
            for (const Dependency& d : graphs_[r].dependencies) {
                ranks_[r].ops[d.before].dependents.push_back(d);
                ++ranks_[r].ops[d.after].waits_for;
            }
            for (std::uint32_t i = 0; i < count; ++i) {
                if (ranks_[r].ops[i].waits_for == 0) freed_[r].push_back(i);
            }
        }
        queue_freed();
    }

    // Operations that became free go into the queue: ranks ascending; in a rank send < recv < calc, otherwise
    // in the order in which they became free.
    void queue_freed() {
        for (auto& [r, ops] : freed_) {
            std::stable_sort(ops.begin(), ops.end(), [&, rank = r](std::uint32_t a, std::uint32_t b) {
                return graphs_[rank].ops[a].kind < graphs_[rank].ops[b].kind;
            });
            for (const std::uint32_t i : ops) {
                const Op& op = graphs_[r].ops[i];
                Time time = later(ranks_[r].ops[i].ready, ranks_[r].cpu_free[op.cpu]);
                if (op.kind == OpKind::send) time = later(time, ranks_[r].tx_free[op.nic]);
                add(time, What::operation, r, i, 0);
            }
        }
        freed_.clear();
    }

    // ---- dependencies ----
    void starts(std::uint32_t rank, std::uint32_t op, Time time) {
        ranks_[rank].ops[op].started = true;
        result_.start[rank][op] = time;
        free_dependents(rank, op, time, true);
    }
    void ends(std::uint32_t rank, std::uint32_t op, Time time) {
        ranks_[rank].ops[op].ended = true;
        result_.end[rank][op] = time;
        free_dependents(rank, op, time, false);
    }
    void free_dependents(std::uint32_t rank, std::uint32_t op, Time time, bool on_start) {
        for (const Dependency& d : ranks_[rank].ops[op].dependents) {
            if (d.on_start != on_start) continue;
            Operation& after = ranks_[rank].ops[d.after];
            after.ready = later(after.ready, time);
            if (--after.waits_for == 0) freed_[rank].push_back(d.after);
        }
    }

    void handle(const Event& event) {
        switch (event.what) {
        case What::operation:
            switch (graphs_[event.rank].ops[event.op].kind) {
            case OpKind::calc: calc(event); break;
            case OpKind::send: send(event); break;
            case OpKind::recv: recv(event); break;
            }
            break;
        case What::message: message(event); break;
        case What::send_clear: send_clear(event); break;
        case What::clear_arrived: clear_arrived(event); break;
        case What::send_data: send_data(event); break;
        case What::data_arrived: data_arrived(event); break;
        }
    }

    // ---- the operations ----
    void calc(const Event& event) {
        const Op& op = graphs_[event.rank].ops[event.op];
        Time& cpu = ranks_[event.rank].cpu_free[op.cpu];
        if (put_back(event, cpu)) return;
        const Time duration = Time::ps(static_cast<std::int64_t>(op.size));
        cpu = event.time + duration;
        result_.compute[event.rank] += duration;
        starts(event.rank, event.op, event.time);
        ends(event.rank, event.op, cpu);
    }

    void send(const Event& event) {
        const Op& op = graphs_[event.rank].ops[event.op];
        Time& cpu = ranks_[event.rank].cpu_free[op.cpu];
        Time& tx = ranks_[event.rank].tx_free[op.nic];
        if (put_back(event, later(cpu, tx))) return;

        const Time t = event.time;
        const bool handshake = is_rendezvous(op.size) && p_.rendezvous == Rendezvous::handshake;
        const Bytes size_now = handshake ? 1 : op.size; // the request is a message of one byte
        occupy(event.rank, cpu, t, cpu_per_byte(size_now));
        tx = t + p_.g + nic_per_byte(size_now);
        ranks_[event.rank].ops[event.op].overhead_end = cpu;

        Message m;
        m.source = event.rank;
        m.destination = op.peer;
        m.send_op = event.op;
        m.tag = op.tag;
        m.size = op.size;
        m.is_request = handshake;
        messages_.push_back(m);
        add(t + p_.o + p_.L, What::message, op.peer, 0, messages_.size() - 1);

        const Time end = cpu;
        starts(event.rank, event.op, t);
        if (!is_rendezvous(op.size)) ends(event.rank, event.op, end);
    }

    void recv(const Event& event) {
        Rank& rank = ranks_[event.rank];
        starts(event.rank, event.op, event.time);
        for (auto it = rank.unexpected.begin(); it != rank.unexpected.end(); ++it) {
            if (!matches(event.rank, event.op, messages_[*it])) continue;
            const std::size_t index = *it;
            rank.unexpected.erase(it);
            matched(index, event.op, event.time, later(event.time, messages_[index].overhead_end));
            return;
        }
        rank.posted.push_back(event.op);
    }

    // ---- messages ----
    bool matches(std::uint32_t rank, std::uint32_t recv_op, const Message& m) const {
        const Op& op = graphs_[rank].ops[recv_op];
        return (op.peer == any_source || op.peer == m.source) && (op.tag == any_tag || op.tag == m.tag);
    }
    std::list<std::uint32_t>::iterator find_posted(std::uint32_t rank, const Message& m) {
        auto& posted = ranks_[rank].posted;
        return std::find_if(posted.begin(), posted.end(),
                            [&](std::uint32_t op) { return matches(rank, op, m); });
    }

    void message(const Event& event) {
        Message& m = messages_[event.message];
        Rank& rank = ranks_[event.rank];
        auto& pair = arrived_[{m.source, m.destination}];

        // The first look: the CPU and NIC are those of the receive that waits for it, if one does.
        if (!m.arrived) {
            m.arrived = true;
            const auto waiting = find_posted(event.rank, m);
            const Op& op = waiting != rank.posted.end() ? graphs_[event.rank].ops[*waiting]
                                                        : graphs_[m.source].ops[m.send_op];
            m.cpu = op.cpu;
            m.nic = op.nic;
            pair.push_back(event);
        }

        // MPI's order between one pair of ranks: not before an earlier message that is still to be received.
        // The later one is looked at again when the earlier one has been received.
        if (pair.front().message != event.message) return;

        Time& cpu = rank.cpu_free[m.cpu];
        Time& rx = rank.rx_free[m.nic];
        if (put_back(event, later(cpu, rx))) return;
        pair.pop_front();
        if (!pair.empty()) {
            Event held = pair.front();
            held.time = event.time;
            queue_.insert(held); // made when it was
        }

        const Bytes size_now = m.is_request ? 1 : m.size;
        occupy(event.rank, cpu, event.time, later(cpu_per_byte(size_now), nic_per_byte(size_now)));
        rx = event.time + p_.g + nic_per_byte(size_now);
        m.overhead_end = cpu;

        const auto receive = find_posted(event.rank, m);
        if (receive == rank.posted.end()) {
            rank.unexpected.push_back(event.message);
            return;
        }
        const std::uint32_t recv_op = *receive;
        rank.posted.erase(receive);
        matched(event.message, recv_op, event.time, m.overhead_end);
    }

    // Message and receive have met at time `now`; the receive has all that it needs at time `end`.
    void matched(std::size_t index, std::uint32_t recv_op, Time now, Time end) {
        Message& m = messages_[index];
        m.recv_op = recv_op;
        if (m.is_request) {
            add(end, What::send_clear, m.destination, 0, index);
            return;
        }
        if (is_rendezvous(m.size)) { // the sender is released when the receiver takes the message
            Time& cpu = ranks_[m.source].cpu_free[graphs_[m.source].ops[m.send_op].cpu];
            cpu = later(cpu, now);
            ends(m.source, m.send_op, later(now, ranks_[m.source].ops[m.send_op].overhead_end));
        }
        ends(m.destination, recv_op, end);
    }

    // ---- the rest of the handshake; matched already, so there is no order to keep ----
    void send_clear(const Event& event) { // on the CPU and NIC of the receive operation
        const Op& op = graphs_[event.rank].ops[messages_[event.message].recv_op];
        Time& cpu = ranks_[event.rank].cpu_free[op.cpu];
        Time& tx = ranks_[event.rank].tx_free[op.nic];
        if (put_back(event, later(cpu, tx))) return;
        occupy(event.rank, cpu, event.time, Time::zero());
        tx = event.time + p_.g;
        add(event.time + p_.o + p_.L, What::clear_arrived, messages_[event.message].source, 0, event.message);
    }

    void clear_arrived(const Event& event) { // on the CPU and NIC of the send operation
        const Op& op = graphs_[event.rank].ops[messages_[event.message].send_op];
        Time& cpu = ranks_[event.rank].cpu_free[op.cpu];
        Time& rx = ranks_[event.rank].rx_free[op.nic];
        if (put_back(event, later(cpu, rx))) return;
        occupy(event.rank, cpu, event.time, Time::zero());
        rx = event.time + p_.g;
        add(cpu, What::send_data, event.rank, 0, event.message);
    }

    void send_data(const Event& event) {
        const Message& m = messages_[event.message];
        const Op& op = graphs_[event.rank].ops[m.send_op];
        Time& cpu = ranks_[event.rank].cpu_free[op.cpu];
        Time& tx = ranks_[event.rank].tx_free[op.nic];
        if (put_back(event, later(cpu, tx))) return;
        occupy(event.rank, cpu, event.time, cpu_per_byte(m.size));
        tx = event.time + p_.g + nic_per_byte(m.size);
        add(event.time + p_.o + p_.L, What::data_arrived, m.destination, 0, event.message);
        ends(event.rank, m.send_op, cpu);
    }

    void data_arrived(const Event& event) {
        const Message& m = messages_[event.message];
        const Op& op = graphs_[event.rank].ops[m.recv_op];
        Time& cpu = ranks_[event.rank].cpu_free[op.cpu];
        Time& rx = ranks_[event.rank].rx_free[op.nic];
        if (put_back(event, later(cpu, rx))) return;
        occupy(event.rank, cpu, event.time, later(cpu_per_byte(m.size), nic_per_byte(m.size)));
        rx = event.time + p_.g + nic_per_byte(m.size);
        ends(event.rank, m.recv_op, cpu);
    }

    ReferenceResult finish() {
        for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
            Time latest;
            for (const auto& [cpu, free] : ranks_[r].cpu_free) latest = later(latest, free);
            result_.finish.push_back(latest);
            for (std::uint32_t i = 0; i < ranks_[r].ops.size(); ++i) {
                const Operation& op = ranks_[r].ops[i];
                if (!op.ended) result_.unmatched.push_back({r, i, op.started, false, r});
            }
            for (const std::size_t m : ranks_[r].unexpected) {
                result_.unmatched.push_back({r, messages_[m].send_op, true, true, messages_[m].source});
            }
            result_.events += ranks_[r].ops.size();
        }
        result_.events += messages_.size();
        result_.deadlock = !result_.unmatched.empty();
        return std::move(result_);
    }

    const std::vector<RankGraph>& graphs_;
    const LogGOPS p_;
    std::vector<Rank> ranks_;
    std::vector<Message> messages_;
    std::set<Event> queue_;
    Time now_;
    std::uint64_t next_number_ = 0;
    std::map<std::uint32_t, std::vector<std::uint32_t>> freed_; // by rank, since the last event
    // Messages of one (source, destination) that have arrived and are not yet received, in the order of
    // arrival.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::list<Event>> arrived_;
    ReferenceResult result_;
};

} // namespace

ReferenceResult reference_simulate(const std::vector<RankGraph>& ranks, const LogGOPS& parameters) {
    return Simulator(ranks, parameters).run();
}

} // namespace orrery::reference
