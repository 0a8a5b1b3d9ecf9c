// The executor of collectives/symbolic.h: obvious rather than fast.
#include "collectives/symbolic.h"
#include "reference/symbolic_contents.h"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace orrery::test {

namespace {

Value of(std::uint32_t rank, Bytes offset) {
    Value value;
    value.ranks.set(rank);
    value.offset = offset;
    return value;
}

Value of_ranks(std::uint32_t first, std::uint32_t count, Bytes offset) {
    Value value;
    for (std::uint32_t i = first; i < first + count; ++i) value.ranks.set(i);
    value.offset = offset;
    return value;
}

struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Message {
    Runs data;
    Bytes bytes = 0;
    std::uint32_t sender = 0;
    std::uint64_t post = 0; // which of the sender's pending operations
    std::bitset<most_ranks> heard;
};

struct Pending {
    bool send = false;
    bool done = false;
    std::uint32_t request = 0;
    bool blocking = false;
    Piece piece;
    Runs snapshot;                 // of a send, when posted; of a receive, what has arrived
    std::bitset<most_ranks> heard; // with what has arrived
};

struct Rank {
    Steps steps;
    std::map<std::uint8_t, Contents> buffers;
    std::map<std::uint64_t, Pending> pending; // by number of posting
    std::vector<std::uint64_t> waiting;       // for these
    std::bitset<most_ranks> heard;            // the ranks that are known to have begun
    bool finished = false;
    std::uint64_t sent = 0;
    Bytes volume = 0;
};

class Machine {
  public:
    Machine(const Algorithm& algorithm, CollectiveTuning tuning, const Calls& calls, bool ordered,
            Sending sending)
        : ordered_(ordered), sending_(sending), ranks_(calls.size()), sends_(calls.size()),
          recvs_(calls.size()) {
        for (std::uint32_t r = 0; r < calls.size(); ++r) {
            ranks_[r].steps = algorithm.run(calls[r], tuning);
            if (!ranks_[r].steps) throw Failure("run() gave no steps");
            ranks_[r].heard.set(r);
        }
    }

    Contents& buffer(std::uint32_t rank, std::uint8_t which) { return ranks_[rank].buffers[which]; }

