// Graphs of processes that every process knows as a whole. Ranks are never reordered.
#include "functions.h"
#include "mpi_library/comm.h"
#include "mpi_library/errors.h"
#include "mpi_library/topology.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <utility>

namespace orrery::emulate::mpi {

namespace {

const Topology& graph_of(MPI_Comm comm) { return topology_of(comm, Topology::Kind::graph); }

void check_graph(const Comm& comm, int nodes, const int index[], const int edges[]) {
    if (nodes < 0 || nodes > comm.size()) {
        throw Failure(MPI_ERR_ARG,
                      fmt::format("a graph of {} nodes in a communicator of {} ranks", nodes, comm.size()),
                      comm.handle);
    }
    int before = 0;
    for (int i = 0; i < nodes; ++i) {
        if (index[i] < before)
            throw Failure(MPI_ERR_ARG, fmt::format("node {} of the graph has less than no neighbours", i),
                          comm.handle);
        before = index[i];
    }
    for (int i = 0; i < before; ++i) {
        if (edges[i] < 0 || edges[i] >= nodes) {
            throw Failure(MPI_ERR_ARG,
                          fmt::format("an edge to node {} of a graph of {} nodes", edges[i], nodes),
                          comm.handle);
        }
    }
}

std::span<const int> neighbours_of_node(const Topology& found, int node) {
    const auto at = static_cast<std::size_t>(node);
    const auto first = static_cast<std::size_t>(node == 0 ? 0 : found.index[at - 1]);
    return std::span(found.edges).subspan(first, static_cast<std::size_t>(found.index[at]) - first);
}

std::span<const int> neighbours_of_rank(MPI_Comm comm, int rank) {
    const Topology& found = graph_of(comm);
    const int size = comm_of(comm).size();
    if (rank < 0 || rank >= size)
        throw Failure(MPI_ERR_RANK, fmt::format("rank {} is not in a communicator of {} ranks", rank, size),
                      comm);
    return neighbours_of_node(found, rank);
}

} // namespace

int Graph_create(MPI_Comm comm_old, int nnodes, const int index[], const int edges[], int /*reorder*/,
                 MPI_Comm* newcomm) {
    *newcomm = MPI_COMM_NULL;
    Comm& parent = intra_comm(comm_old);
    check_graph(parent, nnodes, index, edges);
    std::unique_ptr<Comm> made = first_ranks(parent, nnodes);
    if (made != nullptr) {
        Topology topology;
        topology.kind = Topology::Kind::graph;
        topology.index.assign(index, index + nnodes);
        topology.edges.assign(edges, edges + topology.index.back());
        const std::span<const int> own = neighbours_of_node(topology, made->rank());
        const Neighbourhood all{{own.begin(), own.end()}, {own.begin(), own.end()}};
        set_topology(*made, std::move(topology), all);
    }
    *newcomm = add_comm(std::move(made));
    return MPI_SUCCESS;
}

int Graphdims_get(MPI_Comm comm, int* nnodes, int* nedges) {
    const Topology& found = graph_of(comm);
    *nnodes = static_cast<int>(found.index.size());
    *nedges = static_cast<int>(found.edges.size());
    return MPI_SUCCESS;
}

int Graph_get(MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[]) {
    const Topology& found = graph_of(comm);
    if (maxindex < static_cast<int>(found.index.size()) || maxedges < static_cast<int>(found.edges.size())) {
        throw Failure(MPI_ERR_ARG,
                      fmt::format("there is room for {} nodes and {} edges; the graph has {} and {}", maxindex,
                                  maxedges, found.index.size(), found.edges.size()),
                      comm);
    }
    std::copy(found.index.begin(), found.index.end(), index);
    std::copy(found.edges.begin(), found.edges.end(), edges);
    return MPI_SUCCESS;
}

int Graph_neighbors_count(MPI_Comm comm, int rank, int* nneighbors) {
    *nneighbors = static_cast<int>(neighbours_of_rank(comm, rank).size());
    return MPI_SUCCESS;
}

int Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[]) {
    const std::span<const int> all = neighbours_of_rank(comm, rank);
    if (maxneighbors < static_cast<int>(all.size())) {
        throw Failure(MPI_ERR_ARG,
                      fmt::format("there is room for {} of {} neighbours", maxneighbors, all.size()), comm);
    }
    std::copy(all.begin(), all.end(), neighbors);
    return MPI_SUCCESS;
}

int Graph_map(MPI_Comm comm, int nnodes, const int index[], const int edges[], int* newrank) {
    const Comm& found = intra_comm(comm);
    check_graph(found, nnodes, index, edges);
    *newrank = found.rank() < nnodes ? found.rank() : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

} // namespace orrery::emulate::mpi
