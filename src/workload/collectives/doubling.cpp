// Algorithms whose partners stand at distances 1, 2, 4, ...: log2(P) rounds.
#include "workload/collectives/building.h"

namespace orrery::collectives {

namespace {

// Rounds of an exchange, each of which may use all that was received before it: a send waits for the send and
// the receive of the round before.
class Rounds {
  public:
    explicit Rounds(Fragment& f) : f_(f) {}
    void send(std::uint32_t to, Bytes bytes) {
        const std::uint32_t op = f_.send(to, bytes);
        f_.require(op, last_send_);
        f_.require(op, last_recv_);
        last_send_ = op;
    }
    void recv(std::uint32_t from, Bytes bytes) { last_recv_ = f_.recv(from, bytes); }

  private:
    Fragment& f_;
    std::uint32_t last_send_ = no_operation;
    std::uint32_t last_recv_ = no_operation;
};

// Where the number of members is not a power of two, the first 2 rem of them work in pairs: the even one hands
// its data to the odd one, sits out, and is given the result. The others are numbered anew, 0 to `size` - 1.
struct Folded {
    std::uint32_t size;
    std::uint32_t rem;
    bool sits_out;
    bool has_partner;
    std::uint32_t rank = 0; // among those that take part

    explicit Folded(const Fragment& f)
        : size(std::bit_floor(f.size())), rem(f.size() - size),
          sits_out(f.rank() < 2 * rem && f.rank() % 2 == 0), has_partner(f.rank() < 2 * rem),
          rank(f.rank() < 2 * rem ? f.rank() / 2 : f.rank() - rem) {}
    [[nodiscard]] std::uint32_t member(std::uint32_t folded) const {
        return folded < rem ? folded * 2 + 1 : folded + rem;
    }
};

template <typename Middle> void folded_exchange(Fragment& f, Bytes bytes, Middle&& middle) {
    const Folded folded(f);
    Rounds rounds(f);
    if (folded.sits_out) {
        rounds.send(f.rank() + 1, bytes);
        rounds.recv(f.rank() + 1, bytes);
        return;
    }
    if (folded.has_partner) rounds.recv(f.rank() - 1, bytes);
    middle(folded, rounds);
    if (folded.has_partner) rounds.send(f.rank() - 1, bytes);
}

void disseminate(Fragment& f, Bytes bytes) {
    std::uint32_t received = no_operation;
    for (Distance d = 1; d < f.size(); d *= 2) {
        const auto distance = static_cast<std::uint32_t>(d);
        f.require(f.send(after(f.rank(), distance, f.size()), bytes), received);
        received = f.recv(before(f.rank(), distance, f.size()), bytes);
    }
}

} // namespace

// LogGOPSim's: the same size in each round, a send waits for the receive of the round before and for nothing
// else.
void dissemination(Fragment& f, const FragmentCall& c) { disseminate(f, c.bytes); }
void dissemination_barrier(Fragment& f, const FragmentCall&) { disseminate(f, 1); }

// Bruck et al. 1997: what has been gathered doubles in each round; the last round sends the remainder.
void bruck_allgather(Fragment& f, const FragmentCall& c) {
    Rounds rounds(f);
    for (Distance d = 1; d < f.size(); d *= 2) {
        const auto distance = static_cast<std::uint32_t>(d);
        const Bytes bytes = times(c.bytes, d * 2 <= f.size() ? d : f.size() - d);
        rounds.send(before(f.rank(), distance, f.size()), bytes);
        rounds.recv(after(f.rank(), distance, f.size()), bytes);
    }
}

// Round k carries the blocks whose distance has bit k set.
void bruck_alltoall(Fragment& f, const FragmentCall& c) {
    Rounds rounds(f);
    for (Distance d = 1; d < f.size(); d *= 2) {
        const auto distance = static_cast<std::uint32_t>(d);
        const Distance whole = f.size() / (2 * d) * d; // those in complete groups of 2 d
        const Distance rest = f.size() % (2 * d);
        const Bytes bytes = times(c.bytes, whole + (rest > d ? rest - d : 0));
        rounds.send(after(f.rank(), distance, f.size()), bytes);
        rounds.recv(before(f.rank(), distance, f.size()), bytes);
    }
}

void recursive_doubling_allreduce(Fragment& f, const FragmentCall& c) {
    folded_exchange(f, c.bytes, [&](const Folded& folded, Rounds& rounds) {
        for (std::uint32_t mask = 1; mask < folded.size; mask *= 2) {
            const std::uint32_t peer = folded.member(folded.rank ^ mask);
            rounds.send(peer, c.bytes);
            rounds.recv(peer, c.bytes);
        }
    });
}

// Thakur, Rabenseifner and Gropp 2005: reduce-scatter by halving, then allgather by doubling.
void rabenseifner_allreduce(Fragment& f, const FragmentCall& c) {
    folded_exchange(f, c.bytes, [&](const Folded& folded, Rounds& rounds) {
        const auto bytes_of = [&](std::uint32_t low, std::uint32_t high) {
            return cut(c.bytes, folded.size, high) - cut(c.bytes, folded.size, low);
        };
        std::uint32_t low = 0; // parts low .. high-1 are this member's to reduce
        std::uint32_t high = folded.size;
        for (std::uint32_t mask = folded.size / 2; mask > 0; mask /= 2) {
            const std::uint32_t peer = folded.member(folded.rank ^ mask);
            const std::uint32_t middle = low + (high - low) / 2;
            const bool lower = (folded.rank & mask) == 0;
            rounds.send(peer, lower ? bytes_of(middle, high) : bytes_of(low, middle));
            rounds.recv(peer, lower ? bytes_of(low, middle) : bytes_of(middle, high));
            (lower ? high : low) = middle;
        }
        for (std::uint32_t mask = 1; mask < folded.size; mask *= 2) {
            const std::uint32_t peer = folded.member(folded.rank ^ mask);
            const std::uint32_t width = high - low;
            const bool lower = (folded.rank & mask) == 0;
            rounds.send(peer, bytes_of(low, high));
            rounds.recv(peer, lower ? bytes_of(high, high + width) : bytes_of(low - width, low));
            (lower ? high : low) = lower ? high + width : low - width;
        }
    });
}

// Round k brings the partial result of the 2^k members up to rank - 2^k (Hillis and Steele 1986).
void binomial_scan(Fragment& f, const FragmentCall& c) {
    Rounds rounds(f);
    for (Distance d = 1; d < f.size(); d *= 2) {
        const auto distance = static_cast<std::uint32_t>(d);
        if (f.rank() + d < f.size()) rounds.send(f.rank() + distance, c.bytes);
        if (f.rank() >= d) rounds.recv(f.rank() - distance, c.bytes);
    }
}

} // namespace orrery::collectives
