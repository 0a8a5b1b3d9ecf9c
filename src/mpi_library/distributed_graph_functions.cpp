// Graphs of processes of which each process knows its own neighbours only. Ranks are never reordered.
#include "functions.h"
#include "mpi_library/comm.h"
#include "mpi_library/errors.h"
#include "mpi_library/topology.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace orrery::emulate::mpi {

namespace {

using Numbers = std::vector<int>;

const Topology& distributed_graph_of(MPI_Comm comm) { return topology_of(comm, Topology::Kind::distributed); }

void check_count(const Comm& comm, int count, const char* what) {
    if (count < 0) throw Failure(MPI_ERR_ARG, fmt::format("the number of {} is {}", what, count), comm.handle);
}

void check_ranks(const Comm& comm, int count, const int ranks[]) {
    if (count > 0 && ranks == nullptr) throw Failure(MPI_ERR_ARG, "the ranks are a null pointer", comm.handle);
    for (int i = 0; i < count; ++i) {
        if (ranks[i] < 0 || ranks[i] >= comm.size()) {
            throw Failure(MPI_ERR_RANK,
                          fmt::format("rank {} is not in a communicator of {} ranks", ranks[i], comm.size()),
                          comm.handle);
        }
    }
}

// As the application gives them: MPI_UNWEIGHTED is 1 for each edge; MPI_WEIGHTS_EMPTY goes with no edges.
Numbers checked_weights(const Comm& comm, int count, const int weights[]) {
    if (weights == MPI_UNWEIGHTED || count == 0) return Numbers(static_cast<std::size_t>(count), 1);
    if (weights == nullptr || weights == MPI_WEIGHTS_EMPTY)
        throw Failure(MPI_ERR_ARG, fmt::format("there are no weights for {} edges", count), comm.handle);
    for (int i = 0; i < count; ++i) {
        if (weights[i] < 0)
            throw Failure(MPI_ERR_ARG, fmt::format("the weight of an edge is {}", weights[i]), comm.handle);
    }
    return {weights, weights + count};
}

MPI_Comm add_graph(std::unique_ptr<Comm> made, Topology topology) {
    topology.kind = Topology::Kind::distributed;
    const Neighbourhood all{topology.sources, topology.destinations};
    set_topology(*made, std::move(topology), all);
    return add_comm(std::move(made));
}

// Edges on their way to the processes at their ends: three numbers for each.
struct Edge {
    int incoming = 0; // 1: `other` is a source of whom it is sent to
    int other = 0;
    int weight = 1;
};
static_assert(sizeof(Edge) == 3 * sizeof(int));

// Every process gets what the others have for it, in the order of their ranks.
std::vector<Edge> distribute(MPI_Comm comm, const std::vector<std::vector<Edge>>& edges) {
    const std::size_t size = edges.size();
    Numbers out(size);
    Numbers in(size);
    std::vector<Edge> sent;
    for (std::size_t rank = 0; rank < size; ++rank) {
        out[rank] = static_cast<int>(3 * edges[rank].size());
        sent.insert(sent.end(), edges[rank].begin(), edges[rank].end());
    }
    Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, comm);
    Numbers out_at(size);
    Numbers in_at(size);
    std::exclusive_scan(out.begin(), out.end(), out_at.begin(), 0);
    std::exclusive_scan(in.begin(), in.end(), in_at.begin(), 0);
    std::vector<Edge> received(static_cast<std::size_t>(in_at.back() + in.back()) / 3);
    Alltoallv(sent.data(), out.data(), out_at.data(), MPI_INT, received.data(), in.data(), in_at.data(),
              MPI_INT, comm);
    return received;
}

void hand_out(const Numbers& all, int room, int out[]) {
    std::copy_n(all.begin(), std::min(room, static_cast<int>(all.size())), out);
}

} // namespace

int Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[], const int sourceweights[],
                               int outdegree, const int destinations[], const int destweights[],
                               MPI_Info /*info*/, int /*reorder*/, MPI_Comm* newcomm) {
    *newcomm = MPI_COMM_NULL;
    Comm& parent = intra_comm(comm_old);
    check_count(parent, indegree, "sources");
    check_count(parent, outdegree, "destinations");
    check_ranks(parent, indegree, sources);
    check_ranks(parent, outdegree, destinations);
    Topology topology;
    topology.weighted = sourceweights != MPI_UNWEIGHTED;
    if (topology.weighted != (destweights != MPI_UNWEIGHTED))
        throw Failure(MPI_ERR_ARG, "either all edges have weights or none has", comm_old);
    topology.source_weights = checked_weights(parent, indegree, sourceweights);
    topology.destination_weights = checked_weights(parent, outdegree, destweights);
    if (indegree > 0) topology.sources.assign(sources, sources + indegree);
    if (outdegree > 0) topology.destinations.assign(destinations, destinations + outdegree);
    *newcomm = add_graph(first_ranks(parent, parent.size()), std::move(topology));
    return MPI_SUCCESS;
}

int Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[],
                      const int destinations[], const int weights[], MPI_Info /*info*/, int /*reorder*/,
                      MPI_Comm* newcomm) {
    *newcomm = MPI_COMM_NULL;
    Comm& parent = intra_comm(comm_old);
    check_count(parent, n, "source nodes");
    check_ranks(parent, n, sources);
    int edges = 0;
    for (int i = 0; i < n; ++i) {
        check_count(parent, degrees[i], "destinations");
        edges += degrees[i];
    }
    check_ranks(parent, edges, destinations);
    const Numbers own_weights = checked_weights(parent, edges, weights);
    std::vector<std::vector<Edge>> known(static_cast<std::size_t>(parent.size()));
    std::size_t next = 0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < degrees[i]; ++j, ++next) {
            known[static_cast<std::size_t>(sources[i])].push_back({0, destinations[next], own_weights[next]});
            known[static_cast<std::size_t>(destinations[next])].push_back({1, sources[i], own_weights[next]});
        }
    }
    std::unique_ptr<Comm> made = first_ranks(parent, parent.size());
    Topology topology;
    topology.weighted = weights != MPI_UNWEIGHTED;
    for (const Edge& edge : distribute(comm_old, known)) {
        (edge.incoming != 0 ? topology.sources : topology.destinations).push_back(edge.other);
        (edge.incoming != 0 ? topology.source_weights : topology.destination_weights).push_back(edge.weight);
    }
    *newcomm = add_graph(std::move(made), std::move(topology));
    return MPI_SUCCESS;
}

int Dist_graph_neighbors_count(MPI_Comm comm, int* indegree, int* outdegree, int* weighted) {
    const Topology& found = distributed_graph_of(comm);
    *indegree = static_cast<int>(found.sources.size());
    *outdegree = static_cast<int>(found.destinations.size());
    *weighted = found.weighted ? 1 : 0;
    return MPI_SUCCESS;
}

// If there is not room for all, the first ones.
int Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int sourceweights[], int maxoutdegree,
                         int destinations[], int destweights[]) {
    const Topology& found = distributed_graph_of(comm);
    check_count(comm_of(comm), maxindegree, "sources that there is room for");
    check_count(comm_of(comm), maxoutdegree, "destinations that there is room for");
    hand_out(found.sources, maxindegree, sources);
    hand_out(found.destinations, maxoutdegree, destinations);
    if (!found.weighted) return MPI_SUCCESS;
    if (sourceweights != MPI_UNWEIGHTED) hand_out(found.source_weights, maxindegree, sourceweights);
    if (destweights != MPI_UNWEIGHTED) hand_out(found.destination_weights, maxoutdegree, destweights);
    return MPI_SUCCESS;
}

} // namespace orrery::emulate::mpi
