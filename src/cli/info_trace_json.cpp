// `orrery info --json` of a trace.
#include "cli/size_words.h"
#include "cli/trace_facts.h"
#include "observe/json_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace orrery::cli {

namespace {

using Json = nlohmann::ordered_json;

Json run_json(const RecordedRun& run) {
    Json out;
    out["program"] = run.begin.program;
    out["started"] = run.begin.started;
    out["mpi"] = run.begin.mpi;
    out["hosts"] = run.hosts;
    out["cpu"] = run.begin.cpu;
    out["counter"] = run.begin.counter;
    out["reference_per_second"] = run.begin.reference;
    out["timed"] = run.begin.timed;
    out["orrery"] = run.begin.version;
    out["seconds"] = run.seconds;
    out["mpi_seconds_of_all_ranks"] = run.mpi_seconds;
    out["tracing_seconds_of_all_ranks"] = run.cost_seconds;
    out["peak_bytes_of_largest_rank"] = run.peak_bytes;
    out["calls"] = run.calls;
    out["calls_not_replayed"] = run.not_replayed;
    return out;
}

Json matrix_json(const CommunicationMatrix& matrix) {
    Json out;
    out["with_collectives"] = matrix.with_collectives();
    out["messages"] = matrix.messages();
    out["bytes"] = matrix.bytes();
    out["pairs"] = matrix.pairs().size();
    out["heaviest"] = Json::array();
    for (const PairTraffic& pair : matrix.heaviest(10)) {
        out["heaviest"].push_back(
            {{"from", pair.from}, {"to", pair.to}, {"messages", pair.messages}, {"bytes", pair.bytes}});
    }
    out["partners_of_rank"] = matrix.partners();
    return out;
}

Json rates_json(const ComputeRates& rates) {
    Json out;
    out["bursts"] = rates.bursts();
    out["unmeasured_bursts"] = rates.unmeasured();
    out["average_per_second"] = rates.average();
    out["by_size"] = Json::array();
    for (const ComputeRates::Decade& decade : rates.decades()) {
        out["by_size"].push_back({{"decade", decade.decade},
                                  {"bursts", decade.bursts},
                                  {"volume", decade.volume},
                                  {"average_per_second", decade.volume / decade.seconds},
                                  {"p10", decade.tenth},
                                  {"p50", decade.median},
                                  {"p90", decade.ninetieth}});
    }
    return out;
}

} // namespace

void print_json(const TraceInfo& info, const TraceFacts& facts) {
    const TiStatistics& counts = facts.counts;
    Json out;
    out["file"] = info.path;
    out["format"] = facts.format;
    out["file_bytes"] = facts.bytes ? Json(*facts.bytes) : Json(nullptr);
    out["ranks"] = counts.ranks();
    if (facts.run) out["run"] = run_json(*facts.run);
    out["actions"] = counts.actions();
    out["actions_of_largest_rank"] = counts.largest_rank();
    out["actions_by_kind"] = Json::object();
    for (std::size_t i = 0; i < TiStatistics::kinds; ++i) {
        const auto kind = static_cast<ActionKind>(i);
        if (counts.of(kind) > 0) out["actions_by_kind"][std::string(name_of(kind))] = counts.of(kind);
    }
    out["collectives"] = Json::object();
    for (std::size_t i = 0; i < collective_count; ++i) {
        const auto operation = static_cast<Collective>(i);
        if (counts.of(operation) > 0)
            out["collectives"][std::string(name_of(operation))] = counts.of(operation);
    }
    out["collective_bytes"] = counts.collective_bytes();
    out["messages"] = counts.messages();
    out["bytes_sent"] = counts.bytes_sent();
    out["smallest_message"] = counts.smallest_message();
    out["largest_message"] = counts.largest_message();
    out["message_sizes"] = histogram_json(counts.message_sizes());
    out["one_sided_operations"] = counts.of(ActionKind::one_sided);
    out["one_sided_bytes"] = counts.one_sided_bytes();
    out["any_source_recvs"] = counts.any_source();
    out["any_tag_recvs"] = counts.any_tag();
    out["volume_unit"] = facts.unit();
    out["volume"] = counts.volume();
    out["volume_of_smallest_rank"] = counts.smallest_rank_volume();
    out["volume_of_largest_rank"] = counts.largest_rank_volume();
    out["sleep_seconds"] = counts.sleep_seconds();
    out["requests_pending_at_most"] = counts.requests();
    out["matrix"] = matrix_json(*facts.matrix);
    if (facts.rates) out["compute_rates"] = rates_json(*facts.rates);
    out["notes"] = facts.notes;
    fmt::print("{}\n", json_text(out, 2));
}

} // namespace orrery::cli
