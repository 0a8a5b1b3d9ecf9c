#include "tools/calibrate/program/experiments.h"

#include "tools/calibrate/program/stopwatch.h"

#include <array>

namespace orrery::calibrate {

namespace {

constexpr int tag = 7;

void send(Pair& pair, int bytes) {
    MPI_Send(pair.out.data(), bytes, MPI_BYTE, pair.other(), tag, MPI_COMM_WORLD);
}
void recv(Pair& pair, int bytes) {
    MPI_Recv(pair.in.data(), bytes, MPI_BYTE, pair.other(), tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
void isend(Pair& pair, int bytes, std::size_t slot) {
    MPI_Isend(pair.out.data(), bytes, MPI_BYTE, pair.other(), tag, MPI_COMM_WORLD, &pair.requests[slot]);
}
void irecv(Pair& pair, int bytes, std::size_t slot) {
    MPI_Irecv(pair.in.data(), bytes, MPI_BYTE, pair.other(), tag, MPI_COMM_WORLD, &pair.requests[slot]);
}
void wait(Pair& pair, std::size_t slot) { MPI_Wait(&pair.requests[slot], MPI_STATUS_IGNORE); }

// Long enough for the other rank to enter its next call.
constexpr double settle_ns = 1500;

template <typename Body> double timed(const Pair& pair, const Body& body) {
    const double begin = now_ns();
    body();
    return now_ns() - begin - pair.clock_ns;
}

// RTT_1^0: there and back.
double round_trip(Pair& pair, int bytes, double) {
    meet(pair);
    return timed(pair, [&] {
        send(pair, bytes);
        recv(pair, bytes);
    });
}
void serve_round_trip(Pair& pair, int bytes, double) {
    meet(pair);
    recv(pair, bytes);
    send(pair, bytes);
}

// RTT_n^0 and RTT_n^d: n messages there, with a delay between them, and one back.
double spaced_by(Pair& pair, int bytes, double delay) {
    meet(pair);
    return timed(pair, [&] {
        for (int i = 0; i < pair.burst; ++i) {
            if (i > 0 && delay > 0) spin_ns(delay);
            send(pair, bytes);
        }
        recv(pair, bytes);
    });
}
double burst(Pair& pair, int bytes, double) { return spaced_by(pair, bytes, 0); }
void serve_burst(Pair& pair, int bytes, double) {
    meet(pair);
    for (int i = 0; i < pair.burst; ++i) recv(pair, bytes);
    send(pair, bytes);
}

// One call of MPI_Send while the other rank waits in MPI_Recv.
double send_call(Pair& pair, int bytes, double) {
    meet(pair);
    spin_ns(settle_ns);
    return timed(pair, [&] { send(pair, bytes); });
}
double isend_call(Pair& pair, int bytes, double) {
    meet(pair);
    spin_ns(settle_ns);
    const double time = timed(pair, [&] { isend(pair, bytes, 0); });
    wait(pair, 0);
    return time;
}
void serve_by_receiving(Pair& pair, int bytes, double) {
    meet(pair);
    recv(pair, bytes);
}

// One call of MPI_Recv when the message is there (or, of a rendezvous, its announcement).
double recv_call(Pair& pair, int bytes, double delay) {
    meet(pair);
    spin_ns(settle_ns + delay);
    return timed(pair, [&] { recv(pair, bytes); });
}
void serve_by_sending(Pair& pair, int bytes, double) {
    meet(pair);
    spin_ns(settle_ns); // the other one has left MPI: it finds the message in its next call, not in this one
    send(pair, bytes);
}

// What is left to do in MPI_Wait after a computation that is longer than the message needs: does it progress
// meanwhile?
double wait_of_send(Pair& pair, int bytes, double delay) {
    meet(pair);
    spin_ns(settle_ns);
    isend(pair, bytes, 0);
    spin_ns(delay);
    return timed(pair, [&] { wait(pair, 0); });
}
double wait_of_recv(Pair& pair, int bytes, double delay) {
    irecv(pair, bytes, 0);
    meet(pair);
    spin_ns(settle_ns + delay);
    return timed(pair, [&] { wait(pair, 0); });
}

// Many at once, one way: nonblocking on both sides, and a word back when all have come.
double stream(Pair& pair, int bytes, double) {
    meet(pair);
    return timed(pair, [&] {
        for (int i = 0; i < pair.burst; ++i) isend(pair, bytes, static_cast<std::size_t>(i));
        MPI_Waitall(pair.burst, pair.requests.data(), MPI_STATUSES_IGNORE);
        recv(pair, 0);
    });
}
void serve_stream(Pair& pair, int bytes, double) {
    for (int i = 0; i < pair.burst; ++i) irecv(pair, bytes, static_cast<std::size_t>(i));
    meet(pair);
    MPI_Waitall(pair.burst, pair.requests.data(), MPI_STATUSES_IGNORE);
    send(pair, 0);
}

// Both at once, several times in a row; the time of one.
constexpr int exchanges = 4;
void exchange_once(Pair& pair, int bytes) {
    MPI_Sendrecv(pair.out.data(), bytes, MPI_BYTE, pair.other(), tag, pair.in.data(), bytes, MPI_BYTE,
                 pair.other(), tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
double exchange(Pair& pair, int bytes, double) {
    meet(pair);
    const double time = timed(pair, [&] {
        for (int i = 0; i < exchanges; ++i) exchange_once(pair, bytes);
    });
    return time / exchanges;
}
void serve_exchange(Pair& pair, int bytes, double) {
    meet(pair);
    for (int i = 0; i < exchanges; ++i) exchange_once(pair, bytes);
}

constexpr std::array all_experiments{
    Experiment{"round_trip", round_trip, serve_round_trip},
    Experiment{"burst", burst, serve_burst},
    Experiment{"spaced", spaced_by, serve_burst},
    Experiment{"send", send_call, serve_by_receiving},
    Experiment{"isend", isend_call, serve_by_receiving},
    Experiment{"recv", recv_call, serve_by_sending},
    Experiment{"wait_of_send", wait_of_send, serve_by_receiving},
    Experiment{"wait_of_recv", wait_of_recv, serve_by_sending},
    Experiment{"stream", stream, serve_stream},
    Experiment{"exchange", exchange, serve_exchange},
};

} // namespace

void meet(Pair& pair) {
    char word = 0;
    constexpr int meeting = 8;
    if (pair.rank == 0) MPI_Send(&word, 0, MPI_BYTE, 1, meeting, MPI_COMM_WORLD);
    MPI_Recv(&word, 0, MPI_BYTE, pair.other(), meeting, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (pair.rank == 1) MPI_Send(&word, 0, MPI_BYTE, 0, meeting, MPI_COMM_WORLD);
}

std::span<const Experiment> experiments() { return all_experiments; }

double unexpected_send(Pair& pair, int bytes, double) {
    meet(pair);
    spin_ns(settle_ns);
    const double time = timed(pair, [&] { send(pair, bytes); });
    meet(pair);
    return time;
}

void serve_unexpected_send(Pair& pair, int bytes, double delay) {
    meet(pair);
    spin_ns(delay);
    recv(pair, bytes);
    meet(pair);
}

} // namespace orrery::calibrate
