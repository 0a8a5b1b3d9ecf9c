// Writes a schedule in which no rank is like another, so that nothing can be shared: for trying schedules
// larger than memory, and for the size of the compact form at its worst.
//
//   build/release/bench/big_schedule FILE.orr|.goal|.bin RANKS STEPS
//
// A halo exchange on a ring: in each step every rank sends to and receives from both neighbours and computes
// for a random time. 5 operations and 7 dependencies a step.
#include "engine/error.h"
#include "engine/random.h"
#include "engine/units.h"
#include "formats/formats.h"

#include <cstdio>
#include <filesystem>
#include <fmt/format.h>

namespace {

using namespace orrery;

void fill(RankGraph& graph, std::uint32_t rank, std::uint32_t ranks, std::uint64_t steps) {
    const RandomStream random(1, rank);
    const std::uint32_t left = (rank + ranks - 1) % ranks;
    const std::uint32_t right = (rank + 1) % ranks;
    std::uint32_t previous = 0;
    for (std::uint64_t step = 0; step < steps; ++step) {
        const std::uint32_t from_left = graph.add(recv_op(left, 8192, 1));
        const std::uint32_t from_right = graph.add(recv_op(right, 8192, 2));
        const std::uint32_t to_left = graph.add(send_op(left, 8192, 2));
        const std::uint32_t to_right = graph.add(send_op(right, 8192, 1));
        const std::uint32_t work = graph.add(calc_op(1000 * (50'000 + random.below(step, 10'000))));
        for (const std::uint32_t op : {from_left, from_right, to_left, to_right}) {
            graph.require(work, op);
            if (step > 0) graph.require(op, previous);
        }
        previous = work;
    }
}

int run(const std::string& file, std::uint32_t ranks, std::uint64_t steps) {
    const auto format = format_of_extension(file);
    if (!format) throw UsageError("the file's name must end in .orr, .goal or .bin");
    const auto writer = make_writer(file, *format);
    writer->begin(ranks);
    RankGraph graph;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        graph.clear();
        fill(graph, rank, ranks, steps);
        writer->rank(RankId{rank}, graph);
    }
    writer->finish();
    const std::uint64_t operations = 5 * steps * ranks;
    const std::uint64_t bytes = std::filesystem::file_size(file);
    fmt::print("{}: {} operations, {}, {:.2f} bytes per operation\n", file, format_count(operations),
               format_bytes(bytes), static_cast<double>(bytes) / static_cast<double>(operations));
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    try {
        if (argc != 4) throw UsageError("usage: big_schedule FILE RANKS STEPS");
        return run(argv[1], static_cast<std::uint32_t>(parse_count(argv[2])), parse_count(argv[3]));
    } catch (const std::exception& error) {
        fmt::print(stderr, "big_schedule: {}\n", error.what());
        return 2;
    }
}
