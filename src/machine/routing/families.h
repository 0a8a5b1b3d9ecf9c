// The routings of each family of topologies; make_routing() chooses among them.
#pragma once

#include "machine/routing/pattern.h"
#include "machine/routing/routing.h"

#include <memory>

namespace orrery {

// As the platform routes, on one lane: shortest paths, what a file says, or the rule of a regular network. On
// rings and in most graphs with loops this can deadlock; check_deadlock() tells.
std::unique_ptr<Routing> make_platform_routing(const Fabric& fabric, std::string words);

// The same on as many lanes as are needed, one for each pair, so that no cycle is left. Throws InputError for
// more than 4096 hosts or if 16 lanes do not do.
std::unique_ptr<Routing> make_layered(const Fabric& fabric, std::string words);

// Fat trees: how a path goes up. Downwards only the choice among parallel cables is left.
enum class ModForm : std::uint8_t {
    parents, // Zahavi 2010: the number is divided by the parents passed (w1 ... wi)
    children // Rodriguez et al. 2009: by the children below (m1 ... m(i-1)); equal on k-ary n-trees
};
std::unique_ptr<Routing> make_d_mod_k(const Fabric& fabric, ModForm form);
std::unique_ptr<Routing> make_s_mod_k(const Fabric& fabric, ModForm form);
std::unique_ptr<Routing> make_first_port(const Fabric& fabric);
std::unique_ptr<Routing> make_random_up(const Fabric& fabric, Decides decides, std::uint64_t seed);
std::unique_ptr<Routing> make_adaptive_up(const Fabric& fabric);

// Torus, mesh, hypercube, HyperX, dragonfly: the platform's own path with the lanes that it needs; through a
// random place (Valiant 1982); or whichever of the two has less before it (UGAL; Singh 2005).
struct UgalOptions {
    bool global = false; // sees the queues of the whole path, not only those of the first router
    Bytes bias = 0;      // a detour must be better by so much
};
std::unique_ptr<Routing> make_minimal(const Fabric& fabric);
std::unique_ptr<Routing> make_valiant(const Fabric& fabric, Decides decides, std::uint64_t seed);
std::unique_ptr<Routing> make_ugal(const Fabric& fabric, Decides decides, std::uint64_t seed,
                                   const UgalOptions& options);

// Any graph: up towards a root, then down (Schroeder et al. 1991, Autonet): the shortest such paths, which
// cannot deadlock.
std::unique_ptr<Routing> make_up_down(const Fabric& fabric);

} // namespace orrery
