// Communicators: what they are made of, and their topologies.
#include "trace/hooks.h"
#include "trace/hooks_state.h"

#include <algorithm>

namespace orrery::trace {

namespace {

// Ranks of the world of a group's members; false if one is not of this world.
bool append_members(MPI_Group group, std::vector<Bytes>& members) {
    int size = 0;
    PMPI_Group_size(group, &size);
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::vector<int> translated(ranks.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = static_cast<int>(i);
    PMPI_Group_translate_ranks(group, size, ranks.data(), hooks_state->world_group, translated.data());
    for (const int rank : translated) {
        if (rank == MPI_UNDEFINED) return false;
        members.push_back(static_cast<Bytes>(rank));
    }
    return true;
}

std::vector<Bytes> members_of(MPI_Comm comm, int (*group_of)(MPI_Comm, MPI_Group*), bool& of_this_world) {
    std::vector<Bytes> members;
    MPI_Group group = MPI_GROUP_NULL;
    group_of(comm, &group);
    of_this_world = append_members(group, members) && of_this_world;
    PMPI_Group_free(&group);
    return members;
}

// Size and rank, and the members as they are recorded: of an intercommunicator both groups, that with the
// smallest rank of the world first, so that all members agree.
Communicator describe(MPI_Comm comm, std::vector<Bytes>& members, bool& of_this_world) {
    Communicator made;
    int inter = 0;
    int size = 0;
    int rank = 0;
    PMPI_Comm_test_inter(comm, &inter);
    PMPI_Comm_size(comm, &size);
    PMPI_Comm_rank(comm, &rank);
    made.inter = inter != 0;
    made.size = static_cast<std::uint32_t>(size);
    made.rank = static_cast<std::uint32_t>(rank);
    of_this_world = true;
    members = members_of(comm, PMPI_Comm_group, of_this_world);
    if (!made.inter) return made;
    std::vector<Bytes> remote = members_of(comm, PMPI_Comm_remote_group, of_this_world);
    if (!of_this_world) return made;
    if (*std::min_element(remote.begin(), remote.end()) < *std::min_element(members.begin(), members.end())) {
        members.swap(remote);
    } else {
        made.first_peer = static_cast<std::uint32_t>(members.size());
    }
    members.insert(members.end(), remote.begin(), remote.end());
    return made;
}

Neighbours::Side side_of(const std::vector<int>& ranks) {
    Neighbours::Side side;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (ranks[i] == MPI_PROC_NULL) continue;
        side.ranks.push_back(static_cast<std::uint32_t>(ranks[i]));
        side.places.push_back(static_cast<std::uint32_t>(i));
    }
    return side;
}

// In the order of MPI-3.1, section 7.6: of a grid for each dimension the neighbour below, then the one above.
std::shared_ptr<const Neighbours> topology_of(MPI_Comm comm) {
    int kind = MPI_UNDEFINED;
    PMPI_Topo_test(comm, &kind);
    if (kind == MPI_UNDEFINED) return nullptr;
    std::vector<int> sources;
    std::vector<int> destinations;
    if (kind == MPI_CART) {
        int dimensions = 0;
        PMPI_Cartdim_get(comm, &dimensions);
        sources.resize(2 * static_cast<std::size_t>(dimensions), MPI_PROC_NULL);
        for (int d = 0; d < dimensions; ++d) {
            int* const pair = &sources[2 * static_cast<std::size_t>(d)];
            PMPI_Cart_shift(comm, d, 1, pair, pair + 1);
        }
        destinations = sources;
    } else if (kind == MPI_GRAPH) {
        int rank = 0;
        int count = 0;
        PMPI_Comm_rank(comm, &rank);
        PMPI_Graph_neighbors_count(comm, rank, &count);
        sources.resize(static_cast<std::size_t>(count));
        PMPI_Graph_neighbors(comm, rank, count, sources.data());
        destinations = sources;
    } else {
        int in = 0;
        int out = 0;
        int weighted = 0;
        PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
        sources.resize(static_cast<std::size_t>(in));
        destinations.resize(static_cast<std::size_t>(out));
        // Room for weights: not all MPIs take MPI_UNWEIGHTED here if there are some.
        std::vector<int> in_weights(sources.size());
        std::vector<int> out_weights(destinations.size());
        PMPI_Dist_graph_neighbors(comm, in, sources.data(), in_weights.data(), out, destinations.data(),
                                  out_weights.data());
    }
    auto neighbours = std::make_shared<Neighbours>();
    neighbours->sources = side_of(sources);
    neighbours->destinations = side_of(destinations);
    return neighbours;
}

void put_neighbours(const Communicator& communicator) {
    if (communicator.neighbours == nullptr) return;
    const Neighbours& neighbours = *communicator.neighbours;
    Action action;
    action.kind = ActionKind::neighbours;
    action.comm = communicator.number;
    action.peer = static_cast<std::uint32_t>(neighbours.sources.ranks.size());
    std::vector<Bytes> ranks(neighbours.sources.ranks.begin(), neighbours.sources.ranks.end());
    ranks.insert(ranks.end(), neighbours.destinations.ranks.begin(), neighbours.destinations.ranks.end());
    put(action, ranks.data(), ranks.size());
}

void put_create(std::uint32_t number, const std::vector<Bytes>& members) {
    Action action;
    action.kind = ActionKind::comm_create;
    action.request = number;
    put(action, members.data(), members.size());
}

// Records a communicator by its members, whatever it was made by.
const Communicator& adopt(MPI_Comm comm) {
    std::vector<Bytes> members;
    bool of_this_world = true;
    Communicator made = describe(comm, members, of_this_world);
    if (of_this_world) {
        made.number = hooks_state->communicators.new_number();
        made.neighbours = topology_of(comm);
        put_create(made.number, members);
        put_neighbours(made);
    }
    return hooks_state->communicators.add(comm, std::move(made));
}

// MPI_Comm_free takes the handle; what it named is kept over the call.
std::uint32_t& leaving_of_this_thread() {
    static thread_local std::uint32_t number = no_number;
    return number;
}

} // namespace

const Communicator& communicator_of(MPI_Comm comm) {
    const Communicator* const known = hooks_state->communicators.find(comm);
    return known != nullptr ? *known : adopt(comm);
}

namespace hooks {

void comm_create(MPI_Comm made) noexcept {
    if (made != MPI_COMM_NULL) adopt(made);
}

void comm_dup(MPI_Comm comm, MPI_Comm made) noexcept {
    Communicator copy = communicator_of(comm);
    if (copy.recorded()) {
        Action action;
        action.kind = ActionKind::comm_dup;
        action.comm = copy.number;
        copy.number = hooks_state->communicators.new_number();
        action.request = copy.number;
        put(action);
        put_neighbours(copy);
    }
    hooks_state->communicators.add(made, std::move(copy));
}

// Recorded by its members when it begins: as a collective that all wait for it could lock up where the
// nonblocking one does not.
void comm_idup(MPI_Comm comm, Communicators made, Requests request) noexcept {
    auto detail = std::make_unique<RequestDetail>();
    detail->communicator = communicator_of(comm);
    detail->place = made;
    if (detail->communicator.recorded()) {
        std::vector<Bytes> members;
        bool of_this_world = true;
        describe(comm, members, of_this_world);
        detail->communicator.number = hooks_state->communicators.new_number();
        put_create(detail->communicator.number, members);
        put_neighbours(detail->communicator);
    }
    RequestTable& requests = hooks_state->requests;
    requests[requests.add(request)].detail = std::move(detail);
}

void comm_split(MPI_Comm comm, int colour, MPI_Comm made) noexcept {
    const Communicator& parent = communicator_of(comm);
    if (!parent.recorded() || parent.inter) return comm_create(made);
    CommunicatorTable& table = hooks_state->communicators;
    Action action;
    action.kind = ActionKind::comm_split;
    action.comm = parent.number;
    action.request = table.new_number();
    if (made == MPI_COMM_NULL) { // it takes part and is in none
        action.peer = any_source;
        table.free_number(action.request);
        put(action);
        return;
    }
    int rank = 0;
    int size = 0;
    PMPI_Comm_rank(made, &rank);
    PMPI_Comm_size(made, &size);
    action.peer = static_cast<std::uint32_t>(colour);
    // The new rank orders the members as the key did, and is never negative.
    action.other = static_cast<std::uint32_t>(rank);
    put(action);
    Communicator child;
    child.number = action.request;
    child.rank = static_cast<std::uint32_t>(rank);
    child.size = static_cast<std::uint32_t>(size);
    table.add(made, std::move(child));
}

void comm_leaving(MPI_Comm comm) noexcept {
    leaving_of_this_thread() = hooks_state->communicators.remove(comm).number;
}

void comm_free() noexcept {
    Action action;
    action.kind = ActionKind::comm_free;
    action.comm = leaving_of_this_thread();
    if (action.comm != no_number) put(action);
}

} // namespace hooks

} // namespace orrery::trace
