// What tracing costs: the figures of docs/performance.md.
//
//   build/release/bench/trace [--quick] [openmpi|mpich]
//
// trace_calls.c is compiled with each MPI that is installed, and run with and without the tracing library in
// turns. First the cost of a call, kind by kind, on one rank that does nothing else; then a program of two
// ranks that makes 10,000 calls a second, as the median of what each traced run took over its untraced
// neighbours; then bytes per action and memory per rank. The goals are 0.3 us a call on average, and 1 %. A
// busy machine shows in the second part: the spread is printed.
#include "formats/ort/recorded_trace.h"
#include "tools/acquire/launch.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <map>
#include <string_view>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using namespace orrery;

struct Line {
    int calls = 1;
    double value = 0;
};
using Lines = std::map<std::string, Line>;

class Traced {
  public:
    Traced(MpiKind kind, fs::path folder)
        : kind_(kind), folder_(std::move(folder)), program_((folder_ / "trace_calls").string()) {}

    bool compile() {
        const char* const compiler = kind_ == MpiKind::openmpi ? "mpicc.openmpi" : "mpicc.mpich";
        return std::system(
                   fmt::format("{} -O2 -o '{}' '{}' 2>/dev/null", compiler, program_, ORRERY_TRACE_CALLS)
                       .c_str()) == 0;
    }
    // What it printed: name, calls, value.
    Lines run(std::vector<std::string> words, std::uint32_t ranks, bool traced,
              std::vector<std::pair<std::string, std::string>> settings = {}) {
        fs::remove_all(trace());
        fs::create_directory(trace());
        Launch launch;
        launch.command = std::move(words);
        launch.command.insert(launch.command.begin(), program_);
        launch.ranks = ranks;
        launch.output = (folder_ / "output").string();
        if (traced) {
            launch.environment = std::move(settings);
            launch.environment.emplace_back("ORRERY_TRACE_DIR", trace().string());
            launch.preload = tracer_library(kind_);
        }
        Lines lines;
        const Launched launched = orrery::launch(launch, kind_);
        if (launched.stopped_by != 0) { // Ctrl-C is for the whole of it
            fs::remove_all(folder_);
            std::exit(128 + launched.stopped_by);
        }
        if (launched.exit_code != 0) {
            fmt::print("failed: {}\n", fmt::join(launch.command, " "));
            return lines;
        }
        std::ifstream output(launch.output);
        std::string name;
        Line line;
        while (output >> name >> line.calls >> line.value) {
            lines[name] = line;
        }
        return lines;
    }
    [[nodiscard]] fs::path trace() const { return folder_ / "trace"; }

  private:
    MpiKind kind_;
    fs::path folder_;
    std::string program_;
};

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[values.size() / 2];
}

void cost_of_calls(Traced& program, bool quick) {
    const std::string count = quick ? "200000" : "2000000";
    std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> figures;
    std::map<std::string, int> calls;
    for (int turn = 0; turn < (quick ? 1 : 5); ++turn) {
        for (const auto& [name, line] : program.run({"each", count}, 1, false)) {
            figures[name].first.push_back(line.value);
        }
        for (const auto& [name, line] : program.run({"each", count}, 1, true)) {
            figures[name].second.push_back(line.value);
            calls[name] = line.calls;
        }
    }
    fmt::print("  {:<24}{:>12}{:>12}{:>12}\n", "ns per call", "untraced", "traced", "cost");
    double sum = 0;
    int all = 0;
    for (const auto& [name, values] : figures) {
        const double without = median(values.first);
        const double with = median(values.second);
        fmt::print("  {:<24}{:>12.1f}{:>12.1f}{:>12.1f}\n", name, without, with, with - without);
        sum += (with - without) * calls[name];
        all += calls[name];
    }
    fmt::print("  {:<24}{:>36.1f}   (goal: below 300)\n", "average", all > 0 ? sum / all : 0);
}

