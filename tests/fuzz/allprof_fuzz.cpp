// A trace of liballprof must be read or refused, and what it becomes must be a sound program for any multiple
// of its ranks. The first byte chooses options; a line "%%" begins the file of the next rank.
#include "engine/error.h"
#include "formats/allprof/trace.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    AllprofOptions options;
    options.skip_unsupported = (data[0] & 1) != 0;
    options.allow_truncated = (data[0] & 2) != 0;
    options.point_to_point = (data[0] & 4) == 0;
    options.collectives = (data[0] & 8) == 0;
    options.skip_collectives = (data[0] & 16) != 0 ? 1 : 0;
    options.max_collectives = (data[0] & 32) != 0 ? 2 : 0;
    if ((data[0] & 64) != 0) options.collectives_early = Time::us(1);

    std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
    std::vector<std::string> files;
    constexpr std::string_view next_rank = "%%\n";
    for (std::size_t at = 0; files.size() < 6 && (at = rest.find(next_rank)) != std::string_view::npos;) {
        files.emplace_back(rest.substr(0, at));
        rest.remove_prefix(at + next_rank.size());
    }
    files.emplace_back(rest);
    try {
        const AllprofTrace trace = AllprofTrace::from_memory(files, options);
        RankGraph graph;
        for (const std::uint32_t factor : {1u, 3u}) {
            const std::uint32_t total = factor * trace.ranks();
            for (std::uint32_t rank = 0; rank < total; ++rank) {
                trace.program(RankId{rank}, total, graph);
                try {
                    check_rank(graph, RankId{rank}, total, "program");
                } catch (const InputError&) {
                    std::abort();
                } // what was accepted must be sound
            }
        }
        if (trace.summary().headline().empty()) std::abort();
    } catch (const InputError&) { // refused
    }
    return 0;
}
