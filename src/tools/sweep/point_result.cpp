#include "tools/sweep/point_result.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace orrery {

namespace {

constexpr std::array<std::string_view, 3> status_names{"ok", "failed", "lost"};

// Without a sum that overflows: quotients and remainders apart.
class Mean {
  public:
    explicit Mean(std::size_t count) : count_(static_cast<std::int64_t>(std::max<std::size_t>(count, 1))) {}
    void add(Time time) {
        quotient_ += time.ps() / count_;
        remainder_ += time.ps() % count_;
    }
    [[nodiscard]] Time get() const { return Time::ps(quotient_ + remainder_ / count_); }

  private:
    std::int64_t count_;
    std::int64_t quotient_ = 0;
    std::int64_t remainder_ = 0;
};

template <typename Range, typename Part> Time mean(const Range& ranks, Part&& part) {
    Mean sum(ranks.size());
    for (const auto& rank : ranks) sum.add(part(rank));
    return sum.get();
}

} // namespace

std::string_view name_of(PointStatus status) { return status_names[static_cast<std::size_t>(status)]; }

PointResult result_of(const ReplayPrediction& found) {
    const Prediction& prediction = found.base;
    PointResult result;
    result.time = prediction.time;
    result.ranks = prediction.ranks.size();
    result.operations = prediction.operations;
    result.messages = prediction.messages;
    result.bytes = prediction.bytes;
    result.events = prediction.events;
    result.compute = mean(prediction.ranks, [](const RankTimes& rank) { return rank.compute; });
    result.overhead = mean(prediction.ranks, [](const RankTimes& rank) { return rank.overhead; });
    result.noise = mean(prediction.ranks, [](const RankTimes& rank) { return rank.noise; });
    result.simulation_seconds = prediction.simulation_seconds;
    result.warnings = prediction.warnings;
    result.efficiencies = found.efficiencies;
    if (!found.calls.empty()) {
        CallTimes& calls = result.calls.emplace();
        for (std::size_t kind = 0; kind < call_kinds; ++kind)
            calls.by_kind[kind] = mean(found.calls, [&](const CallTimes& rank) { return rank.by_kind[kind]; });
    }
    if (!found.busiest.empty()) {
        result.busiest_link = found.busiest[0].name;
        result.busiest_use = found.busiest[0].use;
    }
    return result;
}

nlohmann::json to_json(const PointResult& result) {
    nlohmann::json json{{"status", name_of(result.status)},
                        {"message", result.message},
                        {"warnings", result.warnings},
                        {"time", result.time.ps()},
                        {"ranks", result.ranks},
                        {"operations", result.operations},
                        {"messages", result.messages},
                        {"bytes", result.bytes},
                        {"events", result.events},
                        {"compute", result.compute.ps()},
                        {"overhead", result.overhead.ps()},
                        {"noise", result.noise.ps()},
                        {"busiest_link", result.busiest_link},
                        {"busiest_use", result.busiest_use},
                        {"simulation_seconds", result.simulation_seconds},
                        {"peak_rss_bytes", result.peak_rss_bytes}};
    if (result.calls) {
        for (const Time time : result.calls->by_kind) json["calls"].push_back(time.ps());
    }
    if (result.efficiencies) {
        const Efficiencies& each = *result.efficiencies;
        json["efficiencies"] = {each.parallel, each.load_balance, each.communication, each.serialisation,
                                each.transfer};
        json["with_ideal"] = each.with_ideal;
    }
    return json;
}

PointResult point_result(const nlohmann::json& json) {
    PointResult result;
    const auto status =
        std::find(status_names.begin(), status_names.end(), json.at("status").get<std::string>());
    result.status = status == status_names.end() ? PointStatus::lost
                                                 : static_cast<PointStatus>(status - status_names.begin());
    const auto time = [&](const char* key) { return Time::ps(json.at(key).get<std::int64_t>()); };
    result.message = json.at("message").get<std::string>();
    result.warnings = json.at("warnings").get<std::vector<std::string>>();
    result.time = time("time");
    result.ranks = json.at("ranks").get<std::uint64_t>();
    result.operations = json.at("operations").get<std::uint64_t>();
    result.messages = json.at("messages").get<std::uint64_t>();
    result.bytes = json.at("bytes").get<std::uint64_t>();
    result.events = json.at("events").get<std::uint64_t>();
    result.compute = time("compute");
    result.overhead = time("overhead");
    result.noise = time("noise");
    result.busiest_link = json.at("busiest_link").get<std::string>();
    result.busiest_use = json.at("busiest_use").get<double>();
    result.simulation_seconds = json.at("simulation_seconds").get<double>();
    result.peak_rss_bytes = json.at("peak_rss_bytes").get<std::uint64_t>();
    if (json.contains("calls")) {
        CallTimes& calls = result.calls.emplace();
        for (std::size_t kind = 0; kind < call_kinds; ++kind)
            calls.by_kind[kind] = Time::ps(json["calls"].at(kind).get<std::int64_t>());
    }
    if (json.contains("efficiencies")) {
        const auto& list = json["efficiencies"];
        result.efficiencies =
            Efficiencies{list.at(0), list.at(1), list.at(2), list.at(3), list.at(4), json.at("with_ideal")};
    }
    return result;
}

} // namespace orrery