    void run() {
        for (bool progress = true; progress;) {
            progress = false;
            for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
                while (!ranks_[r].finished && advance(r)) progress = true;
            }
        }
        for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
            if (!ranks_[r].finished) throw Failure("deadlock: rank " + std::to_string(r) + " does not end");
            if (!ranks_[r].pending.empty()) throw Failure("rank " + std::to_string(r) + " forgot a request");
        }
        for (const auto& queues : sends_) {
            for (const auto& [peer, queue] : queues) {
                if (!queue.empty())
                    throw Failure("a message to rank " + std::to_string(peer) + " was not received");
            }
        }
    }

    // Has every rank heard, directly or not, that every other has begun?
    [[nodiscard]] bool everybody_heard_everybody() const {
        return std::all_of(ranks_.begin(), ranks_.end(),
                           [&](const Rank& rank) { return rank.heard.count() == ranks_.size(); });
    }

    [[nodiscard]] Outcome outcome() const {
        Outcome out;
        for (const Rank& rank : ranks_) {
            out.messages += rank.sent;
            out.volume += rank.volume;
            out.most_sent = std::max(out.most_sent, rank.sent);
            out.most_volume = std::max(out.most_volume, rank.volume);
        }
        return out;
    }

  private:
    Runs read(std::uint32_t rank, Piece piece) {
        return buffer(rank, piece.buffer).read(piece.offset, piece.bytes);
    }

    // Goes on if it can; false if it must wait.
    bool advance(std::uint32_t r) {
        Rank& rank = ranks_[r];
        for (const std::uint64_t post : rank.waiting) {
            if (!rank.pending.at(post).done) return false;
        }
        for (const std::uint64_t post : rank.waiting) complete(r, post);
        rank.waiting.clear();
        const Step* const step = rank.steps.next();
        if (step == nullptr) {
            rank.finished = true;
            return true;
        }
        carry_out(r, *step);
        return true;
    }

    void complete(std::uint32_t r, std::uint64_t post) {
        Rank& rank = ranks_[r];
        const Pending pending = rank.pending.at(post);
        rank.pending.erase(post);
        if (!pending.send) {
            rank.heard |= pending.heard;
            buffer(r, pending.piece.buffer).write(pending.piece.offset, pending.snapshot);
        } else if (read(r, pending.piece) != pending.snapshot) {
            throw Failure("rank " + std::to_string(r) + " changed a buffer that it was still sending");
        }
    }

    void carry_out(std::uint32_t r, const Step& step) {
        Rank& rank = ranks_[r];
        switch (step.kind) {
        case Step::Kind::send: rank.waiting = {post_send(r, step, true)}; break;
        case Step::Kind::recv: rank.waiting = {post_recv(r, step.peer, step, true)}; break;
        case Step::Kind::isend: post_send(r, step, false); break;
        case Step::Kind::irecv: post_recv(r, step.peer, step, false); break;
        case Step::Kind::sendrecv: {
            const std::uint64_t out = post_send(r, step, true);
            rank.waiting = {out, post_recv(r, step.source, step, true)};
            break;
        }
        case Step::Kind::wait:
            for (const auto& [post, pending] : rank.pending) {
                if (!pending.blocking && pending.request == step.request) rank.waiting.push_back(post);
            }
            if (rank.waiting.size() != 1) throw Failure("rank " + std::to_string(r) + " waits for no request");
            break;
        case Step::Kind::wait_all:
            for (const auto& [post, pending] : rank.pending) rank.waiting.push_back(post);
            break;
        case Step::Kind::copy:
            if (step.from.bytes != step.to.bytes) throw Failure("a copy of different sizes");
            buffer(r, step.to.buffer).write(step.to.offset, read(r, step.from));
            break;
        case Step::Kind::reduce: combine(r, step, true); break;
        case Step::Kind::reduce_after: combine(r, step, false); break;
        }
    }

    void check_request(std::uint32_t r, std::uint32_t request) {
        for (const auto& [post, pending] : ranks_[r].pending) {
            if (!pending.blocking && pending.request == request)
                throw Failure("a request number is used twice at a time");
        }
    }

    std::uint64_t post_send(std::uint32_t r, const Step& step, bool blocking) {
        if (step.peer >= ranks_.size()) throw Failure("a message to a rank that is not there");
        if (!blocking) check_request(r, step.request);
        Rank& rank = ranks_[r];
        const std::uint64_t post = ++posts_;
        const Runs data = read(r, step.from);
        rank.pending[post] = {true, sending_ == Sending::buffered, step.request, blocking, step.from, data, {}};
        if (step.peer != r) {
            ++rank.sent;
            rank.volume += step.from.bytes;
        }
        sends_[r][step.peer].push_back({data, step.from.bytes, r, post, rank.heard});
        match(r, step.peer);
        return post;
    }

    std::uint64_t post_recv(std::uint32_t r, std::uint32_t source, const Step& step, bool blocking) {
        if (source >= ranks_.size()) throw Failure("a message from a rank that is not there");
        if (!blocking) check_request(r, step.request);
        const std::uint64_t post = ++posts_;
        ranks_[r].pending[post] = {false, false, step.request, blocking, step.to, {}, {}};
        recvs_[source][r].push_back(post);
        match(source, r);
        return post;
    }

    // Messages between two ranks meet in order.
    void match(std::uint32_t from, std::uint32_t to) {
        auto& sends = sends_[from][to];
        auto& recvs = recvs_[from][to];
        while (!sends.empty() && !recvs.empty()) {
            const Message message = sends.front();
            Pending& receive = ranks_[to].pending.at(recvs.front());
            if (message.bytes != receive.piece.bytes) {
                throw Failure("rank " + std::to_string(from) + " sends " + std::to_string(message.bytes) +
                              " bytes, rank " + std::to_string(to) + " expects " +
                              std::to_string(receive.piece.bytes));
            }
            receive.snapshot = message.data;
            receive.heard = message.heard;
            receive.done = true;
            const auto sent = ranks_[from].pending.find(message.post);
            if (sent != ranks_[from].pending.end()) sent->second.done = true;
            sends.pop_front();
            recvs.pop_front();
        }
    }

    void combine(std::uint32_t r, const Step& step, bool before) {
        if (step.from.bytes != step.to.bytes) throw Failure("a reduction of different sizes");
        const Runs from = read(r, step.from);
        const Runs to = read(r, step.to);
        Runs out;
        std::size_t i = 0;
        std::size_t j = 0;
        Bytes skip_from = 0;
        Bytes skip_to = 0;
        while (i < from.size() && j < to.size()) {
            const Bytes length = std::min(from[i].length - skip_from, to[j].length - skip_to);
            Value a = from[i].value;
            Value b = to[j].value;
            a.offset += skip_from;
            b.offset += skip_to;
            out.push_back({length, combined(r, before ? a : b, before ? b : a)});
            skip_from += length;
            skip_to += length;
            if (skip_from == from[i].length) ++i, skip_from = 0;
            if (skip_to == to[j].length) ++j, skip_to = 0;
        }
        buffer(r, step.to.buffer).write(step.to.offset, tidy(out));
    }

    Value combined(std::uint32_t r, const Value& left, const Value& right) const {
        if (left.ranks.none() || right.ranks.none()) return {}; // padding stays padding
        if (left.offset != right.offset)
            throw Failure("rank " + std::to_string(r) + " reduces what does not belong together");
        if ((left.ranks & right.ranks).any())
            throw Failure("rank " + std::to_string(r) + " reduces a contribution twice");
        if (ordered_) {
            std::size_t last = left.ranks.size();
            while (!left.ranks.test(last - 1)) --last;
            if (right.ranks._Find_first() != last)
                return {}; // worth nothing; some blocks are not needed any more
        }
        return {left.ranks | right.ranks, left.offset};
    }

    bool ordered_;
    Sending sending_;
    std::vector<Rank> ranks_;
    std::vector<std::map<std::uint32_t, std::deque<Message>>> sends_; // [from][to]
    std::vector<std::map<std::uint32_t, std::deque<std::uint64_t>>> recvs_;
    std::uint64_t posts_ = 0;
};

