#include "network/flow/parameters.h"

#include "engine/error.h"
#include "engine/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

namespace {

constexpr std::string_view same_as_bandwidth = "SimGrid's name of flow.bandwidth_factor";
constexpr std::string_view same_as_latency = "SimGrid's name of flow.latency_factor";

constexpr std::array flow_table{
    Parameter{"flow.set", "word", "fabric", "the published set to begin with: fabric (ours), smpi, lv08, cm02"},
    Parameter{"flow.latency_factor", "table", "1",
              "by message size, what the route's latency is multiplied with: \"65472: 11.6; 0: 2.01\", each "
              "factor for messages of more bytes than said before it"},
    Parameter{"flow.bandwidth_factor", "table", "1", "the same for the rate at which a message drains"},
    Parameter{"flow.weight_size", "bytes", "0",
              "S: a flow's right to a link is 1 / (latency + S * sum of 1/bandwidth over its route)"},
    Parameter{"flow.window", "bytes", "0",
              "most bytes under way in a round trip of twice the latency; 0: no such bound"},
    Parameter{"flow.cross_traffic", "factor", "0",
              "acknowledgements: what a flow takes of the reverse route, as a fraction of its rate"},
    Parameter{"flow.equal_weights", "yes/no", "yes",
              "every flow has the same right to a link, whatever its latency"},
    Parameter{"flow.contention", "yes/no", "yes", "no: the same latencies and bandwidths, but nobody shares"},
    Parameter{"flow.precision", "factor", "1e-9",
              "rates are exact for links whose capacity is off by at most this fraction; coarser is faster"},
    Parameter{"smpi.bw-factor", "table", "", same_as_bandwidth},
    Parameter{"smpi.lat-factor", "table", "", same_as_latency},
    Parameter{"network.bandwidth-factor", "table", "", same_as_bandwidth},
    Parameter{"network.latency-factor", "table", "", same_as_latency},
    Parameter{"network.weight-S", "bytes", "", "SimGrid's name of flow.weight_size"},
    Parameter{"network.TCP-gamma", "bytes", "", "SimGrid's name of flow.window"},
    Parameter{"network.crosstraffic", "yes/no", "", "SimGrid's: yes is flow.cross_traffic = 0.05, no is 0"},
};

Piecewise table_of(std::vector<Piecewise::Piece> pieces) {
    std::sort(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) { return a.above < b.above; });
    return Piecewise(std::move(pieces));
}

Piecewise one(double factor) { return factor == 1 ? Piecewise() : table_of({{0, factor, 0}}); }

constexpr double simgrid_window = 4194304; // bytes; the default of all three
constexpr double simgrid_cross_traffic = 0.05;

FlowParameters simgrid_set(double weight_S) {
    FlowParameters set;
    set.weight_S = weight_S;
    set.tcp_gamma = simgrid_window;
    set.cross_traffic = simgrid_cross_traffic;
    set.equal_weights = false;
    return set;
}

// Ping-pongs on graphene, a Gigabit Ethernet cluster, 2013.
FlowParameters smpi() {
    FlowParameters set = simgrid_set(8775);
    set.bandwidth_factor = table_of({{65472, 0.940694, 0},
                                     {15424, 0.697866, 0},
                                     {9376, 0.58729, 0},
                                     {5776, 1.08739, 0},
                                     {3484, 0.77493, 0},
                                     {1426, 0.608902, 0},
                                     {732, 0.341987, 0},
                                     {257, 0.338112, 0},
                                     {0, 0.812084, 0}});
    set.latency_factor = table_of({{65472, 11.6436, 0},
                                   {15424, 3.48845, 0},
                                   {9376, 2.59299, 0},
                                   {5776, 2.18796, 0},
                                   {3484, 1.88101, 0},
                                   {1426, 1.61075, 0},
                                   {732, 1.9503, 0},
                                   {257, 1.95341, 0},
                                   {0, 2.01467, 0}});
    return set;
}

// Velho and Legrand 2009: fitted to packet-level simulations of TCP.
FlowParameters lv08() {
    FlowParameters set = simgrid_set(20537);
    set.latency_factor = one(13.01);
    set.bandwidth_factor = one(0.97);
    return set;
}

// Casanova and Marchal 2002: no corrections.
FlowParameters cm02() { return simgrid_set(0); }

