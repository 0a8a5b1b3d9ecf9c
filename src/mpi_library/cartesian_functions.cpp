// Cartesian grids of processes. Ranks are numbered with the last coordinate running fastest; they are never
// reordered.
#include "functions.h"
#include "mpi_library/balanced_dims.h"
#include "mpi_library/comm.h"
#include "mpi_library/errors.h"
#include "mpi_library/topology.h"

#include <fmt/format.h>
#include <utility>

namespace orrery::emulate::mpi {

namespace {

using Numbers = std::vector<int>;

const Topology& grid(MPI_Comm comm) { return topology_of(comm, Topology::Kind::cartesian); }

int dimensions_of(const Topology& grid) { return static_cast<int>(grid.dimensions.size()); }

Numbers coordinates(const Topology& grid, int rank) {
    Numbers all(grid.dimensions.size());
    for (std::size_t i = all.size(); i-- > 0;) {
        all[i] = rank % grid.dimensions[i];
        rank /= grid.dimensions[i];
    }
    return all;
}

// MPI_PROC_NULL: outside of the grid.
int rank_at(const Topology& grid, const int coordinates[]) {
    int rank = 0;
    for (std::size_t i = 0; i < grid.dimensions.size(); ++i) {
        const int size = grid.dimensions[i];
        int at = coordinates[i];
        if (at < 0 || at >= size) {
            if (grid.periods[i] == 0) return MPI_PROC_NULL;
            at = (at % size + size) % size;
        }
        rank = rank * size + at;
    }
    return rank;
}

int shifted(const Topology& grid, int rank, std::size_t direction, std::int64_t distance) {
    Numbers at = coordinates(grid, rank);
    const std::int64_t size = grid.dimensions[direction];
    const std::int64_t to = at[direction] + distance;
    if (grid.periods[direction] == 0 && (to < 0 || to >= size)) return MPI_PROC_NULL;
    at[direction] = static_cast<int>((to % size + size) % size);
    return rank_at(grid, at.data());
}

// How many processes the grid has. Throws if there are not as many.
std::int64_t check_grid(const Comm& comm, int ndims, const int dims[]) {
    if (ndims < 0)
        throw Failure(MPI_ERR_DIMS, fmt::format("the number of dimensions is {}", ndims), comm.handle);
    std::int64_t nodes = 1;
    for (int i = 0; i < ndims; ++i) {
        if (dims[i] <= 0)
            throw Failure(MPI_ERR_DIMS, fmt::format("dimension {} is {}", i, dims[i]), comm.handle);
        nodes *= dims[i];
        if (nodes > comm.size()) {
            throw Failure(MPI_ERR_DIMS,
                          fmt::format("the grid is larger than a communicator of {} ranks", comm.size()),
                          comm.handle);
        }
    }
    return nodes;
}

// In each dimension the neighbour before and the one behind. Where both are the same process, what it sends
// forwards is what comes from before: its sends are turned round, so that they meet the right receives.
void set_grid(Comm& comm, Topology made) {
    Neighbourhood all;
    bool turned = false;
    for (std::size_t i = 0; i < made.dimensions.size(); ++i) {
        const auto before = static_cast<std::uint32_t>(2 * i);
        const bool twice = made.periods[i] != 0 && made.dimensions[i] <= 2;
        all.sources.push_back(shifted(made, comm.rank(), i, -1));
        all.sources.push_back(shifted(made, comm.rank(), i, 1));
        made.destination_places.push_back(twice ? before + 1 : before);
        made.destination_places.push_back(twice ? before : before + 1);
        turned = turned || twice;
    }
    if (!turned) made.destination_places.clear();
    all.destinations = all.sources;
    set_topology(comm, std::move(made), all);
}

void check_room(MPI_Comm comm, const Topology& grid, int room) {
    if (room < dimensions_of(grid)) {
        throw Failure(MPI_ERR_ARG,
                      fmt::format("there is room for {} of {} dimensions", room, dimensions_of(grid)), comm);
    }
}

} // namespace

int Cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int /*reorder*/,
                MPI_Comm* newcomm) {
    *newcomm = MPI_COMM_NULL;
    Comm& parent = intra_comm(comm_old);
    const std::int64_t nodes = check_grid(parent, ndims, dims);
    std::unique_ptr<Comm> made = first_ranks(parent, nodes);
    if (made != nullptr) {
        Topology topology;
        topology.dimensions.assign(dims, dims + ndims);
        for (int i = 0; i < ndims; ++i) topology.periods.push_back(periods[i] != 0 ? 1 : 0);
        set_grid(*made, std::move(topology));
    }
    *newcomm = add_comm(std::move(made));
    return MPI_SUCCESS;
}

