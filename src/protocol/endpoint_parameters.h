// What a message costs the CPUs at its two ends, and the protocol: the endpoint half of endpoint x network.
//
// Sees: overheads of sending and receiving, linear in the size by pieces; the switch from eager (the sender
// goes on, the message is buffered) to rendezvous (both sides must be there); the handshake of a rendezvous;
// within a host, that the receiver's CPU fetches large messages, which it does inside MPI calls only.
// Does not see: limited buffers for unexpected messages, other progress that only happens inside MPI calls, the
// cost of copying between buffers beyond the overheads given. Sources: SMPI (Bedaride et al. 2013; Degomme et
// al. 2017, section IV.A of the HPL emulation paper), LogGOPS.
#pragma once

#include "engine/piecewise.h"
#include "engine/settings.h"
#include "network/loggops/parameters.h"

#include <cstdint>
#include <span>
#include <string>

namespace orrery {

// When a message meets its receive: once its envelope has arrived (with the bytes of an eager message, with the
// request of a rendezvous), or at the instant of the send, as SimGrid has it.
enum class Matching : std::uint8_t { at_arrival, at_send };

struct EndpointParameters {
    Matching matching = Matching::at_arrival;
    Piecewise send_overhead;   // of a blocking send, before the message leaves; ps, ps per byte
    Piecewise isend_overhead;  // of a nonblocking one
    Piecewise recv_overhead;   // when a receive completes
    Bytes eager_below = 65537; // a message of fewer bytes does not wait for its receive
    Bytes flows_below =
        65537;             // a message of fewer bytes starts to flow when it is sent, not when it is matched
    Bytes envelope = 0;    // bytes added to each message on the wire
    bool handshake = true; // a rendezvous costs a request and a clear-to-send, each one latency
    // Of a request and of a clear-to-send: they travel the network as messages do. 0: a latency without load.
    Bytes control_bytes = 0;
    // Between ranks of one host a rendezvous is announced at once, and the receiver's CPU fetches it (its
    // receive overhead) while its rank is in an MPI call; then both are done.
    bool fetched = false;
    Piecewise completion_overhead; // of a send that was fetched, paid by the sender in its wait
    Time fetch_tail;               // so long before the end of a fetch the sender is told
    // SMPI: a rendezvous send that blocks has no overhead, and only receives of eager messages have one.
    bool overhead_if_eager_only = false;
    // LogGOPS: a cost per byte is paid for all bytes but the first, which is part of the cost per message.
    bool first_byte_free = false;
    // LogGOPS: ranks have network interfaces of their own, and between those there is only a latency. An
    // interface is occupied by each message, sending and receiving apart, for gap + (bytes - 1) gap_per_byte.
    // The message leaves when the constant part of the sender's overhead is over. A CPU takes a message as soon
    // as both the CPU and the interface are free, whether a receive is posted or not; it is matched then. The
    // receiver's cost per byte is at least the interface's.
    bool interfaces = false;
    Time gap;
    double gap_per_byte = 0;   // ps
    Time test;                 // what an unsuccessful test or probe costs
    Time clock = Time::ns(10); // what reading a clock costs (MPI_Wtime, clock_gettime); SMPI's default
    bool test_grows =
        false; // SMPI: the k-th unsuccessful test or probe in a row, of any rank, costs k times that
    double reduction_per_byte = 0; // ps per byte: combining two operands inside a collective
    double copy_per_byte = 0;      // ps per byte: a copy inside a collective

    bool operator==(const EndpointParameters&) const = default;

    [[nodiscard]] Time send_cost(Bytes bytes) const { return cost(send_overhead, bytes); }
    [[nodiscard]] Time isend_cost(Bytes bytes) const { return cost(isend_overhead, bytes); }
    [[nodiscard]] Time recv_cost(Bytes bytes) const { return cost(recv_overhead, bytes); }
    // For how long a message occupies an interface.
    [[nodiscard]] Time occupation(Bytes bytes) const { return gap + per_byte(bytes, gap_per_byte); }
    // Of a CPU that takes a message from an interface.
    [[nodiscard]] Time take_cost(Bytes bytes) const {
        return later(recv_cost(bytes), recv_cost(0) + per_byte(bytes, gap_per_byte));
    }
    [[nodiscard]] Time completion_cost(Bytes bytes) const { return cost(completion_overhead, bytes); }

  private:
    [[nodiscard]] Time cost(const Piecewise& overhead, Bytes bytes) const {
        if (overhead.empty()) return Time::zero();
        const Piecewise::Piece* piece = overhead.piece(bytes);
        if (piece == nullptr) piece = &overhead.pieces().front(); // the first also holds below its threshold
        if (first_byte_free) return Time::from_ps(piece->base) + per_byte(bytes, piece->per_byte);
        return Time::from_ps(piece->base + piece->per_byte * static_cast<double>(bytes),
                             "the overhead of a message");
    }
};

std::span<const Parameter> endpoint_parameters();

// Over the defaults of our own, or those of SMPI (`endpoint.set = smpi`).
EndpointParameters read_endpoint_parameters(const Settings& settings);

// o and O on both sides, S as the eager limit, no handshake (or one, as the parameters say).
EndpointParameters endpoint_of(const LogGOPS& parameters);

// One line for the summary: "eager up to 64 KiB, then rendezvous with handshake; overheads ...".
std::string describe(const EndpointParameters& parameters);

} // namespace orrery
