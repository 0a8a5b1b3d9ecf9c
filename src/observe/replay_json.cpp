#include "engine/memory.h"
#include "observe/event_path.h"
#include "observe/json_text.h"
#include "observe/prediction_json.h"
#include "observe/replay_report.h"

#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace orrery {

namespace {

using nlohmann::json;

json efficiencies_json(const Efficiencies& e) {
    json out{{"parallel", e.parallel}, {"load_balance", e.load_balance}, {"communication", e.communication}};
    if (e.with_ideal) {
        out["serialisation"] = e.serialisation;
        out["transfer"] = e.transfer;
    }
    return out;
}

json sizes_json(const ReplayPrediction& prediction) {
    json out = json::array();
    for (std::size_t k = 0; k < prediction.by_size.size(); ++k) {
        if (prediction.by_size[k] == 0) continue;
        const std::uint64_t least = k == 0 ? 0 : std::uint64_t{1} << (k - 1);
        const std::uint64_t most = k == 0 ? 0 : least + (least - 1); // 2^k - 1
        out.push_back({{"from_bytes", least}, {"to_bytes", most}, {"messages", prediction.by_size[k]}});
    }
    return out;
}

json packets_json(const PacketFigures& packets) {
    json out{{"segment_hops", packets.segment_hops},
             {"latency_histogram", json::array()},
             {"head_of_line_blocking", json::array()}};
    for (std::size_t k = 0; k < packets.latency_histogram.size(); ++k) {
        if (packets.latency_histogram[k] == 0) continue;
        const std::uint64_t least = k == 0 ? 0 : std::uint64_t{1} << (k - 1);
        const std::uint64_t most = k == 0 ? 0 : least + (least - 1); // 2^k - 1
        out["latency_histogram"].push_back(
            {{"from_ns", least}, {"to_ns", most}, {"messages", packets.latency_histogram[k]}});
    }
    for (const LinkLoad& link : packets.blocked)
        out["head_of_line_blocking"].push_back({{"name", link.name}, {"blocked_ps", json_ps(link.blocked)}});
    return out;
}

// The parameters of the LogGOPS network, by the names of the literature.
void add_loggops(json& out, const LogGOPS& parameters) {
    out["L_ps"] = parameters.L.ps();
    out["o_ps"] = parameters.o.ps();
    out["g_ps"] = parameters.g.ps();
    out["G_ps_per_byte"] = parameters.G;
    out["O_ps_per_byte"] = parameters.O;
    out["S_bytes"] = parameters.S;
    out["rendezvous"] = parameters.rendezvous == Rendezvous::handshake ? "handshake" : "sender-waits";
}

json model_json(const ReplayContext& context) {
    json out = json::object(); // what there is none of is empty
    const std::pair<const char*, const std::string&> parts[] = {
        {"name", context.network_name}, {"machine", context.machine},   {"mapping", context.mapping},
        {"network", context.network},   {"endpoint", context.endpoint}, {"collectives", context.collectives},
        {"validity", context.validity}, {"noise", context.noise}};
    for (const auto& [name, words] : parts) {
        out[name] = words;
    }
    if (context.loggops) add_loggops(out, *context.loggops);
    return out;
}

// CPU times of a schedule on the fast path, whose ranks may have several CPUs: what the kinds of calls cannot
// say of those.
void add_cpu_times(json& out, const ReplayPrediction& prediction, bool per_rank) {
    const Prediction& base = prediction.base;
    double compute = 0;
    double overhead = 0;
    double waiting = 0;
    double noise = 0;
    json::array_t overheads;
    json::array_t waitings;
    for (const RankTimes& rank : base.ranks) {
        compute += rank.compute.seconds();
        overhead += rank.overhead.seconds();
        waiting += base.waiting(rank).seconds();
        noise += rank.noise.seconds();
        if (!per_rank) continue;
        overheads.emplace_back(json_ps(rank.overhead));
        waitings.emplace_back(json_ps(base.waiting(rank)));
    }
    out["cpu_seconds"] = {{"compute", compute}, {"overhead", overhead}, {"waiting", waiting}, {"noise", noise}};
    if (!per_rank) return;
    out["overhead_times_ps"] = std::move(overheads);
    out["waiting_times_ps"] = std::move(waitings);
}

void add_per_rank(json& out, const ReplayPrediction& prediction) {
    const auto fill = [&](const std::string& name, auto&& value) {
        json::array_t values;
        values.reserve(prediction.calls.size());
        for (std::size_t rank = 0; rank < prediction.calls.size(); ++rank)
            values.emplace_back(json_ps(value(rank)));
        out[name] = std::move(values);
    };
    fill("finish_times_ps", [&](std::size_t rank) { return prediction.base.ranks[rank].finish; });
    for (std::size_t kind = 0; kind < call_kinds; ++kind) {
        fill(fmt::format("{}_times_ps", call_kind_names[kind]),
             [&](std::size_t rank) { return prediction.calls[rank].by_kind[kind]; });
    }
}

} // namespace

