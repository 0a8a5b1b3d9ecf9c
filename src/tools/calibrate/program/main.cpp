// orrery-calibrate-<mpi>: measures an MPI between two ranks; started by `orrery calibrate` under mpirun.
//
//   orrery-calibrate-openmpi FILE SECONDS MOST_BYTES SEED
//
// Rank 0 writes FILE: JSON, one object per line (docs/calibration.md). It is whole if its last line says so.
#include "tools/calibrate/program/experiments.h"
#include "tools/calibrate/program/local_costs.h"
#include "tools/calibrate/program/plan.h"
#include "tools/calibrate/program/samples_file.h"
#include "tools/calibrate/program/stopwatch.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>
#include <vector>

namespace orrery::calibrate {

namespace {

// The middle one of several: a rank that loses its core for a while does not count.
double middle_of(int times, const auto& measure) {
    std::vector<double> all;
    for (int i = 0; i < times; ++i) all.push_back(measure());
    std::nth_element(all.begin(), all.begin() + times / 2, all.end());
    return all[static_cast<std::size_t>(times / 2)];
}

// The largest message whose send returns before its receive is posted; -1 if even those without bytes wait,
// most_bytes if none does. Both ranks take the same decisions, on rank 0's measurement.
std::int64_t find_eager_limit(Pair& pair, const Plan& plan) {
    const auto eager = [&](int bytes) {
        double verdict = 0;
        constexpr int tries = 9;
        double delay = 0;
        if (pair.rank == 0) {
            const Experiment& there_and_back = experiments().front();
            const double time = middle_of(3, [&] { return there_and_back.measure(pair, bytes, 0); });
            delay = std::max(2e5, 4 * time);
        } else {
            for (int i = 0; i < 3; ++i) experiments().front().serve(pair, bytes, 0);
        }
        MPI_Bcast(&delay, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        if (pair.rank == 0) {
            verdict = middle_of(tries, [&] { return unexpected_send(pair, bytes, delay); }) < delay / 2 ? 1 : 0;
        } else {
            for (int i = 0; i < tries; ++i) serve_unexpected_send(pair, bytes, delay);
        }
        MPI_Bcast(&verdict, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        return verdict > 0;
    };
    if (!eager(0)) return -1;
    if (eager(plan.most_bytes)) return plan.most_bytes;
    int low = 0;
    int high = plan.most_bytes;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        (eager(middle) ? low : high) = middle;
    }
    return low;
}

struct Task {
    std::size_t experiment = 0;
    std::size_t size = 0;
    std::vector<double> samples;
};

void visit(Pair& pair, const Experiment& experiment, int bytes, double delay, Task& task) {
    const int samples = samples_per_visit(bytes);
    for (int i = 0; i <= samples; ++i) {
        if (pair.rank == 0) {
            const double time = experiment.measure(pair, bytes, delay);
            if (i > 0) task.samples.push_back(time);
        } else {
            experiment.serve(pair, bytes, delay);
        }
    }
}

// Longer than a message of that size takes, so that it is over if it goes on by itself.
std::vector<double> find_delays(Pair& pair, const std::vector<int>& sizes) {
    std::vector<double> delays;
    const Experiment& there_and_back = experiments().front();
    constexpr int tries = 20;
    for (const int bytes : sizes) {
        if (pair.rank == 0) {
            const double time = middle_of(tries, [&] { return there_and_back.measure(pair, bytes, 0); });
            delays.push_back(2000 + time);
        } else {
            for (int i = 0; i < tries; ++i) there_and_back.serve(pair, bytes, 0);
            delays.push_back(0);
        }
    }
    MPI_Bcast(delays.data(), static_cast<int>(delays.size()), MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return delays;
}

void show_progress(double share, bool last) {
    if (isatty(STDERR_FILENO) == 1) {
        std::fprintf(stderr, "\rmeasuring: %3.0f %%%s", 100 * share, last ? "\n" : "");
    } else if (last) {
        std::fprintf(stderr, "measuring: done\n");
    }
}

int run(const Plan& plan, const std::string& file) {
    Pair pair;
    MPI_Comm_rank(MPI_COMM_WORLD, &pair.rank);
    pair.out.assign(static_cast<std::size_t>(plan.most_bytes), 1);
    pair.in.assign(static_cast<std::size_t>(plan.most_bytes), 2);
    pair.requests.assign(static_cast<std::size_t>(pair.burst), MPI_REQUEST_NULL);
    pair.clock_ns = clock_cost_ns();

    Facts facts = gather_facts(pair, plan);
    facts.eager_limit = find_eager_limit(pair, plan);
    const std::vector<int> sizes = sizes_to_measure(plan, facts.eager_limit);
    const std::vector<double> delays = find_delays(pair, sizes);

    std::vector<Task> tasks;
    for (std::size_t experiment = 0; experiment < experiments().size(); ++experiment) {
        for (std::size_t size = 0; size < sizes.size(); ++size) tasks.push_back({experiment, size, {}});
    }
    const double begin = now_ns();
    // On a busy machine a round takes long; it may take three times the time to get this many.
    constexpr std::uint64_t least_rounds = 12;
    for (std::uint64_t round = 0;; ++round) {
        double share = (now_ns() - begin) / 1e9 / plan.seconds;
        MPI_Bcast(&share, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        const bool last = (share >= 1 && round >= least_rounds) || (share >= 3 && round > 0);
        if (pair.rank == 0) show_progress(std::min(share, 1.0), last);
        facts.rounds = round;
        if (last) break;
        for (const std::uint32_t number :
             order_of_round(plan, round, static_cast<std::uint32_t>(tasks.size()))) {
            Task& task = tasks[number];
            visit(pair, experiments()[task.experiment], sizes[task.size], delays[task.size], task);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (pair.rank != 0) return 0;

    const double excess = spin_excess_ns(pair.clock_ns);
    SamplesFile out(file);
    out.header(facts);
    for (const Task& task : tasks) {
        const double delay = delays[task.size] + excess; // as it really was
        out.series(experiments()[task.experiment].name, sizes[task.size], delay, task.samples);
    }
    out.local("reduction", reduction_samples(plan.most_bytes, pair.clock_ns));
    out.local("copy", copy_samples(plan.most_bytes, pair.clock_ns));
    out.series("test", 0, 0, test_samples());
    out.series("iprobe", 0, 0, iprobe_samples());
    return out.close() ? 0 : 1;
}

} // namespace

} // namespace orrery::calibrate

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int ranks = 0;
    int rank = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int status = 2;
    if (argc != 5) {
        if (rank == 0) std::fprintf(stderr, "usage: %s FILE SECONDS MOST_BYTES SEED\n", argv[0]);
    } else if (ranks != 2) {
        if (rank == 0) std::fprintf(stderr, "%s: needs two ranks, was started with %d\n", argv[0], ranks);
    } else {
        orrery::calibrate::Plan plan;
        plan.seconds = std::atof(argv[2]);
        plan.most_bytes = std::atoi(argv[3]);
        plan.seed = std::strtoull(argv[4], nullptr, 10);
        status = orrery::calibrate::run(plan, argv[1]);
    }
    MPI_Finalize();
    return status;
}
