// The parameters of the flow network, each with its unit and meaning: what a machine file's [flow] section
// sets.
//
// One flow of B bytes on a route with total latency L: first L * latency_factor(B) pass without using
// bandwidth; then it drains at bandwidth_factor(B) times its share of the links. Shares are max-min fair with
// weight 1 / (L + weight_S * sum of 1/bandwidth over the links) and at most min(bandwidth, tcp_gamma / 2L).
// Sources: Velho, Schnorr, Casanova, Legrand, "On the Validity of Flow-level TCP Network Models for Grid and
// Cloud Simulations", 2013; Casanova et al. 2015 (time-independent traces); SMPI.
#pragma once

#include "engine/piecewise.h"
#include "engine/settings.h"

#include <span>
#include <string_view>

namespace orrery {

// The defaults are our own: a modern lossless fabric. Its links deliver their rated bandwidth, its window never
// binds, acknowledgements are free and switches arbitrate without regard to a flow's latency.
struct FlowParameters {
    Piecewise latency_factor;   // `base` by message size; 1 where no piece holds
    Piecewise bandwidth_factor; // the same
    double weight_S = 0;        // bytes
    double tcp_gamma = 0;       // bytes: window; 0: no bound
    double cross_traffic =
        0; // weight of a flow on the links of its reverse route: acknowledgements; SMPI: 0.05
    bool equal_weights = true; // ignore latencies: every flow on a link has the same right to it
    bool contention = true;    // false: the same latencies and bounds, but no sharing
    double precision = 1e-9;   // rates are exact for links whose capacity is off by at most this fraction

    bool operator==(const FlowParameters&) const = default;

    // Of the piece that holds for `size`. A message without bytes has the factor of the shortest message.
    [[nodiscard]] static double factor(const Piecewise& table, Bytes size) {
        const Piecewise::Piece* const piece = table.piece(size == 0 ? 1 : size);
        return piece == nullptr ? 1.0 : piece->base;
    }
};

std::span<const Parameter> flow_parameters();

// Over the defaults of our own, or those of a published set: "smpi", "cm02", "lv08" (Settings key `flow.set`).
// Throws InputError about a value that cannot be, saying where it was set.
FlowParameters read_flow_parameters(const Settings& settings);

} // namespace orrery
