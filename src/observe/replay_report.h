// What a simulation found, of whatever workload: in words (fifteen lines at most) and as JSON.
#pragma once

#include "network/loggops/parameters.h"
#include "observe/summary_lines.h"
#include "results/replay_prediction.h"
#include "results/run_record.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace orrery {

struct EventPath;

// What the prediction itself does not know. Empty strings are left out.
struct ReplayContext {
    std::string what;               // what was simulated: a folder, a file, a pattern, a program
    std::string machine;            // its name, or the file
    std::string mapping;            // "64 ranks on 16 hosts, block"
    std::string network_name;       // which network: "flow"
    std::string network;            // the same, and what of it was set
    std::optional<LogGOPS> loggops; // the parameters of that network
    std::string endpoint;           // "eager up to 64 KiB, ..."
    std::string collectives;        // how algorithms are chosen: "openmpi"
    std::string validity;           // what the network sees and what it cannot see
    std::string noise;              // the OS noise injected
    std::string ideal_option;       // the option that adds the run on an ideal network: named in the advice
    std::string schedule;           // how a schedule is held: "12 kB in memory"; empty of other workloads
    RunRecord run;                  // JSON: what it was made from
    bool per_rank = false;          // JSON: arrays with a value per rank
    bool all_links = false;         // words: a line for each of the busiest links
    SummaryStyle style{};
    const EventPath* critical_path = nullptr; // JSON: its own key
};

// At most fifteen lines, and one for each warning; a wrapped line counts as one. `all_links` adds one for each
// link.
std::string summary(const ReplayPrediction& prediction, const ReplayContext& context);
// The same keys for every workload: docs/result.schema.json describes them. `result_schema` grows when a key
// changes its meaning or goes.
inline constexpr int result_schema = 1;
nlohmann::json to_json(const ReplayPrediction& prediction, const ReplayContext& context);

// One line: what limits the run and what could be gained at most, from its efficiencies and link loads.
std::string advice(const ReplayPrediction& prediction, const ReplayContext& context);

} // namespace orrery
