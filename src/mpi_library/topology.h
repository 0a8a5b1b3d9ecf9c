// Process topologies: Cartesian grids, graphs, distributed graphs.
#pragma once

#include "orrery/mpi/mpi.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace orrery::emulate::mpi {

class Comm;

struct Topology {
    enum class Kind : std::uint8_t { cartesian, graph, distributed };
    Kind kind = Kind::cartesian;
    // Cartesian.
    std::vector<int> dimensions;
    std::vector<int> periods;
    // Graph: as MPI_Graph_create has them.
    std::vector<int> index;
    std::vector<int> edges;
    // Distributed: of this rank.
    std::vector<int> sources;
    std::vector<int> source_weights;
    std::vector<int> destinations;
    std::vector<int> destination_weights;
    bool weighted = false;
    // Of the neighbours that there are (Membership::neighbours): their places among all that the topology
    // names, in the buffers of neighbourhood collectives. Empty: there are all of them, in order.
    std::vector<std::uint32_t> source_places;
    std::vector<std::uint32_t> destination_places;
};

// Throws Failure(MPI_ERR_TOPOLOGY): none, or one of another kind.
const Topology& topology_of(MPI_Comm comm, Topology::Kind kind);

// The ranks of a neighbourhood, in the order that the topology has them; MPI_PROC_NULL: nobody there.
struct Neighbourhood {
    std::vector<int> sources;
    std::vector<int> destinations;
};
// Gives the communicator its topology, and the neighbours of this rank.
void set_topology(Comm& comm, Topology topology, const Neighbourhood& all);

// Collective over `comm`: its first `nodes` ranks, in order, or nothing on the others.
std::unique_ptr<Comm> first_ranks(Comm& comm, std::int64_t nodes);

} // namespace orrery::emulate::mpi