// By how much `of` is more, in percent, with the library than without: the median over runs in turns.
struct Overhead {
    double median = 0;
    double low = 0; // without the library
    double high = 0;
    double account = 0; // what the library says itself
};
Overhead overhead(Traced& program, const std::vector<std::string>& words, std::uint32_t ranks,
                  const std::string& of, int turns) {
    std::vector<double> ratios;
    std::vector<double> untraced{program.run(words, ranks, false)[of].value};
    Overhead result;
    for (int turn = 0; turn < turns; ++turn) {
        const double traced = program.run(words, ranks, true)[of].value;
        const RecordedTrace trace = RecordedTrace::open(program.trace().string());
        const RecordedEnd& end = trace.rank(RankId{0}).end;
        result.account += 100 * end.cost_seconds / end.seconds / turns;
        untraced.push_back(program.run(words, ranks, false)[of].value);
        const double beside = (untraced[untraced.size() - 2] + untraced.back()) / 2;
        ratios.push_back(100 * (traced / beside - 1));
    }
    result.median = median(ratios);
    result.low = *std::min_element(untraced.begin(), untraced.end());
    result.high = *std::max_element(untraced.begin(), untraced.end());
    return result;
}

void cost_of_rate(Traced& program, bool quick) {
    const double turns = program.run({"rate", "0", "0"}, 2, false)["turns"].value;
    const std::string rounds = quick ? "1000" : "5000";
    const std::vector<std::string> words{"rate", rounds, std::to_string(static_cast<long>(turns))};
    const int runs = quick ? 3 : 15;
    for (const auto& [ranks, of] : {std::pair{2U, "seconds"}, std::pair{1U, "cpu"}}) {
        const Overhead cost = overhead(program, words, ranks, of, runs);
        fmt::print(
            "  {:.0f} calls a second, {}: {:+.2f} % (median of {}; goal: below 1 %), {:.2f} % by its own "
            "account; untraced {:.3f} to {:.3f} s\n",
            4 * std::stod(rounds) / cost.low,
            ranks == 2 ? "wall clock of 2 ranks" : "CPU time of 1 rank with all threads", cost.median, runs,
            cost.account, cost.low, cost.high);
    }
}

void sizes(Traced& program, bool quick) {
    const std::string rounds = quick ? "2000" : "20000";
    for (const bool timed : {false, true}) {
        const double without = program.run({"ring", rounds}, 4, false)["memory"].value;
        const double with =
            program.run({"ring", rounds}, 4, true, {{"ORRERY_TRACE_TIMED", timed ? "1" : "0"}})["memory"].value;
        const RecordedTrace trace = RecordedTrace::open(program.trace().string());
        std::uint64_t actions = 0;
        std::uint64_t unpacked = 0;
        std::uint64_t stored = 0;
        double cost = 0;
        for (std::uint32_t i = 0; i < trace.ranks(); ++i) {
            const RecordedRank& rank = trace.rank(RankId{i});
            actions += rank.actions;
            unpacked += rank.unpacked_bytes;
            stored += rank.stored_bytes;
            cost += rank.end.cost_seconds;
        }
        const auto each = static_cast<double>(std::max<std::uint64_t>(actions, 1));
        fmt::print("  ring of 4{}: {} actions, {:.2f} bytes each, {:.2f} compressed; {:.2f} MB per rank of "
                   "{:.1f} MB; {:.0f} ns per action by its own account\n",
                   timed ? ", timed" : "", actions, static_cast<double>(unpacked) / each,
                   static_cast<double>(stored) / each, with - without, with, 1e9 * cost / each);
    }
}

} // namespace

int main(int count, char** words) {
    bool quick = false;
    std::string_view only;
    for (int i = 1; i < count; ++i) {
        const std::string_view word = words[i];
        if (word == "--quick") {
            quick = true;
        } else {
            only = word;
        }
    }
    std::setvbuf(stdout, nullptr, _IOLBF, 0); // it takes minutes: line by line
    setenv("ORRERY_LIBRARY_DIR", ORRERY_BUILD_FOLDER,
           0); // the library lies beside the program, not beside this
    std::string name = (fs::temp_directory_path() / "orrery-bench-trace-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
        return 1;
    }
    const fs::path folder = name;
    for (const auto& [kind, word] :
         {std::pair{MpiKind::openmpi, "openmpi"}, std::pair{MpiKind::mpich, "mpich"}}) {
        if (!only.empty() && only != word) {
            continue;
        }
        fmt::print("{}\n", name_of(kind));
        Traced program(kind, folder);
        if (!program.compile()) {
            fmt::print("  not installed\n");
            continue;
        }
        cost_of_calls(program, quick);
        cost_of_rate(program, quick);
        sizes(program, quick);
    }
    fs::remove_all(folder);
    return 0;
}
