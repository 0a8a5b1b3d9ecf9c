// Inter-communicators: making them from two groups and from each other, and making one group of two.
#include "functions.h"
#include "mpi_library/comm.h"
#include "mpi_library/engine.h"
#include "mpi_library/errors.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace orrery::emulate::mpi {

namespace {

using Members = std::vector<std::uint32_t>;

Comm& inter_comm(MPI_Comm handle) {
    Comm& found = comm_of(handle);
    if (!found.inter()) throw Failure(MPI_ERR_COMM, "this is no inter-communicator", handle);
    return found;
}

std::uint32_t length(const Members& members) { return static_cast<std::uint32_t>(members.size()); }

// Which group comes first must be the same on both sides.
bool comes_first(const Members& group, const Members& other) { return group.front() < other.front(); }

// `made` has the members of both groups, one behind the other.
void connect(Comm& made, const Members& local, const Members& remote) {
    const Side front{0, length(comes_first(local, remote) ? local : remote)};
    const Side back{front.size, length(local) + length(remote) - front.size};
    made.connect(made.member.rank < front.size ? front : back, made.member.rank < front.size ? back : front);
}

std::unique_ptr<Comm> make_inter(const Members& local, const Members& remote) {
    const bool first = comes_first(local, remote);
    Members all = first ? local : remote;
    const Members& behind = first ? remote : local;
    all.insert(all.end(), behind.begin(), behind.end());
    std::unique_ptr<Comm> made = make_comm(std::move(all));
    connect(*made, local, remote);
    return made;
}

// The leaders tell each other who is in their groups.
Members exchange_groups(const Members& local, MPI_Comm peers, int remote_leader, int tag) {
    const int own = static_cast<int>(local.size());
    int other = 0;
    Sendrecv(&own, 1, MPI_INT, remote_leader, tag, &other, 1, MPI_INT, remote_leader, tag, peers,
             MPI_STATUS_IGNORE);
    Members remote(static_cast<std::size_t>(other));
    Sendrecv(local.data(), own, MPI_UNSIGNED, remote_leader, tag, remote.data(), other, MPI_UNSIGNED,
             remote_leader, tag, peers, MPI_STATUS_IGNORE);
    return remote;
}

void check_disjoint(Members local, Members remote, MPI_Comm handle) {
    std::sort(local.begin(), local.end());
    std::sort(remote.begin(), remote.end());
    Members both;
    std::set_intersection(local.begin(), local.end(), remote.begin(), remote.end(), std::back_inserter(both));
    if (!both.empty()) {
        throw Failure(
            MPI_ERR_COMM,
            fmt::format("rank {} of MPI_COMM_WORLD is in both groups of the inter-communicator", both.front()),
            handle);
    }
}

} // namespace

std::unique_ptr<Comm> duplicate_inter(Comm& parent) {
    std::unique_ptr<Comm> made = split_comm(parent, 0, static_cast<int>(parent.member.rank));
    made->connect(parent.local(), parent.remote());
    return made;
}

// A colour that only one of the groups has makes nothing.
std::unique_ptr<Comm> split_inter(Comm& parent, int colour, int key) {
    std::unique_ptr<Comm> made = split_comm(parent, colour, key);
    if (made == nullptr) return nullptr;
    const Communicators& all = engine().communicators();
    Members local;
    Members remote;
    for (const std::uint32_t each : made->members()) {
        const std::uint32_t place = all.rank_in(parent.member.index, each) - parent.local().first;
        (place < parent.local().size ? local : remote).push_back(each);
    }
    if (local.empty() || remote.empty()) return nullptr;
    return make_inter(local, remote);
}

std::unique_ptr<Comm> create_inter(Comm& parent, const std::vector<std::uint32_t>& members) {
    const auto found = std::find(members.begin(), members.end(), self().index);
    if (found == members.end()) return split_inter(parent, MPI_UNDEFINED, 0);
    return split_inter(parent, 0, static_cast<int>(found - members.begin()));
}

int Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag,
                     MPI_Comm* newintercomm) {
    *newintercomm = MPI_COMM_NULL;
    Comm& local = intra_comm(local_comm);
    if (local_leader < 0 || local_leader >= local.size()) {
        throw Failure(
            MPI_ERR_RANK,
            fmt::format("the leader {} is not in a communicator of {} ranks", local_leader, local.size()),
            local_comm);
    }
    const Members members = local.members();
    Members remote;
    int count = 0;
    if (local.rank() == local_leader) {
        const Comm& peers = comm_of(peer_comm);
        if (remote_leader < 0 || static_cast<std::uint32_t>(remote_leader) >= peers.peers()) {
            throw Failure(MPI_ERR_RANK,
                          fmt::format("the remote leader {} is not in a communicator of {} ranks",
                                      remote_leader, peers.peers()),
                          peer_comm);
        }
        if (peers.world_rank(static_cast<std::uint32_t>(remote_leader)) == self().index)
            throw Failure(MPI_ERR_RANK, "the leaders of both groups are the same process", peer_comm);
        remote = exchange_groups(members, peer_comm, remote_leader, tag);
        count = static_cast<int>(remote.size());
    }
    Bcast(&count, 1, MPI_INT, local_leader, local_comm);
    remote.resize(static_cast<std::size_t>(count));
    Bcast(remote.data(), count, MPI_UNSIGNED, local_leader, local_comm);
    check_disjoint(members, remote, local_comm);
    std::unique_ptr<Comm> made = make_inter(members, remote);
    made->errhandler = local.errhandler;
    *newintercomm = add_comm(std::move(made));
    return MPI_SUCCESS;
}

// The group that says `high` comes behind; if both say the same, it is as the inter-communicator has them.
int Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm* newintracomm) {
    *newintracomm = MPI_COMM_NULL;
    Comm& parent = inter_comm(intercomm);
    std::unique_ptr<Comm> made = split_comm(parent, 0, high != 0 ? 1 : 0);
    made->errhandler = parent.errhandler;
    *newintracomm = add_comm(std::move(made));
    return MPI_SUCCESS;
}

} // namespace orrery::emulate::mpi
