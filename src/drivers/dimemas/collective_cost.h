// What a collective costs in the model of Dimemas: closed forms, no messages.
//
// A phase of P partners costs (latency + bytes x time per byte) x f, once to gather (fan in) and once to spread
// (fan out), with f = 0, 1, P - 1 or the stages of a binary tree whose transfers share the buses. There is a
// phase between nodes, one within the busiest node, and one over the wide area network if it is used.
#pragma once

#include "formats/dimemas_machine/configuration.h"

#include <cstdint>

namespace orrery::dimemas {

// Steps of a binary tree of `partners` if `buses` (0: endless) transfers go on at a time: the sum over levels i
// of ceil(c_i / buses), where c_i is how many transfers level i has.
std::uint32_t tree_stages(std::uint32_t partners, std::uint32_t buses);

struct Phase {
    double latency_ps = 0;
    double ps_per_byte = 0;
    std::uint32_t partners = 1;
    std::uint32_t buses = 0;
};
struct PhaseCost {
    double in = 0; // ps
    double out = 0;
    double in_latency = 0; // of which the latencies are
    double out_latency = 0;
    // What phases are compared by: latencies count twice in it, as in Dimemas.
    [[nodiscard]] double weight() const { return in + in_latency + out + out_latency; }
};
PhaseCost cost_of(const Phase& phase, const CollectiveModel& model, Bytes sent, Bytes received);

} // namespace orrery::dimemas
