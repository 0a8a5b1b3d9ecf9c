#include "mpi_library/inter_collectives.h"

#include "mpi_library/engine.h"
#include "mpi_library/errors.h"
#include "mpi_library/inter_algorithms.h"

#include <fmt/format.h>

namespace orrery::emulate::mpi {

namespace {

using Algorithm = Steps (*)(CollectiveCall, Side, Side);

PreparedCollective prepare_inter(Collective operation, MPI_Comm handle, Algorithm algorithm) {
    PreparedCollective made;
    made.comm = &comm_of(handle);
    made.call.operation = operation;
    made.call.rank = made.comm->member.rank;
    made.call.size = engine().communicators().size(made.comm->member.index);
    made.between = algorithm;
    made.data->rank = self().index;
    return made;
}

enum class Role : std::uint8_t { root, beside_the_root, opposite };

Role set_inter_root(PreparedCollective& made, int root) {
    const Side remote = made.comm->remote();
    if (root == MPI_ROOT) {
        made.call.root = made.call.rank;
        return Role::root;
    }
    if (root == MPI_PROC_NULL) {
        made.between = inter_nothing;
        return Role::beside_the_root;
    }
    if (root < 0 || static_cast<std::uint32_t>(root) >= remote.size) {
        throw Failure(MPI_ERR_ROOT,
                      fmt::format("root {} is not in a remote group of {} ranks", root, remote.size),
                      made.comm->handle);
    }
    made.call.root = remote.first + static_cast<std::uint32_t>(root);
    return Role::opposite;
}

// Neither of them may be MPI_IN_PLACE.
void check_buffers(const PreparedCollective& made, const void* sent, const void* received) {
    if (sent == MPI_IN_PLACE || received == MPI_IN_PLACE)
        throw Failure(MPI_ERR_BUFFER, "MPI_IN_PLACE is not for inter-communicators", made.comm->handle);
}

void send_all(PreparedCollective& made, const void* buffer, std::int64_t count, const Datatype& type) {
    made.data->send_from({block(buffer, 0, count, type)});
}

void receive_all(PreparedCollective& made, void* buffer, std::int64_t count, const Datatype& type) {
    made.data->receive_into({block(buffer, 0, count, type)});
}

// So many blocks of `count` elements each, of which the call is about one.
void send_blocks(PreparedCollective& made, const void* buffer, int count, MPI_Datatype type,
                 std::uint32_t blocks) {
    check_buffers(made, buffer, nullptr);
    const Datatype& sent = checked_type(made, count, type);
    made.call.bytes = bytes_of(count, sent);
    send_all(made, buffer, std::int64_t{count} * blocks, sent);
}

void receive_blocks(PreparedCollective& made, void* buffer, int count, MPI_Datatype type,
                    std::uint32_t blocks) {
    check_buffers(made, nullptr, buffer);
    const Datatype& received = checked_type(made, count, type);
    made.call.bytes = bytes_of(count, received);
    receive_all(made, buffer, std::int64_t{count} * blocks, received);
}

} // namespace

PreparedCollective make_inter_barrier(MPI_Comm comm) {
    return prepare_inter(Collective::barrier, comm, inter_barrier);
}

PreparedCollective make_inter_bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    PreparedCollective made = prepare_inter(Collective::bcast, comm, inter_bcast);
    const Role role = set_inter_root(made, root);
    if (role == Role::beside_the_root) return made;
    const Datatype& element = checked_type(made, count, type);
    made.call.bytes = bytes_of(count, element);
    made.data->receive_into({block(buffer, 0, count, element)}, role == Role::root);
    return made;
}

PreparedCollective make_inter_gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                     int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    PreparedCollective made = prepare_inter(Collective::gather, comm, inter_gather);
    const Role role = set_inter_root(made, root);
    if (role == Role::root) {
        receive_blocks(made, recvbuf, recvcount, recvtype, made.comm->peers());
    } else if (role == Role::opposite) {
        send_blocks(made, sendbuf, sendcount, sendtype, 1);
    }
    return made;
}