std::string_view trim(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\n");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

std::optional<double> positive(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || value <= 0)
        return {};
    return value;
}

// "65472:0.94;0:0.8" in any order, or one number for all sizes.
Piecewise read_table(const Settings& settings, std::string_view key) {
    constexpr std::string_view expected =
        "one positive factor, or SIZE:FACTOR pairs such as \"65472:0.94;0:0.8\", each size once";
    const std::string text = settings.word(key, "");
    if (const auto number = positive(trim(text))) return one(*number);
    std::vector<Piecewise::Piece> pieces;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(';', at), text.size());
        const std::string_view pair = trim(std::string_view(text).substr(at, end - at));
        at = end + 1;
        if (pair.empty()) continue; // a last semicolon
        const std::size_t colon = pair.find(':');
        if (colon == std::string_view::npos) settings.complain(key, expected);
        const auto factor = positive(trim(pair.substr(colon + 1)));
        if (!factor) settings.complain(key, expected);
        Bytes above = 0;
        try {
            above = parse_bytes(trim(pair.substr(0, colon)));
        } catch (const UsageError&) {
            settings.complain(key, expected);
        }
        for (const Piecewise::Piece& each : pieces) {
            if (each.above == above) settings.complain(key, expected);
        }
        pieces.push_back({above, *factor, 0});
    }
    if (pieces.empty()) settings.complain(key, expected);
    return table_of(std::move(pieces));
}

// Our name of a setting wins over the names that SimGrid has for it. Null: nobody said it.
std::string_view first_said(const Settings& settings, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
        if (settings.find(name) != nullptr) return name;
    }
    return {};
}

bool read_bytes(const Settings& settings, std::initializer_list<std::string_view> names, double& value) {
    const std::string_view name = first_said(settings, names);
    if (name.empty()) return false;
    // SimGrid writes these as plain numbers, fractions included.
    if (const auto number = positive(trim(settings.word(name, "")))) {
        value = *number;
    } else {
        const Bytes bytes = settings.bytes(name, 0);
        value = bytes == ~Bytes{0} ? 0 : static_cast<double>(bytes);
    }
    return true;
}

FlowParameters named_set(const Settings& settings) {
    const std::string name = settings.word("flow.set", "fabric");
    if (name == "fabric") return {};
    if (name == "smpi") return smpi();
    if (name == "lv08") return lv08();
    if (name == "cm02") return cm02();
    settings.complain("flow.set", "fabric, smpi, lv08 or cm02");
}

} // namespace

std::span<const Parameter> flow_parameters() { return flow_table; }

FlowParameters read_flow_parameters(const Settings& settings) {
    FlowParameters read = named_set(settings);
    if (const auto key =
            first_said(settings, {"flow.latency_factor", "smpi.lat-factor", "network.latency-factor"});
        !key.empty()) {
        read.latency_factor = read_table(settings, key);
    }
    if (const auto key =
            first_said(settings, {"flow.bandwidth_factor", "smpi.bw-factor", "network.bandwidth-factor"});
        !key.empty()) {
        read.bandwidth_factor = read_table(settings, key);
    }
    // Who sets the weights wants them.
    if (read_bytes(settings, {"flow.weight_size", "network.weight-S"}, read.weight_S))
        read.equal_weights = false;
    read_bytes(settings, {"flow.window", "network.TCP-gamma"}, read.tcp_gamma);
    if (settings.find("network.crosstraffic") != nullptr) {
        read.cross_traffic = settings.flag("network.crosstraffic", true) ? simgrid_cross_traffic : 0;
    }
    read.cross_traffic = settings.number("flow.cross_traffic", read.cross_traffic);
    if (!(read.cross_traffic >= 0 && read.cross_traffic <= 1)) {
        settings.complain("flow.cross_traffic", "a fraction from 0 to 1");
    }
    read.equal_weights = settings.flag("flow.equal_weights", read.equal_weights);
    read.contention = settings.flag("flow.contention", read.contention);
    read.precision = settings.number("flow.precision", read.precision);
    if (!(read.precision >= 1e-15 && read.precision <= 0.01)) {
        settings.complain("flow.precision", "a fraction from 1e-15 to 0.01");
    }
    return read;
}

} // namespace orrery
