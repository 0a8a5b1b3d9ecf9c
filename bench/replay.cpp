// Replay of time-independent traces side by side with SimGrid's: the table of docs/performance.md.
//
//   build/release/bench/replay [--quick] [ROW...]
//
// Every row is one trace on one machine (a crossbar of 10 GB/s and 1 us, 10 Gf hosts), replayed by `smpirun
// -replay` (Debian's libsimgrid-dev; left out where it is not installed) and by this program, from the same
// text files and from our binary form, with SMPI's parameters. Figures are thousand actions per CPU second of
// the whole process (user and system: starting, reading, simulating, reporting), and peak memory. --quick
// leaves out rows that cost the peer more than half a minute; ROW keeps those whose name contains it.
#include "formats/ti/writers.h"
#include "run_program.h"
#include "ti_workloads.h"

#include <fmt/format.h>
#include <optional>

namespace {

namespace fs = std::filesystem;
using namespace orrery;

struct Row {
    const char* workload;
    std::uint32_t ranks;
    std::uint64_t iterations;
    double skew; // of the computations: ranks get out of step
    bool peer;   // feasible for SimGrid
    bool slow;   // for SimGrid
};

constexpr Row rows[] = {
    {"compute", 64, 20'000, 0, true, false}, {"ring", 64, 5'000, 0, true, false},
    {"ring", 1024, 100, 0, true, false},     {"ring", 1024, 100, 0.1, true, false},
    {"lu", 64, 2'000, 0, true, false},       {"lu", 1024, 60, 0, true, false},
    {"stencil", 64, 500, 0, true, false},    {"stencil", 64, 500, 0.1, true, false},
    {"stencil", 1024, 20, 0, true, true},    {"stencil", 1024, 20, 0.1, true, true},
    {"alltoall", 64, 2, 0, true, false},     {"alltoall", 128, 2, 0, true, true},
    {"alltoall", 1024, 2, 0, false, false},
};

void write_machine(const fs::path& folder) {
    std::ofstream(folder / "crossbar.xml")
        << "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
           "<platform version=\"4.1\">\n  <cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-1023\" "
           "speed=\"10Gf\" bw=\"10GBps\" lat=\"1us\"/>\n</platform>\n";
    std::ofstream hosts(folder / "hosts");
    for (int host = 0; host < 1024; ++host) hosts << "n" << host << "\n";
}

struct Figures {
    double rate = 0; // thousand actions per CPU second
    bench::Cost cost;
};

Figures measure(const std::vector<std::string>& words, const fs::path& output, std::uint64_t actions) {
    Figures figures;
    figures.cost = bench::run(words, output, true);
    figures.rate = static_cast<double>(actions) / figures.cost.cpu_seconds / 1000;
    return figures;
}

void run_row(const Row& row, const fs::path& folder, const std::optional<std::string>& smpirun) {
    bench::TiWorkload workload;
    workload.name = row.workload;
    workload.ranks = row.ranks;
    workload.iterations = row.iterations;
    workload.instructions = 1e5;
    workload.skew = row.skew;
    const fs::path text = folder / "text";
    const fs::path binary = folder / "trace.oti";
    fs::remove_all(text);
    bench::TiWorkloadSource for_text(workload);
    write_ti_text(for_text, text.string() + "/");
    bench::TiWorkloadSource for_binary(workload);
    {
        std::ofstream list(folder / "list"); // with whole paths, as smpirun wants them
        for (std::uint32_t rank = 0; rank < row.ranks; ++rank)
            list << (text / fmt::format("rank-{}.txt", rank)).string() << "\n";
    }
    const std::uint64_t actions = write_oti(for_binary, binary.string()).actions;

    const bool all_to_all = std::string(row.workload) == "alltoall";
    const auto ours = [&](const fs::path& trace) {
        return measure({ORRERY_PROGRAM, "replay", trace.string(), "--on", (folder / "crossbar.xml").string(),
                        "--hostfile", (folder / "hosts").string(), "--model", "smpi-compat", "--set",
                        "smpi.allreduce=rdb", "--set", "smpi.alltoall=basic_linear", "--json"},
                       folder / "ours.json", actions);
    };
    const Figures from_text = ours(text);
    const Figures from_binary = ours(binary);
    std::string peer = fmt::format("{:>10} {:>8} {:>9}", "-", "-", "-");
    if (smpirun && row.peer) {
        // smpirun is a shell script that starts one process: the kernel counts both.
        const Figures theirs = measure(
            {*smpirun, "-replay", (folder / "list").string(), "-np", std::to_string(row.ranks), "-platform",
             (folder / "crossbar.xml").string(), "-hostfile", (folder / "hosts").string(),
             "--cfg=smpi/host-speed:10Gf", "--cfg=smpi/allreduce:rdb", "--cfg=smpi/alltoall:basic_linear"},
            folder / "theirs.txt", actions);
        peer = fmt::format("{:>10.4g} {:>8.2f} {:>8.0f}x", theirs.rate, theirs.cost.cpu_seconds,
                           from_binary.rate / theirs.rate);
        if (!theirs.cost.worked) peer = fmt::format("{:>10} {:>8} {:>9}", "failed", "-", "-");
    }
    const bool fine = from_text.cost.worked && from_binary.cost.worked;
    fmt::print("{:<10} {:>5} {:>5.2f} {:>9} {:>9} | {} | {:>9.4g} {:>9.4g} {:>8.3f} {:>6.0f}{}\n", row.workload,
               row.ranks, row.skew, actions,
               all_to_all ? std::to_string(row.iterations * row.ranks * (row.ranks - 1)) : "", peer,
               from_text.rate, from_binary.rate, from_binary.cost.cpu_seconds, from_binary.cost.peak_megabytes,
               fine ? "" : "  FAILED");
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv) {
    const bench::Choice choice(argc, argv);
    std::optional<std::string> smpirun;
    if (fs::exists("/usr/bin/smpirun")) smpirun = "/usr/bin/smpirun";
    if (!smpirun) fmt::print("smpirun is not installed (Debian: libsimgrid-dev): without the peer\n");
    const fs::path folder = bench::new_folder();
    if (folder.empty()) return 1;
    write_machine(folder);
    fmt::print("{:<10} {:>5} {:>5} {:>9} {:>9} | {:>10} {:>8} {:>9} | {:>9} {:>9} {:>8} {:>6}\n", "workload",
               "ranks", "skew", "actions", "messages", "smpirun", "CPU s", "ratio", "text", "binary", "CPU s",
               "MB");
    fmt::print("{:<10} {:>5} {:>5} {:>9} {:>9} | {:>10} {:>8} {:>9} | {:>9} {:>9}\n", "", "", "", "", "", "k/s",
               "", "", "k/s", "k/s");
    for (const Row& row : rows) {
        if (choice.quick && row.slow) continue;
        if (choice.has(fmt::format("{}{}", row.workload, row.ranks))) run_row(row, folder, smpirun);
    }
    fs::remove_all(folder);
    return 0;
}
