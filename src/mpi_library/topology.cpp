#include "mpi_library/topology.h"

#include "functions.h"
#include "mpi_library/comm.h"
#include "mpi_library/errors.h"
#include "mpi_library/logging.h"

#include <utility>

namespace orrery::emulate::mpi {

namespace {

const char* name_of(Topology::Kind kind) {
    switch (kind) {
    case Topology::Kind::cartesian: return "Cartesian topology";
    case Topology::Kind::graph: return "graph topology";
    case Topology::Kind::distributed: return "distributed graph";
    }
    return "topology";
}

} // namespace

const Topology& topology_of(MPI_Comm handle, Topology::Kind kind) {
    const Comm& comm = comm_of(handle);
    if (comm.topology == nullptr || comm.topology->kind != kind)
        throw Failure(MPI_ERR_TOPOLOGY, std::string("the communicator has no ") + name_of(kind), handle);
    return *comm.topology;
}

void set_topology(Comm& comm, Topology topology, const Neighbourhood& all) {
    const auto pick = [](const std::vector<int>& ranks, std::vector<std::uint32_t>& places) {
        std::vector<std::uint32_t> there;
        const bool in_order = places.empty();
        if (in_order) {
            for (std::uint32_t i = 0; i < ranks.size(); ++i) places.push_back(i);
        }
        std::erase_if(places, [&](std::uint32_t place) { return ranks[place] == MPI_PROC_NULL; });
        for (const std::uint32_t place : places) there.push_back(static_cast<std::uint32_t>(ranks[place]));
        if (in_order && there.size() == ranks.size()) places.clear();
        return there;
    };
    auto neighbours = std::make_shared<Neighbours>();
    neighbours->sources = pick(all.sources, topology.source_places);
    neighbours->destinations = pick(all.destinations, topology.destination_places);
    comm.member.neighbours = std::move(neighbours);
    comm.topology = std::make_unique<Topology>(std::move(topology));
    log_neighbours(comm);
}

std::unique_ptr<Comm> first_ranks(Comm& comm, std::int64_t nodes) {
    std::unique_ptr<Comm> made = split_comm(comm, comm.rank() < nodes ? 0 : MPI_UNDEFINED, comm.rank());
    if (made != nullptr) made->errhandler = comm.errhandler;
    return made;
}

int Topo_test(MPI_Comm handle, int* status) {
    const Comm& comm = comm_of(handle);
    *status = MPI_UNDEFINED;
    if (comm.topology == nullptr) return MPI_SUCCESS;
    switch (comm.topology->kind) {
    case Topology::Kind::cartesian: *status = MPI_CART; break;
    case Topology::Kind::graph: *status = MPI_GRAPH; break;
    case Topology::Kind::distributed: *status = MPI_DIST_GRAPH; break;
    }
    return MPI_SUCCESS;
}

} // namespace orrery::emulate::mpi
