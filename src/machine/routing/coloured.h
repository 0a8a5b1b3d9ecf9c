// Routing made for a pattern: paths up a fat tree so that the flows of the pattern hardly meet.
//
// As the offline tool of the Dimemas and Venus authors: it looks at the pattern and at the network, and gives
// each pair of hosts its path. Level by level the flows that go further up are the edges of a graph
// between the nodes they come from and those they will come down to, and a colour is a port (edge_colouring.h);
// a local search (colouring.h) does the rest. Pairs that are not in the pattern go by D-mod-k.
#pragma once

#include "machine/routing/pattern.h"
#include "machine/routing/routing.h"

#include <memory>

namespace orrery {

struct ColourReport {
    std::uint64_t pairs = 0;      // of hosts, in the pattern
    std::uint32_t contention = 0; // of the worst channel (contention.h)
    std::uint32_t bound = 0;      // no routing has less
    std::uint32_t d_mod_k = 0;    // what D-mod-k has
    std::uint32_t s_mod_k = 0;
};

class ColouredRouting : public Routing {
  public:
    [[nodiscard]] virtual const ColourReport& report() const = 0;
};

// `rounds`: how long it tries, if it does not reach the bound before.
std::unique_ptr<ColouredRouting> make_coloured(const Fabric& fabric, const HostPattern& pattern,
                                               std::uint64_t seed, std::uint32_t rounds = 8);

} // namespace orrery