Bytes sum(const std::vector<Bytes>& counts, std::size_t until) {
    return std::accumulate(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(until), Bytes{0});
}

// One buffer as it is at the beginning, or as it must be at the end.
struct Region {
    std::uint32_t rank;
    std::uint8_t buffer;
    Bytes at;
    Run run;
};

// The inputs; where the call is in place they lie in the receive buffer.
std::vector<Region> inputs(const Shape& shape, const Calls& calls) {
    std::vector<Region> all;
    const std::uint32_t p = shape.size;
    for (std::uint32_t r = 0; r < p; ++r) {
        const std::uint8_t where = calls[r].in_place ? receive_buffer : send_buffer;
        Bytes own = shape.bytes;
        Bytes at = 0;
        switch (shape.operation) {
        case Collective::barrier: continue;
        case Collective::bcast:
            if (r == shape.root) all.push_back({r, receive_buffer, 0, {shape.bytes, of(r, 0)}});
            continue;
        case Collective::gather:
        case Collective::allgather: at = calls[r].in_place ? r * shape.bytes : 0; break;
        case Collective::gatherv:
        case Collective::allgatherv:
            own = shape.counts[r];
            at = calls[r].in_place ? sum(shape.counts, r) : 0;
            break;
        case Collective::scatter:
            if (r == shape.root) all.push_back({r, send_buffer, 0, {p * shape.bytes, of(r, 0)}});
            continue;
        case Collective::scatterv:
            if (r == shape.root) all.push_back({r, send_buffer, 0, {sum(shape.counts, p), of(r, 0)}});
            continue;
        case Collective::alltoall: own = p * shape.bytes; break;
        case Collective::alltoallv:
        case Collective::alltoallw: own = sum(shape.matrix[r], p); break;
        case Collective::reduce_scatter: own = sum(shape.counts, p); break;
        case Collective::reduce_scatter_block: own = p * shape.bytes; break;
        case Collective::neighbor_alltoall: own = shape.edges[r].size() * shape.bytes; break;
        case Collective::neighbor_alltoallv:
        case Collective::neighbor_alltoallw:
            own = std::accumulate(calls[r].send_counts.begin(), calls[r].send_counts.end(), Bytes{0});
            break;
        case Collective::neighbor_allgatherv: own = calls[r].bytes; break;
        default: break;
        }
        all.push_back({r, where, at, {own, of(r, 0)}});
    }
    return all;
}

