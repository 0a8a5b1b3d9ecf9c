// A load-latency curve in words, as JSON, as CSV and as a picture.
#pragma once

#include "observe/chart.h"
#include "tools/traffic/curve.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace orrery {

// What was asked, for people.
struct TrafficQuestion {
    std::string machine;  // "graphene, fat tree ..."
    std::string network;  // "packet, segments of 4 KiB, ..."
    std::string pattern;  // "uniform"
    std::string arrivals; // "bernoulli"
    Bytes bytes = 0;
    double bandwidth = 0; // that loads are relative to
    std::uint32_t senders = 0;
    std::uint64_t seed = 0;
    double kept_up = 0; // the share that counts as keeping up
    std::vector<std::string> warnings = {};
};

std::string traffic_words(const TrafficQuestion& question, const TrafficCurve& curve);
nlohmann::json traffic_json(const TrafficQuestion& question, const TrafficCurve& curve);
std::string traffic_csv(const TrafficCurve& curve);
// Latency over offered load, and accepted over offered.
std::vector<Chart> traffic_charts(const TrafficQuestion& question, const TrafficCurve& curve);

} // namespace orrery