PreparedCollective make_inter_gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                      const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                                      int root, MPI_Comm comm) {
    PreparedCollective made = prepare_inter(Collective::gatherv, comm, inter_gather);
    const Role role = set_inter_root(made, root);
    if (role == Role::root) {
        check_buffers(made, nullptr, recvbuf);
        made.data->receive_into(
            blocks_of(made, recvbuf, recvcounts, displs, recvtype, made.comm->peers(), made.receive_counts));
    } else if (role == Role::opposite) {
        send_blocks(made, sendbuf, sendcount, sendtype, 1);
    }
    return made;
}

PreparedCollective make_inter_scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                      int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    PreparedCollective made = prepare_inter(Collective::scatter, comm, inter_scatter);
    const Role role = set_inter_root(made, root);
    if (role == Role::root) {
        send_blocks(made, sendbuf, sendcount, sendtype, made.comm->peers());
    } else if (role == Role::opposite) {
        receive_blocks(made, recvbuf, recvcount, recvtype, 1);
    }
    return made;
}

PreparedCollective make_inter_scatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                                       MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                       MPI_Datatype recvtype, int root, MPI_Comm comm) {
    PreparedCollective made = prepare_inter(Collective::scatterv, comm, inter_scatter);
    const Role role = set_inter_root(made, root);
    if (role == Role::root) {
        check_buffers(made, sendbuf, nullptr);
        made.data->send_from(
            blocks_of(made, sendbuf, sendcounts, displs, sendtype, made.comm->peers(), made.send_counts));
    } else if (role == Role::opposite) {
        receive_blocks(made, recvbuf, recvcount, recvtype, 1);
    }
    return made;
}

PreparedCollective make_inter_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                        void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    PreparedCollective made = prepare_inter(Collective::allgather, comm, inter_allgather);
    check_buffers(made, sendbuf, recvbuf);
    const Datatype& sent = checked_type(made, sendcount, sendtype);
    const Datatype& received = checked_type(made, recvcount, recvtype);
    made.call.bytes = bytes_of(sendcount, sent);
    made.receive_counts.assign(made.comm->peers(), bytes_of(recvcount, received));
    send_all(made, sendbuf, sendcount, sent);
    receive_all(made, recvbuf, std::int64_t{recvcount} * made.comm->peers(), received);
    return made;
}

PreparedCollective make_inter_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                         void* recvbuf, const int recvcounts[], const int displs[],
                                         MPI_Datatype recvtype, MPI_Comm comm) {
    PreparedCollective made = prepare_inter(Collective::allgatherv, comm, inter_allgather);
    check_buffers(made, sendbuf, recvbuf);
    const Datatype& sent = checked_type(made, sendcount, sendtype);
    made.call.bytes = bytes_of(sendcount, sent);
    send_all(made, sendbuf, sendcount, sent);
    made.data->receive_into(
        blocks_of(made, recvbuf, recvcounts, displs, recvtype, made.comm->peers(), made.receive_counts));
    return made;
}

PreparedCollective make_inter_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                       int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    PreparedCollective made = prepare_inter(Collective::alltoall, comm, inter_alltoall);
    check_buffers(made, sendbuf, recvbuf);
    const Datatype& sent = checked_type(made, sendcount, sendtype);
    const Datatype& received = checked_type(made, recvcount, recvtype);
    const std::uint32_t peers = made.comm->peers();
    // One group may give blocks and get none.
    made.send_counts.assign(peers, bytes_of(sendcount, sent));
    made.receive_counts.assign(peers, bytes_of(recvcount, received));
    send_all(made, sendbuf, std::int64_t{sendcount} * peers, sent);
    receive_all(made, recvbuf, std::int64_t{recvcount} * peers, received);
    return made;
}

