// The table of docs/performance.md: large schedules, each simulated by the program itself in a process of its
// own.
//
//   build/release/bench/loggops [--quick] [ROW...]
//
// Every row is a command line as a user would type it. Times are CPU seconds of that process (user and system,
// everything included: reading, simulating, reporting) and its peak resident memory, as the kernel counted
// them.
// --quick leaves out the rows that need more than a few seconds or gigabytes; ROW keeps those whose name
// contains it.
#include "run_program.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

namespace fs = std::filesystem;
using orrery::bench::Cost;
using orrery::bench::field;
using orrery::bench::run;

struct Row {
    std::string name;
    bool quick = true;
    std::vector<std::string> prepare; // makes the input; not measured
    std::vector<std::string> measure; // reports JSON if it simulates
    std::string target;
};

class Table {
  public:
    Table(std::string program, fs::path trace, fs::path scratch)
        : program_(std::move(program)), trace_(std::move(trace)), scratch_(std::move(scratch)) {}

    [[nodiscard]] std::vector<Row> rows() const {
        const std::string orr = scratch_ / "schedule.orr";
        const std::string goal = scratch_ / "schedule.goal";
        const auto generate = [](const std::string& pattern, const std::string& ranks) {
            return std::vector<std::string>{"generate", pattern, "-n", ranks, "--bytes", "8"};
        };
        const auto into = [](std::vector<std::string> words, const std::string& file) {
            words.insert(words.end(), {"-o", file});
            return words;
        };
        const std::vector<std::string> replay{"replay", orr};
        return {
            {"dissemination, 1 Mi ranks, from a file", true, into(generate("dissemination", "1M"), orr), replay,
             "6 s, 1.5 GB"},
            {"binomial broadcast, 8 Mi ranks, from a file", true, into(generate("binomial-bcast", "8M"), orr),
             replay, "3 s, 1.5 GB"},
            {"Sweep3D trace to 4,096 ranks, from a file",
             true,
             {"extrapolate", trace_, "-n", "4096", "-o", orr, "--quiet"},
             replay,
             "3 s, 0.6 GB"},
            {"linear scatter, 16 Ki ranks", true, into(generate("scatter", "16k"), orr), replay, "0.05 s"},
            {"linear gather, 16 Ki ranks", true, into(generate("gather", "16k"), orr), replay, "0.05 s"},
            {"linear scatter, 1 Mi ranks", true, into(generate("scatter", "1M"), orr), replay, "near-linear"},
            {"linear gather, 1 Mi ranks", true, into(generate("gather", "1M"), orr), replay, "near-linear"},
            {"linear alltoall, 512 ranks", true, into(generate("linear-alltoall", "512"), orr), replay,
             "0.2 s"},
            {"linear alltoall, 4 Ki ranks", true, into(generate("linear-alltoall", "4k"), orr), replay, "10 s"},
            {"dissemination, 8 Mi ranks, computed on the fly",
             false,
             {},
             generate("dissemination", "8M"),
             "90 s, 6 GB"},
            {"text to binary, dissemination of 1 Mi ranks",
             false,
             into(generate("dissemination", "1M"), goal),
             {"convert", goal, orr},
             "8 s, 200 MB"},
        };
    }

    void print(const Row& row) const {
        const fs::path output = scratch_ / "output";
        if (!row.prepare.empty() && !run(with_program(row.prepare), output).worked) {
            fmt::print("| {} | could not be prepared |\n", row.name);
            return;
        }
        std::vector<std::string> words = with_program(row.measure);
        const bool simulates = row.measure.front() != "convert";
        if (simulates) {
            for (const char* option :
                 {"--json", "--quiet", "--loggops", "L=2500ns o=1500ns g=1000ns G=6ns/B O=1ns/B"}) {
                words.emplace_back(option);
            }
        }
        const Cost cost = run(words, output);
        const double events = field(output, "events");
        const double simulation = field(output, "simulation_seconds");
        fmt::print("| {} | {:.2f} s | {:.2f} s | {:.0f} MB | {} | {} | {} |\n", row.name, cost.cpu_seconds,
                   cost.wall_seconds, cost.peak_megabytes,
                   simulates ? fmt::format("{:.1f} M", events / 1e6) : "-",
                   simulates && simulation > 0 ? fmt::format("{:.1f} M/s", events / simulation / 1e6) : "-",
                   cost.worked ? row.target : "FAILED");
        std::fflush(stdout);
    }

  private:
    [[nodiscard]] std::vector<std::string> with_program(const std::vector<std::string>& words) const {
        std::vector<std::string> all{program_};
        all.insert(all.end(), words.begin(), words.end());
        return all;
    }

    std::string program_;
    fs::path trace_;
    fs::path scratch_;
};

} // namespace

int main(int argc, char** argv) {
    bool quick = false;
    std::vector<std::string> wanted;
    for (int i = 1; i < argc; ++i) {
        const std::string word(argv[i]);
        if (word == "--quick") {
            quick = true;
        } else {
            wanted.push_back(word);
        }
    }
    const fs::path scratch = fs::temp_directory_path() / fmt::format("orrery-bench-{}", ::getpid());
    fs::create_directories(scratch);
    const Table table(ORRERY_PROGRAM, ORRERY_SWEEP3D, scratch);
    fmt::print("| schedule | CPU | wall | peak memory | events | simulation | to reach "
               "|\n|---|---|---|---|---|---|---|\n");
    for (const Row& row : table.rows()) {
        bool chosen = wanted.empty();
        for (const std::string& word : wanted) chosen = chosen || row.name.find(word) != std::string::npos;
        if (chosen && (row.quick || !quick)) table.print(row);
    }
    fs::remove_all(scratch);
    return 0;
}