int Cartdim_get(MPI_Comm comm, int* ndims) {
    *ndims = dimensions_of(grid(comm));
    return MPI_SUCCESS;
}

int Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]) {
    const Topology& found = grid(comm);
    check_room(comm, found, maxdims);
    const Numbers own = coordinates(found, comm_of(comm).rank());
    for (std::size_t i = 0; i < own.size(); ++i) {
        dims[i] = found.dimensions[i];
        periods[i] = found.periods[i];
        coords[i] = own[i];
    }
    return MPI_SUCCESS;
}

int Cart_rank(MPI_Comm comm, const int coords[], int* rank) {
    const int found = rank_at(grid(comm), coords);
    if (found == MPI_PROC_NULL) throw Failure(MPI_ERR_ARG, "the coordinates are outside of the grid", comm);
    *rank = found;
    return MPI_SUCCESS;
}

int Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[]) {
    const Topology& found = grid(comm);
    const int size = comm_of(comm).size();
    if (rank < 0 || rank >= size)
        throw Failure(MPI_ERR_RANK, fmt::format("rank {} is not in a communicator of {} ranks", rank, size),
                      comm);
    check_room(comm, found, maxdims);
    const Numbers all = coordinates(found, rank);
    for (std::size_t i = 0; i < all.size(); ++i) coords[i] = all[i];
    return MPI_SUCCESS;
}

int Cart_shift(MPI_Comm comm, int direction, int disp, int* rank_source, int* rank_dest) {
    const Topology& found = grid(comm);
    if (direction < 0 || direction >= dimensions_of(found)) {
        throw Failure(
            MPI_ERR_ARG,
            fmt::format("there is no direction {} in a grid of {} dimensions", direction, dimensions_of(found)),
            comm);
    }
    const int own = comm_of(comm).rank();
    *rank_source = shifted(found, own, static_cast<std::size_t>(direction), -std::int64_t{disp});
    *rank_dest = shifted(found, own, static_cast<std::size_t>(direction), disp);
    return MPI_SUCCESS;
}

int Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm) {
    *newcomm = MPI_COMM_NULL;
    const Topology& whole = grid(comm);
    Comm& parent = comm_of(comm);
    const Numbers own = coordinates(whole, parent.rank());
    Topology part;
    int colour = 0; // where the grid is cut
    int key = 0;    // the rank in the part
    for (std::size_t i = 0; i < own.size(); ++i) {
        int& number = remain_dims[i] != 0 ? key : colour;
        number = number * whole.dimensions[i] + own[i];
        if (remain_dims[i] == 0) continue;
        part.dimensions.push_back(whole.dimensions[i]);
        part.periods.push_back(whole.periods[i]);
    }
    // A grid without dimensions has one process, as for MPI_Cart_create: the first.
    std::unique_ptr<Comm> made =
        part.dimensions.empty() ? first_ranks(parent, 1) : split_comm(parent, colour, key);
    if (made != nullptr) {
        made->errhandler = parent.errhandler;
        set_grid(*made, std::move(part));
    }
    *newcomm = add_comm(std::move(made));
    return MPI_SUCCESS;
}

int Cart_map(MPI_Comm comm, int ndims, const int dims[], const int* /*periods*/, int* newrank) {
    const Comm& found = intra_comm(comm);
    const std::int64_t nodes = check_grid(found, ndims, dims);
    *newrank = found.rank() < nodes ? found.rank() : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

int Dims_create(int nnodes, int ndims, int dims[]) {
    if (nnodes < 1) throw Failure(MPI_ERR_DIMS, fmt::format("the number of nodes is {}", nnodes));
    if (ndims < 0) throw Failure(MPI_ERR_DIMS, fmt::format("the number of dimensions is {}", ndims));
    std::int64_t given = 1;
    int open = 0;
    for (int i = 0; i < ndims; ++i) {
        if (dims[i] < 0) throw Failure(MPI_ERR_DIMS, fmt::format("dimension {} is {}", i, dims[i]));
        if (dims[i] == 0) ++open;
        if (dims[i] > 0 && given <= nnodes) given *= dims[i];
    }
    if (ndims == 0) return MPI_SUCCESS;
    if (nnodes % given != 0 || (open == 0 && given != nnodes)) {
        throw Failure(MPI_ERR_DIMS,
                      fmt::format("{} nodes cannot be laid out in the dimensions that are given", nnodes));
    }
    if (open == 0) return MPI_SUCCESS;
    const Numbers chosen = balanced_dims(static_cast<int>(nnodes / given), open);
    std::size_t next = 0;
    for (int i = 0; i < ndims; ++i) {
        if (dims[i] == 0) dims[i] = chosen[next++];
    }
    return MPI_SUCCESS;
}

} // namespace orrery::emulate::mpi