PreparedCollective make_inter_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                        MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                        const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
    PreparedCollective made = prepare_inter(Collective::alltoallv, comm, inter_alltoall);
    check_buffers(made, sendbuf, recvbuf);
    const std::uint32_t peers = made.comm->peers();
    made.data->send_from(blocks_of(made, sendbuf, sendcounts, sdispls, sendtype, peers, made.send_counts));
    made.data->receive_into(
        blocks_of(made, recvbuf, recvcounts, rdispls, recvtype, peers, made.receive_counts));
    return made;
}

PreparedCollective make_inter_alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                        const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                                        const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
    PreparedCollective made = prepare_inter(Collective::alltoallw, comm, inter_alltoall);
    check_buffers(made, sendbuf, recvbuf);
    const std::uint32_t peers = made.comm->peers();
    made.data->send_from(blocks_of(made, sendbuf, sendcounts, sdispls, sendtypes, peers, made.send_counts));
    made.data->receive_into(
        blocks_of(made, recvbuf, recvcounts, rdispls, recvtypes, peers, made.receive_counts));
    return made;
}

PreparedCollective make_inter_reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type,
                                     MPI_Op op_handle, int root, MPI_Comm comm) {
    PreparedCollective made = prepare_inter(Collective::reduce, comm, inter_reduce);
    const Role role = set_inter_root(made, root);
    if (role == Role::beside_the_root) return made;
    const Datatype& element = prepare_reduction(made, count, type, op_handle);
    made.call.bytes = bytes_of(count, element);
    if (role == Role::root) {
        check_buffers(made, nullptr, recvbuf);
        receive_all(made, recvbuf, count, element);
    } else {
        check_buffers(made, sendbuf, nullptr);
        send_all(made, sendbuf, count, element);
    }
    return made;
}

PreparedCollective make_inter_allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type,
                                        MPI_Op op_handle, MPI_Comm comm) {
    PreparedCollective made = prepare_inter(Collective::allreduce, comm, inter_allreduce);
    check_buffers(made, sendbuf, recvbuf);
    const Datatype& element = prepare_reduction(made, count, type, op_handle);
    made.call.bytes = bytes_of(count, element);
    send_all(made, sendbuf, count, element);
    receive_all(made, recvbuf, count, element);
    return made;
}

PreparedCollective make_inter_reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                                             MPI_Datatype type, MPI_Op op_handle, MPI_Comm comm) {
    PreparedCollective made = prepare_inter(Collective::reduce_scatter, comm, inter_reduce_scatter);
    check_buffers(made, sendbuf, recvbuf);
    const Datatype& element = prepare_reduction(made, 0, type, op_handle);
    std::int64_t all = 0;
    for (int i = 0; i < made.comm->size(); ++i) {
        made.receive_counts.push_back(bytes_of(recvcounts[i], checked_type(made, recvcounts[i], type)));
        all += recvcounts[i];
    }
    made.call.bytes = bytes_of(all, element);
    send_all(made, sendbuf, all, element);
    receive_all(made, recvbuf, recvcounts[made.comm->rank()], element);
    return made;
}

PreparedCollective make_inter_reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                                                   MPI_Datatype type, MPI_Op op_handle, MPI_Comm comm) {
    PreparedCollective made = prepare_inter(Collective::reduce_scatter_block, comm, inter_reduce_scatter);
    check_buffers(made, sendbuf, recvbuf);
    const Datatype& element = prepare_reduction(made, recvcount, type, op_handle);
    const std::int64_t all = std::int64_t{recvcount} * made.comm->size();
    made.receive_counts.assign(static_cast<std::size_t>(made.comm->size()), bytes_of(recvcount, element));
    made.call.bytes = bytes_of(all, element);
    send_all(made, sendbuf, all, element);
    receive_all(made, recvbuf, recvcount, element);
    return made;
}

} // namespace orrery::emulate::mpi
