#include "cli/trace_facts.h"

#include "engine/error.h"
#include "formats/trace.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace orrery::cli {

namespace {

namespace fs = std::filesystem;

std::optional<std::uint64_t> file_bytes(const std::string& path) {
    std::error_code none;
    if (!fs::is_regular_file(path, none)) return std::nullopt;
    const auto bytes = fs::file_size(path, none);
    return none ? std::nullopt : std::optional<std::uint64_t>(bytes);
}

RecordedRun facts_of(const RecordedTrace& trace) {
    RecordedRun facts;
    facts.begin = trace.begin();
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
        const RecordedRank& each = trace.rank(RankId{rank});
        facts.hosts.push_back(each.begin.host);
        facts.seconds = std::max(facts.seconds, each.end.seconds);
        facts.mpi_seconds += each.end.mpi_seconds;
        facts.cost_seconds += each.end.cost_seconds;
        facts.peak_bytes = std::max(facts.peak_bytes, each.end.peak_bytes);
        facts.stored_bytes += each.stored_bytes;
        for (const RecordedCall& call : each.end.calls)
            (call.replayed ? facts.calls : facts.not_replayed)[call.name] += call.calls;
    }
    std::sort(facts.hosts.begin(), facts.hosts.end());
    facts.hosts.erase(std::unique(facts.hosts.begin(), facts.hosts.end()), facts.hosts.end());
    return facts;
}

std::string title_of(const TraceInfo& info, const TraceFacts& facts) {
    return facts.run && !facts.run->begin.program.empty() ? facts.run->begin.program : info.path;
}

} // namespace

std::string TraceFacts::unit() const {
    if (cpu_time) return "ns of CPU time";
    if (!run || run->begin.counter != "cpu-time") return "instructions";
    return run->begin.reference == 1e9 ? "ns of CPU time"
                                       : fmt::format("CPU time in 1/{:.6g} s", run->begin.reference);
}

TraceFacts read_trace(const TraceInfo& info) {
    TraceFacts facts;
    TiOptions options;
    options.allow_truncated = info.allow_truncated;
    const TiTrace trace = TiTrace::open(info.path, options);
    facts.format = trace.format();
    facts.cpu_time = trace.dimemas() != nullptr;
    facts.bytes = file_bytes(info.path);
    facts.counts.read(*trace.source());
    facts.notes = trace.notes();
    {
        CollectivePolicy policy;
        for (const std::string& word : info.collectives) policy.set(word);
        const TraceCommunicators communicators(*trace.source());
        facts.matrix.emplace(*trace.source(), communicators, info.matrix_collectives ? &policy : nullptr);
    }
    if (const RecordedTrace* const recorded = trace.recorded()) {
        facts.run = facts_of(*recorded);
        facts.bytes = facts.run->stored_bytes;
        if (facts.run->begin.timed) facts.rates.emplace(*recorded->timed_source());
    }
    if (!info.matrix.empty()) write_matrix(*facts.matrix, info.matrix, title_of(info, facts));
    if (!info.rates.empty()) {
        if (!facts.rates) {
            throw UsageError(
                fmt::format("--rates needs durations, and {} has none: record it with orrery trace "
                            "--timed",
                            info.path));
        }
        write_rates(*facts.rates, info.rates, title_of(info, facts),
                    {facts.unit(), facts.run ? facts.run->begin.reference : 0});
    }
    return facts;
}

} // namespace orrery::cli