// What MPI prescribes for the receive buffers.
std::vector<Region> results(const Shape& shape, const Calls& calls) {
    std::vector<Region> all;
    const std::uint32_t p = shape.size;
    for (std::uint32_t r = 0; r < p; ++r) {
        const auto expect = [&](Bytes at, Bytes length, Value value) {
            all.push_back({r, receive_buffer, at, {length, value}});
        };
        switch (shape.operation) {
        case Collective::barrier: break;
        case Collective::bcast: expect(0, shape.bytes, of(shape.root, 0)); break;
        case Collective::gather:
        case Collective::allgather:
            if (shape.operation == Collective::gather && r != shape.root) break;
            for (std::uint32_t s = 0; s < p; ++s) expect(s * shape.bytes, shape.bytes, of(s, 0));
            break;
        case Collective::gatherv:
        case Collective::allgatherv:
            if (shape.operation == Collective::gatherv && r != shape.root) break;
            for (std::uint32_t s = 0; s < p; ++s) expect(sum(shape.counts, s), shape.counts[s], of(s, 0));
            break;
        case Collective::scatter:
            if (!calls[r].in_place) expect(0, shape.bytes, of(shape.root, r * shape.bytes));
            break;
        case Collective::scatterv:
            if (!calls[r].in_place) expect(0, shape.counts[r], of(shape.root, sum(shape.counts, r)));
            break;
        case Collective::alltoall:
            for (std::uint32_t s = 0; s < p; ++s) expect(s * shape.bytes, shape.bytes, of(s, r * shape.bytes));
            break;
        case Collective::alltoallv:
        case Collective::alltoallw: {
            Bytes at = 0;
            for (std::uint32_t s = 0; s < p; ++s) {
                expect(at, shape.matrix[s][r], of(s, sum(shape.matrix[s], r)));
                at += shape.matrix[s][r];
            }
            break;
        }
        case Collective::reduce:
            if (r == shape.root) expect(0, shape.bytes, of_ranks(0, p, 0));
            break;
        case Collective::allreduce: expect(0, shape.bytes, of_ranks(0, p, 0)); break;
        case Collective::reduce_scatter:
            expect(0, shape.counts[r], of_ranks(0, p, sum(shape.counts, r)));
            break;
        case Collective::reduce_scatter_block: expect(0, shape.bytes, of_ranks(0, p, r * shape.bytes)); break;
        case Collective::scan: expect(0, shape.bytes, of_ranks(0, r + 1, 0)); break;
        case Collective::exscan:
            if (r > 0) expect(0, shape.bytes, of_ranks(0, r, 0));
            break;
        case Collective::neighbor_allgather:
        case Collective::neighbor_allgatherv:
        case Collective::neighbor_alltoall:
        case Collective::neighbor_alltoallv:
        case Collective::neighbor_alltoallw: {
            Bytes at = 0;
            for (std::size_t i = 0; i < calls[r].sources.size(); ++i) {
                const std::uint32_t s = calls[r].sources[i];
                // The i-th source's place for this rank: the same occurrence in its list of destinations.
                std::size_t occurrence = 0;
                for (std::size_t j = 0; j < i; ++j) occurrence += calls[r].sources[j] == s ? 1 : 0;
                Bytes offset = 0;
                Bytes length = calls[s].bytes;
                for (std::size_t j = 0; j < calls[s].destinations.size(); ++j) {
                    const bool counted = !calls[s].send_counts.empty();
                    length = counted ? calls[s].send_counts[j] : calls[s].bytes;
                    if (calls[s].destinations[j] == r && occurrence-- == 0) break;
                    offset += length;
                }
                const bool gathers = shape.operation == Collective::neighbor_allgather ||
                                     shape.operation == Collective::neighbor_allgatherv;
                expect(at, length, of(s, gathers ? 0 : offset));
                at += length;
            }
            break;
        }
        }
    }
    return all;
}

} // namespace

