// Emulation of MPI programs side by side with SimGrid's: the table of docs/performance.md.
//
//   build/release/bench/emulate [--quick] [ROW...]
//
// One small program, built by orrery-mpicc and by smpicc (Debian's libsimgrid-dev; left out where it is not
// installed), on one machine: a crossbar of 10 GB/s and 1 us, one rank per host, SMPI's parameters. `start`
// does nothing between MPI_Init and MPI_Finalize: CPU seconds (user and system) of the whole process and memory
// per rank. The others give thousand messages of 8 bytes per CPU second, less what starting takes. Each figure
// is the least of three runs, ours and the peer's in turns; with --quick of one, and rows that cost the peer
// more than ten seconds are left out. ROW keeps those whose name contains it.
#include "run_program.h"

#include <fmt/format.h>
#include <map>
#include <optional>

namespace {

namespace fs = std::filesystem;
using namespace orrery;

constexpr const char* program = R"(#include <mpi.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char* what = argv[1];
    const int rounds = atoi(argv[2]);
    double x = rank, y = 0;
    for (int i = 0; i < rounds; ++i) {
        if (strcmp(what, "pingpong") == 0) {
            const int peer = rank ^ 1;
            if (rank % 2 == 0) MPI_Send(&x, 1, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
            MPI_Recv(&y, 1, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (rank % 2 == 1) MPI_Send(&x, 1, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
        } else if (strcmp(what, "ring") == 0) {
            MPI_Sendrecv(&x, 1, MPI_DOUBLE, (rank + 1) % size, 0, &y, 1, MPI_DOUBLE, (rank + size - 1) % size, 0,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
)";

struct Row {
    const char* name;
    std::uint32_t ranks;         // a power of two
    std::uint64_t rounds;        // ours
    std::uint64_t theirs;        // rounds; 0: not feasible for SimGrid
    bool slow;                   // for SimGrid
    std::uint64_t messages_each; // per rank and round
};

constexpr Row rows[] = {
    {"start", 64, 0, 1, false, 0},
    {"start", 1024, 0, 1, false, 0},
    {"start", 4096, 0, 1, false, 0},
    {"start", 16384, 0, 0, false, 0},
    {"pingpong", 64, 30'000, 2'000, false, 1},
    {"pingpong", 1024, 2'000, 100, false, 1},
    {"pingpong", 4096, 500, 20, false, 1},
    {"ring", 64, 30'000, 2'000, false, 1},
    {"ring", 1024, 2'000, 100, false, 1},
    {"ring", 4096, 500, 20, false, 1},
    {"allreduce", 64, 5'000, 400, false, 6},
    {"allreduce", 1024, 200, 10, false, 10},
    {"allreduce", 4096, 40, 2, true, 12},
};

void write_machine(const fs::path& folder) {
    std::ofstream(folder / "crossbar.xml")
        << "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
           "<platform version=\"4.1\">\n  <cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-16383\" "
           "speed=\"10Gf\" bw=\"10GBps\" lat=\"1us\"/>\n</platform>\n";
    std::ofstream hosts(folder / "hosts");
    for (int host = 0; host < 16384; ++host) hosts << "n" << host << "\n";
    std::ofstream(folder / "program.c") << program;
}

class Emulators {
  public:
    explicit Emulators(fs::path folder) : folder_(std::move(folder)) {
        const auto build = [&](const std::string& compiler, const std::string& name) {
            return bench::run(
                       {compiler, "-O2", (folder_ / "program.c").string(), "-o", (folder_ / name).string()},
                       folder_ / "build.txt")
                .worked;
        };
        if (!build(ORRERY_MPICC, "ours")) throw std::runtime_error("orrery-mpicc does not work");
        peer_ = fs::exists("/usr/bin/smpicc") && build("/usr/bin/smpicc", "theirs");
    }
    [[nodiscard]] bool peer() const { return peer_; }

    bench::Cost ours(const char* name, std::uint32_t ranks, std::uint64_t rounds) {
        return bench::run({ORRERY_PROGRAM, "run", "-n", std::to_string(ranks), "--on", in("crossbar.xml"),
                           "--hostfile", in("hosts"), "--model", "smpi-compat", "--compute", "none", "--set",
                           "smpi.allreduce=rdb", "--quiet", in("ours"), name, std::to_string(rounds)},
                          folder_ / "ours.txt", true);
    }
    bench::Cost theirs(const char* name, std::uint32_t ranks, std::uint64_t rounds) {
        // smpirun is a shell script that starts one process: the kernel counts both.
        return bench::run({"/usr/bin/smpirun", "-np", std::to_string(ranks), "-platform", in("crossbar.xml"),
                           "-hostfile", in("hosts"), "--cfg=smpi/simulate-computation:no",
                           "--cfg=smpi/host-speed:10Gf", "--cfg=smpi/allreduce:rdb", in("theirs"), name,
                           std::to_string(rounds)},
                          folder_ / "theirs.txt", true);
    }

  private:
    [[nodiscard]] std::string in(const char* file) const { return (folder_ / file).string(); }
    fs::path folder_;
    bool peer_ = false;
};

void keep_least(bench::Cost& least, const bench::Cost& cost) {
    if (!least.worked || (cost.worked && cost.cpu_seconds < least.cpu_seconds)) least = cost;
}

// CPU seconds of starting, by ranks: what the rates leave out.
using Starts = std::map<std::uint32_t, double>;

std::string words_of(const bench::Cost& cost, const Row& row, std::uint64_t rounds, double start) {
    if (!cost.worked) return fmt::format("{:>9} {:>8} {:>7}", "failed", "-", "-");
    const auto messages = static_cast<double>(row.messages_each * row.ranks * rounds);
    const std::string rate =
        row.messages_each == 0 ? "" : fmt::format("{:.4g}", messages / (cost.cpu_seconds - start) / 1000);
    return fmt::format("{:>9} {:>8.2f} {:>7.1f}", rate, cost.cpu_seconds,
                       cost.peak_megabytes * 1024 / row.ranks);
}

} // namespace

int main(int argc, char** argv) {
    const bench::Choice choice(argc, argv);
    const fs::path folder = bench::new_folder();
    if (folder.empty()) return 1;
    write_machine(folder);
    Emulators emulators(folder);
    if (!emulators.peer()) fmt::print("smpicc is not installed (Debian: libsimgrid-dev): without the peer\n");
    fmt::print("{:<10} {:>6} | {:>9} {:>8} {:>7} | {:>9} {:>8} {:>7}\n", "", "", "ours", "CPU s", "kB/rank",
               "smpirun", "CPU s", "kB/rank");
    Starts our_starts;
    Starts their_starts;
    for (const Row& row : rows) {
        if (!choice.has(fmt::format("{}{}", row.name, row.ranks))) continue;
        const bool with_peer = emulators.peer() && row.theirs > 0 && !(choice.quick && row.slow);
        if (!our_starts.contains(row.ranks))
            our_starts[row.ranks] = emulators.ours("start", row.ranks, 0).cpu_seconds;
        if (with_peer && !their_starts.contains(row.ranks))
            their_starts[row.ranks] = emulators.theirs("start", row.ranks, 0).cpu_seconds;
        const std::uint64_t their_rounds = row.messages_each == 0 ? 0 : row.theirs;
        bench::Cost our_cost;
        bench::Cost their_cost;
        for (int turn = 0; turn < (choice.quick ? 1 : 3); ++turn) {
            keep_least(our_cost, emulators.ours(row.name, row.ranks, row.rounds));
            if (with_peer) keep_least(their_cost, emulators.theirs(row.name, row.ranks, their_rounds));
        }
        const std::string ours = words_of(our_cost, row, row.rounds, our_starts[row.ranks]);
        const std::string theirs = with_peer ? words_of(their_cost, row, their_rounds, their_starts[row.ranks])
                                             : fmt::format("{:>9} {:>8} {:>7}", "-", "-", "-");
        fmt::print("{:<10} {:>6} | {} | {}\n", row.name, row.ranks, ours, theirs);
        std::fflush(stdout);
    }
    fs::remove_all(folder);
    return 0;
}
