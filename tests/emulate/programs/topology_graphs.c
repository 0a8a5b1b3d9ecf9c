// Graphs of processes, as a whole and distributed.
#include "check.h"

// A star with rank 0 in the middle.
static void star(void) {
    MPI_Comm graph;
    int* index = malloc(sizeof(int) * (size_t)size);
    int* edges = malloc(sizeof(int) * 2 * (size_t)size);
    for (int i = 0; i < size; ++i) {
        index[i] = size - 1 + i;
        if (i + 1 < size) edges[i] = i + 1;
        if (i > 0) edges[size - 2 + i] = 0;
    }
    int mapped;
    MPI_Graph_map(MPI_COMM_WORLD, size, index, edges, &mapped);
    CHECK(mapped == rank);
    MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 1, &graph);
    int status;
    int nodes;
    int count;
    MPI_Topo_test(graph, &status);
    CHECK(status == MPI_GRAPH);
    MPI_Graphdims_get(graph, &nodes, &count);
    CHECK(nodes == size && count == 2 * (size - 1));
    int* same_index = malloc(sizeof(int) * (size_t)size);
    int* same_edges = malloc(sizeof(int) * 2 * (size_t)size);
    MPI_Graph_get(graph, size, 2 * (size - 1), same_index, same_edges);
    for (int i = 0; i < size; ++i) CHECK(same_index[i] == index[i]);
    for (int i = 0; i < count; ++i) CHECK(same_edges[i] == edges[i]);
    MPI_Graph_neighbors_count(graph, 0, &count);
    CHECK(count == size - 1);
    MPI_Graph_neighbors_count(graph, size - 1, &count);
    CHECK(count == 1);
    MPI_Graph_neighbors(graph, size - 1, 1, same_edges);
    CHECK(same_edges[0] == 0);
    // The middle hears from all, the others from the middle.
    for (int i = 0; i < size; ++i) same_edges[i] = -1;
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, same_edges, 1, MPI_INT, graph);
    if (rank == 0) {
        for (int i = 1; i < size; ++i) CHECK(same_edges[i - 1] == i);
    } else {
        CHECK(same_edges[0] == 0 && same_edges[1] == -1);
    }
    MPI_Comm_free(&graph);
    // A smaller one, of rank 0 alone, which is its own neighbour.
    const int own_index[1] = {1};
    const int own_edges[1] = {0};
    MPI_Graph_create(MPI_COMM_WORLD, 1, own_index, own_edges, 0, &graph);
    CHECK((graph != MPI_COMM_NULL) == (rank == 0));
    if (graph != MPI_COMM_NULL) {
        int sent = 7;
        MPI_Neighbor_alltoall(&sent, 1, MPI_INT, same_edges, 1, MPI_INT, graph);
        CHECK(same_edges[0] == 7);
        MPI_Comm_free(&graph);
    }
    // Edges to nowhere.
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    edges[0] = size;
    FAILS(MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &graph), MPI_ERR_ARG);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    free(index);
    free(edges);
    free(same_index);
    free(same_edges);
}

// From each rank to the next two; two edges to the same rank if there are only two.
static void adjacent(void) {
    MPI_Comm graph;
    const int destinations[2] = {(rank + 1) % size, (rank + 2) % size};
    const int sources[2] = {(rank + size - 1) % size, (rank + 2 * size - 2) % size};
    const int out_weights[2] = {10 * rank + 1, 10 * rank + 2};
    const int in_weights[2] = {10 * sources[0] + 1, 10 * sources[1] + 2};
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, in_weights, 2, destinations, out_weights,
                                   MPI_INFO_NULL, 0, &graph);
    int in;
    int out;
    int weighted;
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    CHECK(in == 2 && out == 2 && weighted);
    int found[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
    MPI_Dist_graph_neighbors(graph, 2, found, found + 2, 1, found + 4, found + 6);
    CHECK(found[0] == sources[0] && found[1] == sources[1] && found[4] == destinations[0] && found[5] == -1);
    CHECK(found[2] == in_weights[0] && found[3] == in_weights[1] && found[6] == out_weights[0]);
    int received[2] = {-1, -1};
    MPI_Neighbor_alltoall(out_weights, 1, MPI_INT, received, 1, MPI_INT, graph);
    CHECK(received[0] == in_weights[0] && received[1] == in_weights[1]);
    MPI_Comm_free(&graph);
    // Nobody has neighbours.
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_WEIGHTS_EMPTY, 0, NULL, MPI_WEIGHTS_EMPTY,
                                   MPI_INFO_NULL, 0, &graph);
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    CHECK(in == 0 && out == 0 && weighted);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, received, 1, MPI_INT, graph);
    CHECK(received[0] == in_weights[0]);
    MPI_Comm_free(&graph);
}

// The ring once more, every edge of which is known to somebody else only.
static void by_others(int weighted) {
    MPI_Comm graph;
    const int source = (rank + 1) % size;
    const int destination = (rank + 2) % size;
    const int degree = 1;
    const int weight = 100 + source;
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &source, &degree, &destination,
                          weighted ? &weight : MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &graph);
    int status;
    MPI_Topo_test(graph, &status);
    CHECK(status == MPI_DIST_GRAPH);
    int in;
    int out;
    int has_weights;
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &has_weights);
    CHECK(in == 1 && out == 1 && !has_weights == !weighted);
    int from;
    int to;
    int in_weight = -1;
    int out_weight = -1;
    MPI_Dist_graph_neighbors(graph, 1, &from, &in_weight, 1, &to, &out_weight);
    CHECK(from == (rank + size - 1) % size && to == (rank + 1) % size);
    if (weighted) CHECK(in_weight == 100 + from && out_weight == 100 + rank);
    int received = -1;
    MPI_Request request;
    MPI_Ineighbor_allgather(&rank, 1, MPI_INT, &received, 1, MPI_INT, graph, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(received == from);
    const int nobody = size;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm other;
    FAILS(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &source, &degree, &nobody, MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &other),
          MPI_ERR_RANK);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_free(&graph);
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    if (size > 1) star();
    adjacent();
    by_others(0);
    by_others(1);
    return end();
}
