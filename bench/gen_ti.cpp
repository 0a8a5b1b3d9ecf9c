// Makes the time-independent traces of the replay benchmarks:
//
//   gen_ti lu 1024 200 traces/            a text file per rank, and their LIST
//   gen_ti ring 64 40000 ring.txt         one text file, rank after rank
//   gen_ti stencil 1k 100 stencil.oti     our binary form
//
// Options: --bytes 8192 (of a message), --compute 1e6 (instructions), --skew 0.1 (computations differ by up to
// 10 %).
#include "engine/units.h"
#include "formats/ti/writers.h"
#include "ti_workloads.h"

#include <cstdlib>
#include <exception>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace orrery;

int run(const std::vector<std::string>& given) {
    bench::TiWorkload workload;
    std::vector<std::string> plain;
    for (std::size_t i = 0; i < given.size(); ++i) {
        const bool option = given[i].starts_with("--") && i + 1 < given.size();
        if (option && given[i] == "--bytes") {
            workload.bytes = parse_bytes(given[++i]);
        } else if (option && given[i] == "--compute") {
            workload.instructions = std::stod(given[++i]);
        } else if (option && given[i] == "--skew") {
            workload.skew = std::stod(given[++i]);
        } else {
            plain.push_back(given[i]);
        }
    }
    if (plain.size() != 4) {
        fmt::print(stderr, "usage: gen_ti ring|stencil|lu|compute|alltoall RANKS ITERATIONS OUT [--bytes N] "
                           "[--compute N] [--skew PART]\n");
        return 2;
    }
    workload.name = plain[0];
    workload.ranks = static_cast<std::uint32_t>(parse_count(plain[1]));
    workload.iterations = parse_count(plain[2]);
    bench::TiWorkloadSource source(workload);
    const TiWritten written =
        plain[3].ends_with(".oti") ? write_oti(source, plain[3]) : write_ti_text(source, plain[3]);
    fmt::print("{}: {} ranks, {} actions, {} ({:.3g} bytes per action)\n", plain[3],
               format_count(workload.ranks), format_count(written.actions), format_bytes(written.bytes),
               static_cast<double>(written.bytes) / static_cast<double>(written.actions));
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    try {
        return run({argv + 1, argv + argc});
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 2;
    }
}