Outcome run_symbolically(const Algorithm& algorithm, CollectiveTuning tuning, const Shape& shape,
                         Sending sending) {
    Outcome failed;
    try {
        const Calls calls(shape);
        Machine machine(algorithm, tuning, calls, !shape.commutative, sending);
        for (const Region& input : inputs(shape, calls)) {
            machine.buffer(input.rank, input.buffer).write(input.at, {input.run});
        }
        machine.run();
        for (const Region& wanted : results(shape, calls)) {
            if (wanted.run.length == 0) continue;
            const Runs found = machine.buffer(wanted.rank, wanted.buffer).read(wanted.at, wanted.run.length);
            if (found != Runs{wanted.run}) {
                throw Failure("rank " + std::to_string(wanted.rank) + " has not what it must at " +
                              std::to_string(wanted.at));
            }
        }
        Outcome outcome = machine.outcome();
        outcome.synchronised = machine.everybody_heard_everybody();
        return outcome;
    } catch (const Failure& failure) {
        failed.problem = failure.what();
    }
    return failed;
}

std::string Shape::words() const {
    std::ostringstream out;
    out << name_of(operation) << " of " << size << " ranks, root " << root << ", " << bytes
        << " bytes, element " << element << (commutative ? "" : ", not commutative")
        << (in_place ? ", in place" : "") << (node_of.empty() ? "" : ", on nodes");
    return out.str();
}

Calls::Calls(const Shape& shape) : shape_(shape) {
    const std::uint32_t p = shape.size;
    columns_.resize(p);
    sources_.resize(p);
    send_.resize(p);
    receive_.resize(p);
    for (std::uint32_t r = 0; r < p; ++r) {
        for (std::uint32_t s = 0; s < p && !shape_.matrix.empty(); ++s)
            columns_[r].push_back(shape_.matrix[s][r]);
        for (std::uint32_t s = 0; s < p && !shape_.edges.empty(); ++s) {
            for (const std::uint32_t target : shape_.edges[s]) {
                if (target == r) sources_[r].push_back(s);
            }
        }
    }
    // Irregular neighbourhoods: what goes from s to its j-th neighbour has bytes + s + j bytes (of s: bytes +
    // s).
    const bool counted =
        shape.operation == Collective::neighbor_alltoallv || shape.operation == Collective::neighbor_alltoallw;
    for (std::uint32_t s = 0; s < p && !shape_.edges.empty(); ++s) {
        for (std::size_t j = 0; j < shape_.edges[s].size(); ++j) {
            const Bytes bytes = shape.bytes + s + (counted ? j : 0);
            if (counted) send_[s].push_back(bytes);
            receive_[shape_.edges[s][j]].push_back(bytes);
        }
    }
    for (std::uint32_t r = 0; r < p; ++r) {
        CollectiveCall call;
        call.operation = shape.operation;
        call.rank = r;
        call.size = p;
        call.root = shape.root;
        call.bytes = shape.bytes;
        call.element = shape.element;
        call.commutative = shape.commutative;
        const bool rooted = shape.operation == Collective::gather || shape.operation == Collective::gatherv ||
                            shape.operation == Collective::scatter || shape.operation == Collective::scatterv ||
                            shape.operation == Collective::reduce;
        call.in_place = shape.in_place && (!rooted || r == shape.root);
        call.node_of = shape_.node_of;
        switch (shape.operation) {
        case Collective::gatherv:
            call.bytes = shape_.counts[r];
            if (r == shape.root) call.receive_counts = shape_.counts;
            break;
        case Collective::scatterv:
            call.bytes = shape_.counts[r];
            if (r == shape.root) call.send_counts = shape_.counts;
            break;
        case Collective::allgatherv:
        case Collective::reduce_scatter:
            call.bytes = shape_.counts[r];
            call.receive_counts = shape_.counts;
            break;
        case Collective::alltoallv:
        case Collective::alltoallw:
            call.bytes = 0;
            call.send_counts = shape_.matrix[r];
            call.receive_counts = columns_[r];
            break;
        case Collective::neighbor_allgather:
        case Collective::neighbor_allgatherv:
        case Collective::neighbor_alltoall:
        case Collective::neighbor_alltoallv:
        case Collective::neighbor_alltoallw:
            call.sources = sources_[r];
            call.destinations = shape_.edges[r];
            if (shape.operation == Collective::neighbor_allgatherv) {
                call.bytes = shape.bytes + r;
                call.receive_counts = receive_[r];
            } else if (counted) {
                call.send_counts = send_[r];
                call.receive_counts = receive_[r];
            }
            break;
        default: break;
        }
        calls_.push_back(call);
    }
}

} // namespace orrery::test
