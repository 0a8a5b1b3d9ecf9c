// What a replay found, in words (fifteen lines at most) and as JSON.
#pragma once

#include "observe/summary_lines.h"
#include "results/replay_prediction.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace orrery {

struct EventPath;

// What the prediction itself does not know. Empty strings are left out.
struct ReplayContext {
    std::string what;         // what was replayed: a folder, a file, a pattern
    std::string machine;      // its name, or the file
    std::string mapping;      // "64 ranks on 16 hosts, block"
    std::string network;      // which network, and what of it was set
    std::string endpoint;     // "eager up to 64 KiB, ..."
    std::string collectives;  // how algorithms are chosen: "openmpi"
    std::string validity;     // what the network sees and what it cannot see
    std::string noise;        // the OS noise injected
    std::string ideal_option; // the option that adds the run on an ideal network: named in the advice
    bool per_rank = false;    // JSON: arrays with a value per rank
    bool all_links = false;   // words: a line for each of the busiest links
    SummaryStyle style{};
    const EventPath* critical_path = nullptr; // JSON: its own key
};

// At most fifteen lines, and one for each warning; a wrapped line counts as one. `all_links` adds one for each
// link.
std::string summary(const ReplayPrediction& prediction, const ReplayContext& context);
nlohmann::json to_json(const ReplayPrediction& prediction, const ReplayContext& context);

// One line: what limits the run and what could be gained at most, from its efficiencies and link loads.
std::string advice(const ReplayPrediction& prediction, const ReplayContext& context);

} // namespace orrery
