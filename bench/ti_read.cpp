// How fast time-independent traces are read: every rank in turn, a window at a time, as a replay does.
//
//   ti_read TRACE...      traces that are there
//   ti_read               makes LU- and ring-like traces in every form, in $TMPDIR, and reads them
#include "engine/memory.h"
#include "engine/units.h"
#include "formats/ti/text_writer.h"
#include "formats/ti/writers.h"
#include "formats/trace.h"
#include "ti_workloads.h"

#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace {

using namespace orrery;
namespace fs = std::filesystem;

double seconds_of(const auto& work) {
    const std::clock_t start = std::clock(); // of the processor: user and system
    work();
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

std::uint64_t bytes_of(const fs::path& path) {
    if (fs::is_regular_file(path)) return fs::file_size(path);
    std::uint64_t sum = 0;
    for (const auto& entry : fs::directory_iterator(path)) sum += entry.file_size();
    return sum;
}

void measure(const std::string& path, const std::string& shown) {
    std::uint64_t actions = 0;
    std::uint32_t ranks = 0;
    double opening = 0;
    const double all = seconds_of([&] {
        std::unique_ptr<TiTrace> trace;
        opening = seconds_of([&] { trace = std::make_unique<TiTrace>(TiTrace::open(path)); });
        ranks = trace->ranks();
        const std::unique_ptr<ActionSource> source = trace->source();
        for (bool more = true; more;) {
            more = false;
            for (std::uint32_t rank = 0; rank < ranks; ++rank) {
                const std::size_t got = source->next(RankId{rank}).size();
                actions += got;
                more = more || got > 0;
            }
        }
    });
    const auto count = static_cast<double>(actions);
    fmt::print("{:<34} {:>7} {:>12} {:>9} {:>7.2f} {:>8.2f} {:>8.1f} {:>9}\n", shown, ranks, actions,
               format_bytes(bytes_of(path)), static_cast<double>(bytes_of(path)) / count, opening,
               count / all * 1e-6, format_bytes(peak_rss_bytes()));
    std::fflush(stdout);
}

// Ranks take turns line by line: the worst order for a reader.
void write_interleaved(ActionSource& source, const std::string& path) {
    std::vector<ti::LineWriter> writers;
    for (std::uint32_t rank = 0; rank < source.ranks(); ++rank)
        writers.emplace_back(rank, source.ranks(), TiGrammar::current, "");
    std::FILE* const file = std::fopen(path.c_str(), "w");
    std::string text;
    for (ti::LineWriter& writer : writers) writer.begin(text);
    for (bool more = true; more;) {
        more = false;
        std::vector<std::span<const Action>> windows;
        std::size_t longest = 0;
        for (std::uint32_t rank = 0; rank < source.ranks(); ++rank) {
            windows.push_back(source.next(RankId{rank}));
            longest = std::max(longest, windows.back().size());
        }
        for (std::size_t i = 0; i < longest; ++i) {
            more = true;
            for (std::uint32_t rank = 0; rank < source.ranks(); ++rank) {
                if (i < windows[rank].size()) writers[rank].add(windows[rank][i], {}, text);
            }
        }
        std::fwrite(text.data(), 1, text.size(), file);
        text.clear();
    }
    std::fclose(file);
}

void run_all() {
    const char* const given = std::getenv("TMPDIR");
    const fs::path base =
        fs::path(given != nullptr ? given : "/tmp") / fmt::format("orrery-ti-read-{}", ::getpid());
    fs::create_directories(base);
    const auto path = [&](const char* name) { return (base / name).string(); };
    const auto shell = [](const std::string& command) {
        if (std::system(command.c_str()) != 0) fmt::print(stderr, "failed: {}\n", command);
    };
    struct Case {
        const char* name;
        std::uint32_t ranks;
        std::uint64_t iterations;
    };
    for (const Case& made : {Case{"compute", 16, 400'000}, Case{"ring", 64, 25'000}, Case{"lu", 1024, 1'400}}) {
        bench::TiWorkload workload;
        workload.name = made.name;
        workload.ranks = made.ranks;
        workload.iterations = made.iterations;
        workload.skew = 0.05;
        const auto source = [&] { return bench::TiWorkloadSource(workload); };
        const auto shown = [&](const char* form) { return fmt::format("{}, {}", made.name, form); };
        auto all = source();
        write_ti_text(all, path("files/"));
        measure(path("files"), shown("a text file per rank"));
        auto merged = source();
        write_ti_text(merged, path("merged.txt"));
        measure(path("merged.txt"), shown("one text file, by rank"));
        auto mixed = source();
        write_interleaved(mixed, path("mixed.txt"));
        measure(path("mixed.txt"), shown("one text file, line by line"));
        shell(fmt::format("gzip -k -1 {0} && zstd -q -k {0}", path("merged.txt")));
        measure(path("merged.txt.gz"), shown("one text file, gzip"));
        measure(path("merged.txt.zst"), shown("one text file, zstd"));
        auto binary = source();
        write_oti(binary, path("trace.oti"));
        measure(path("trace.oti"), shown("binary (.oti)"));
        fs::remove_all(base);
        fs::create_directories(base);
    }
    fs::remove_all(base);
}

} // namespace

int main(int argc, char** argv) {
    try {
        fmt::print("{:<34} {:>7} {:>12} {:>9} {:>7} {:>8} {:>8} {:>9}\n", "trace", "ranks", "actions", "size",
                   "B/act.", "open s", "M act./s", "peak");
        if (argc == 1) run_all();
        for (int i = 1; i < argc; ++i) measure(argv[i], argv[i]);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
}
