// What is measured between two ranks: each experiment is a piece of code for rank 0, which holds the clock, and
// one for rank 1, which serves it.
//
// All times are taken on rank 0, so that no clocks have to agree. The three named after RTT are those of the
// LogGOPS method (Hoefler, Schneider, Lumsdaine, LogGOPSim, section 1.3); the others look at single calls.
#pragma once

#include <cstddef>
#include <mpi.h>
#include <span>
#include <vector>

namespace orrery::calibrate {

// The two ranks, their buffers, and the sizes of things.
struct Pair {
    int rank = 0;
    int burst = 8; // n of RTT_n
    double clock_ns = 0;
    std::vector<char> out;
    std::vector<char> in;
    std::vector<MPI_Request> requests;

    [[nodiscard]] int other() const { return 1 - rank; }
};

// Both ranks have returned from what they did before; rank 1 is then on its way into what it does next.
void meet(Pair& pair);

struct Experiment {
    const char* name;
    // Rank 0: nanoseconds. `delay`: of rank 0 between calls or before one, longer than a message takes.
    double (*measure)(Pair& pair, int bytes, double delay);
    void (*serve)(Pair& pair, int bytes, double delay); // rank 1
};
std::span<const Experiment> experiments();

// How long MPI_Send of so many bytes takes if the receive is posted `delay` later: rank 0. An eager message is
// sent within a fraction of it.
double unexpected_send(Pair& pair, int bytes, double delay);
void serve_unexpected_send(Pair& pair, int bytes, double delay);

} // namespace orrery::calibrate
