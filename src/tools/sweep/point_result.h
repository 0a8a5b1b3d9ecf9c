// What a study keeps of the prediction at one point.
#pragma once

#include "engine/time.h"
#include "results/replay_prediction.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

enum class PointStatus : std::uint8_t {
    ok,
    failed, // the program said why: bad input, a deadlock, ...; it would say so again
    lost,   // the process ended without a word: killed, out of memory; worth another try
};
std::string_view name_of(PointStatus status);

// Times are means over ranks, in picoseconds: sums over millions of ranks would not fit.
struct PointResult {
    PointStatus status = PointStatus::ok;
    std::string message;               // why it failed
    std::vector<std::string> warnings; // what makes the answer doubtful
    Time time;                         // predicted
    std::uint64_t ranks = 0;
    std::uint64_t operations = 0;
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    std::uint64_t events = 0;
    Time compute;
    Time overhead; // CPU time of messages
    Time noise;
    std::optional<CallTimes> calls; // of points that an older program ran: not known of all
    std::optional<Efficiencies> efficiencies;
    std::string busiest_link; // empty: the network has no links
    double busiest_use = 0;

    // What it cost to find out; differs from run to run.
    double simulation_seconds = 0;
    std::uint64_t peak_rss_bytes = 0;
};

PointResult result_of(const ReplayPrediction& prediction);

// Between the process that runs a point and the one that keeps the books.
nlohmann::json to_json(const PointResult& result);
PointResult point_result(const nlohmann::json& json);

} // namespace orrery