json to_json(const ReplayPrediction& prediction, const ReplayContext& context) {
    const Prediction& base = prediction.base;
    json out{
        {"schema", result_schema},
        {"version", context.run.version},
        {"command", context.run.command},
        {"inputs", inputs_json(context.run.inputs)},
        {"what", context.what},
        {"predicted_time_ps", json_ps(base.time)},
        {"error", error_json(base)},
        {"warnings", base.warnings},
        {"critical_rank", base.critical_rank},
        {"ranks", base.ranks.size()},
        {"operations", base.operations},
        {"messages", base.messages},
        {"bytes", base.bytes},
        {"events", base.events},
        {"cpus_per_rank", base.cpus},
        {"simulation_seconds", base.simulation_seconds},
        {"peak_rss_bytes", peak_rss_bytes()},
        {"efficiencies", efficiencies_json(prediction.efficiencies)},
        {"advice", advice(prediction, context)},
        {"calls", json::array()},
        {"collectives", json::array()},
        {"links", json::array()},
        {"messages_by_size", sizes_json(prediction)},
        {"point_to_point",
         {{"messages", prediction.point_to_point}, {"bytes", prediction.point_to_point_bytes}}},
        {"jobs", json::array()},
        {"notes", prediction.notes},
        {"model", model_json(context)},
    };
    if (base.memory_bytes > 0) out["memory_bytes"] = base.memory_bytes;
    if (const auto& memory = prediction.rank_memory)
        out["rank_memory_bytes"] = {{"heap_mean", memory->heap_mean},
                                    {"stack_mean", memory->stack_mean},
                                    {"stack_most", memory->stack_most},
                                    {"variables", memory->variables}};
    for (std::size_t kind = 0; kind < call_kinds; ++kind) {
        double sum = 0;
        for (const CallTimes& rank : prediction.calls) sum += rank.by_kind[kind].seconds();
        out["rank_seconds"][call_kind_names[kind]] = sum;
    }
    for (const CallProfile& each : prediction.profile)
        out["calls"].push_back({{"call", each.call},
                                {"kind", call_kind_names[static_cast<std::size_t>(each.kind)]},
                                {"calls", each.calls},
                                {"bytes", each.bytes},
                                {"rank_seconds", each.seconds}});
    for (const CollectiveProfile& each : prediction.collectives)
        out["collectives"].push_back({{"call", each.call},
                                      {"algorithm", each.algorithm},
                                      {"reason", each.reason},
                                      {"calls", each.calls},
                                      {"from_bytes", each.least},
                                      {"to_bytes", each.most},
                                      {"messages", each.messages},
                                      {"bytes", each.bytes},
                                      {"rank_seconds", each.seconds}});
    for (const LinkLoad& link : prediction.busiest) {
        json row{{"name", link.name}, {"bytes", link.bytes}, {"use", link.use}};
        if (prediction.packets) row["blocked_ps"] = json_ps(link.blocked);
        out["links"].push_back(std::move(row));
    }
    if (prediction.packets) out["packets"] = packets_json(*prediction.packets);
    for (const JobTimes& job : prediction.jobs) {
        out["jobs"].push_back({{"first_rank", job.first_rank},
                               {"ranks", job.ranks},
                               {"start_ps", json_ps(job.start)},
                               {"finish_ps", json_ps(job.finish)}});
    }
    if (context.per_rank) add_per_rank(out, prediction);
    if (context.critical_path != nullptr) out["critical_path"] = *context.critical_path;
    if (!context.schedule.empty() && context.loggops) add_cpu_times(out, prediction, context.per_rank);
    return out;
}

} // namespace orrery
