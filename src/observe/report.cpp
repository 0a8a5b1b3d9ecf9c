#include "observe/report.h"

#include "engine/memory.h"
#include "engine/units.h"
#include "network/loggops/loggops_network.h"
#include "observe/prediction_json.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace orrery {

namespace {

struct Split {
    double compute = 0;
    double overhead = 0;
    double waiting = 0;
    double noise = 0;
    double total = 0;
};

// CPU time of all ranks up to the end of the run: a rank that ends early waits for the others.
Split split(const Prediction& prediction) {
    Split sum;
    for (const RankTimes& rank : prediction.ranks) {
        sum.compute += rank.compute.seconds();
        sum.overhead += rank.overhead.seconds();
        sum.noise += rank.noise.seconds();
        sum.waiting += prediction.waiting(rank).seconds();
    }
    sum.total = prediction.time.seconds() * prediction.cpus * static_cast<double>(prediction.ranks.size());
    return sum;
}

double percent_of(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

std::string split_words(const Split& sum) {
    const double ended = sum.total - sum.compute - sum.overhead - sum.noise - sum.waiting;
    return without_comma(share_words("compute", percent_of(sum.compute, sum.total)) +
                         share_words("message overhead", percent_of(sum.overhead, sum.total)) +
                         share_words("waiting", percent_of(sum.waiting, sum.total)) +
                         share_words("OS noise", percent_of(sum.noise, sum.total)) +
                         share_words("already finished", std::abs(percent_of(ended, sum.total))));
}

// Of the rank that ends last.
std::string last_rank_words(const Prediction& prediction) {
    const RankTimes& critical = prediction.ranks[prediction.critical_rank];
    std::string words;
    const auto add = [&](const char* name, Time time) {
        if (time != Time::zero()) words += fmt::format("{} {}, ", name, format_time(time));
    };
    add("compute", critical.compute);
    add("message overhead", critical.overhead);
    add("waiting", prediction.waiting(critical));
    return without_comma(std::move(words));
}

std::string rendezvous_words(const LogGOPS& parameters) {
    return parameters.rendezvous == Rendezvous::handshake ? "handshake" : "sender-waits";
}

} // namespace

std::string summary(const Prediction& prediction, const ReportContext& context) {
    const SummaryStyle& style = context.style;
    std::string text;
    summary_title(text, style,
                  fmt::format("{}: {} ranks, {} operations, {} messages, {}", context.what,
                              format_count(prediction.ranks.size()), format_count(prediction.operations),
                              format_count(prediction.messages), format_bytes(prediction.bytes)));
    summary_time(text, style, prediction);
    summary_line(text, style, "where it went", split_words(split(prediction)));
    summary_line(text, style, "last rank", last_rank_words(prediction));
    summary_line(
        text, style, "model",
        fmt::format("{}; rendezvous {}", to_string(context.loggops), rendezvous_words(context.loggops)));
    summary_line(text, style, "validity", LogGOPSNetwork::validity);
    summary_line(text, style, "noise", context.noise);
    const double rate = prediction.simulation_seconds > 0
                            ? static_cast<double>(prediction.events) / prediction.simulation_seconds
                            : 0;
    summary_line(text, style, "simulation",
                 fmt::format("{} events in {:.3g} s: {:.1f} M events/s, peak memory {}",
                             format_count(prediction.events), prediction.simulation_seconds, rate / 1e6,
                             format_bytes(peak_rss_bytes())));
    summary_line(text, style, "schedule", context.schedule);
    return text;
}

nlohmann::json to_json(const Prediction& prediction, const ReportContext& context) {
    const Split sum = split(prediction);
    nlohmann::json json{
        {"what", context.what},
        {"predicted_time_ps", prediction.time.ps()},
        {"error", error_json(prediction)},
        {"warnings", prediction.warnings},
        {"critical_rank", prediction.critical_rank},
        {"ranks", prediction.ranks.size()},
        {"operations", prediction.operations},
        {"messages", prediction.messages},
        {"bytes", prediction.bytes},
        {"events", prediction.events},
        {"simulation_seconds", prediction.simulation_seconds},
        {"peak_rss_bytes", peak_rss_bytes()},
        {"cpus_per_rank", prediction.cpus},
        {"cpu_seconds",
         {{"compute", sum.compute},
          {"overhead", sum.overhead},
          {"waiting", sum.waiting},
          {"noise", sum.noise}}},
        {"model",
         {{"name", "loggops"},
          {"L_ps", context.loggops.L.ps()},
          {"o_ps", context.loggops.o.ps()},
          {"g_ps", context.loggops.g.ps()},
          {"G_ps_per_byte", context.loggops.G},
          {"O_ps_per_byte", context.loggops.O},
          {"S_bytes", context.loggops.S},
          {"rendezvous", rendezvous_words(context.loggops)},
          {"validity", LogGOPSNetwork::validity}}},
    };
    if (!context.noise.empty()) json["noise"] = context.noise;
    if (!context.per_rank) return json;
    for (const char* name : {"finish_times_ps", "compute_times_ps", "overhead_times_ps", "waiting_times_ps"}) {
        json[name] = nlohmann::json::array();
        json[name].get_ref<nlohmann::json::array_t&>().reserve(prediction.ranks.size());
    }
    for (const RankTimes& rank : prediction.ranks) {
        json["finish_times_ps"].push_back(rank.finish.ps());
        json["compute_times_ps"].push_back(rank.compute.ps());
        json["overhead_times_ps"].push_back(rank.overhead.ps());
        json["waiting_times_ps"].push_back(prediction.waiting(rank).ps());
    }
    return json;
}

} // namespace orrery
