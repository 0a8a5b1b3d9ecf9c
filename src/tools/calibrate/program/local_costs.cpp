#include "tools/calibrate/program/local_costs.h"

#include "tools/calibrate/program/stopwatch.h"

#include <cstring>
#include <mpi.h>

namespace orrery::calibrate {

namespace {

constexpr int rounds = 12;

template <typename Body>
std::vector<LocalSample> over_sizes(int most_bytes, double clock_ns, const Body& body) {
    std::vector<LocalSample> samples;
    for (int round = 0; round <= rounds; ++round) {
        for (int bytes = 64; bytes <= most_bytes; bytes *= 4) {
            const double begin = now_ns();
            body(bytes);
            const double time = now_ns() - begin - clock_ns;
            if (round > 0) samples.push_back({bytes, time}); // the first one warms up
        }
    }
    return samples;
}

template <typename Body> std::vector<double> mean_of_many(const Body& body) {
    constexpr int calls = 2000;
    std::vector<double> samples;
    for (int round = 0; round < rounds; ++round) {
        const double begin = now_ns();
        for (int i = 0; i < calls; ++i) body();
        samples.push_back((now_ns() - begin) / calls);
    }
    return samples;
}

constexpr int nobody_sends = 9; // a tag that is not used otherwise

} // namespace

std::vector<LocalSample> reduction_samples(int most_bytes, double clock_ns) {
    const std::size_t doubles = static_cast<std::size_t>(most_bytes) / sizeof(double);
    std::vector<double> in(doubles, 1.0);
    std::vector<double> inout(doubles, 1.0);
    return over_sizes(most_bytes, clock_ns, [&](int bytes) {
        MPI_Reduce_local(in.data(), inout.data(), bytes / static_cast<int>(sizeof(double)), MPI_DOUBLE,
                         MPI_SUM);
    });
}

std::vector<LocalSample> copy_samples(int most_bytes, double clock_ns) {
    std::vector<char> from(static_cast<std::size_t>(most_bytes), 1);
    std::vector<char> to(static_cast<std::size_t>(most_bytes), 2);
    return over_sizes(most_bytes, clock_ns, [&](int bytes) {
        std::memcpy(to.data(), from.data(), static_cast<std::size_t>(bytes));
        __asm__ volatile("" : : "r"(to.data()) : "memory"); // it must really be done
    });
}

std::vector<double> test_samples() {
    char word = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&word, 1, MPI_BYTE, MPI_ANY_SOURCE, nobody_sends, MPI_COMM_WORLD, &request);
    std::vector<double> samples = mean_of_many([&] {
        int flag = 0;
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    });
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return samples;
}

std::vector<double> iprobe_samples() {
    return mean_of_many([] {
        int flag = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, nobody_sends, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    });
}

} // namespace orrery::calibrate
