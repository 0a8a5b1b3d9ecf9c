// The collectives: each is made ready once, and run at once or started.
#include "functions.h"
#include "mpi_library/collective_call.h"
#include "mpi_library/inter_collectives.h"

#include <fmt/format.h>

namespace orrery::emulate::mpi {

namespace {

bool is_root(const PreparedCollective& prepared) { return prepared.call.rank == prepared.call.root; }

PreparedCollective make_barrier(MPI_Comm comm) {
    if (is_inter(comm)) return make_inter_barrier(comm);
    return prepare(Collective::barrier, comm);
}

PreparedCollective make_bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    if (is_inter(comm)) return make_inter_bcast(buffer, count, type, root, comm);
    PreparedCollective made = prepare(Collective::bcast, comm);
    set_root(made, root);
    const Datatype& element = checked_type(made, count, type);
    made.call.bytes = bytes_of(count, element);
    made.call.basic = only_basic_type(element);
    made.data->receive_into({block(buffer, 0, count, element)}, is_root(made));
    return made;
}

PreparedCollective make_gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                               int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    if (is_inter(comm))
        return make_inter_gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
    PreparedCollective made = prepare(Collective::gather, comm);
    set_root(made, root);
    if (is_root(made)) {
        const Datatype& received = checked_type(made, recvcount, recvtype);
        made.call.bytes = bytes_of(recvcount, received);
        made.data->receive_into({block(recvbuf, 0, std::int64_t{recvcount} * made.call.size, received)});
        if (sendbuf == MPI_IN_PLACE) {
            made.data->send_from({block(recvbuf, std::int64_t{recvcount} * root, recvcount, received)}, true);
            // What lies there already stays there.
            return made;
        }
    }
    const Datatype& sent = checked_type(made, sendcount, sendtype);
    made.call.bytes = bytes_of(sendcount, sent);
    made.data->send_from({block(sendbuf, 0, sendcount, sent)});
    return made;
}

PreparedCollective make_gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                                MPI_Comm comm) {
    if (is_inter(comm))
        return make_inter_gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root,
                                  comm);
    PreparedCollective made = prepare(Collective::gatherv, comm);
    set_root(made, root);
    if (is_root(made)) {
        Blocks received =
            blocks_of(made, recvbuf, recvcounts, displs, recvtype, made.call.size, made.receive_counts);
        made.call.bytes = made.receive_counts[made.call.root];
        const CollectiveData::Block own = received[made.call.root];
        made.data->receive_into(std::move(received));
        if (sendbuf == MPI_IN_PLACE) {
            made.data->send_from({own}, true);
            return made;
        }
    }
    const Datatype& sent = checked_type(made, sendcount, sendtype);
    made.call.bytes = bytes_of(sendcount, sent);
    made.data->send_from({block(sendbuf, 0, sendcount, sent)});
    return made;
}

PreparedCollective make_scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    if (is_inter(comm))
        return make_inter_scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
    PreparedCollective made = prepare(Collective::scatter, comm);
    set_root(made, root);
    if (is_root(made)) {
        const Datatype& sent = checked_type(made, sendcount, sendtype);
        made.call.bytes = bytes_of(sendcount, sent);
        made.data->send_from({block(sendbuf, 0, std::int64_t{sendcount} * made.call.size, sent)});
        if (recvbuf == MPI_IN_PLACE) return made; // into a buffer that nobody looks at
    }
    const Datatype& received = checked_type(made, recvcount, recvtype);
    made.call.bytes = bytes_of(recvcount, received);
    made.data->receive_into({block(recvbuf, 0, recvcount, received)});
    return made;
}

PreparedCollective make_scatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                                 MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                 int root, MPI_Comm comm) {
    if (is_inter(comm))
        return make_inter_scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root,
                                   comm);
    PreparedCollective made = prepare(Collective::scatterv, comm);
    set_root(made, root);
    if (is_root(made)) {
        made.data->send_from(
            blocks_of(made, sendbuf, sendcounts, displs, sendtype, made.call.size, made.send_counts));
        made.call.bytes = made.send_counts[made.call.root];
        if (recvbuf == MPI_IN_PLACE) return made;
    }
    const Datatype& received = checked_type(made, recvcount, recvtype);
    made.call.bytes = bytes_of(recvcount, received);
    made.data->receive_into({block(recvbuf, 0, recvcount, received)});
    return made;
}

PreparedCollective make_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    if (is_inter(comm))
        return make_inter_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    PreparedCollective made = prepare(Collective::allgather, comm);
    const Datatype& received = checked_type(made, recvcount, recvtype);
    made.call.bytes = bytes_of(recvcount, received);
    made.data->receive_into({block(recvbuf, 0, std::int64_t{recvcount} * made.call.size, received)});
    if (sendbuf == MPI_IN_PLACE) {
        made.data->send_from({block(recvbuf, std::int64_t{recvcount} * made.call.rank, recvcount, received)},
                             true);
    } else {
        const Datatype& sent = checked_type(made, sendcount, sendtype);
        made.data->send_from({block(sendbuf, 0, sendcount, sent)});
    }
    return made;
}

PreparedCollective make_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                   const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                                   MPI_Comm comm) {
    if (is_inter(comm))
        return make_inter_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
    PreparedCollective made = prepare(Collective::allgatherv, comm);
    Blocks received =
        blocks_of(made, recvbuf, recvcounts, displs, recvtype, made.call.size, made.receive_counts);
    const CollectiveData::Block own = received[made.call.rank];
    made.call.bytes = made.receive_counts[made.call.rank];
    made.data->receive_into(std::move(received));
    if (sendbuf == MPI_IN_PLACE) {
        made.data->send_from({own}, true);
    } else {
        const Datatype& sent = checked_type(made, sendcount, sendtype);
        made.data->send_from({block(sendbuf, 0, sendcount, sent)});
    }
    return made;
}

PreparedCollective make_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    if (is_inter(comm))
        return make_inter_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    PreparedCollective made = prepare(Collective::alltoall, comm);
    const Datatype& received = checked_type(made, recvcount, recvtype);
    made.call.bytes = bytes_of(recvcount, received);
    const CollectiveData::Block all = block(recvbuf, 0, std::int64_t{recvcount} * made.call.size, received);
    if (sendbuf == MPI_IN_PLACE) {
        made.data->send_from({all}, true);
    } else {
        const Datatype& sent = checked_type(made, sendcount, sendtype);
        made.data->send_from({block(sendbuf, 0, std::int64_t{sendcount} * made.call.size, sent)});
    }
    made.data->receive_into({all});
    return made;
}

// A block of its own from and to each; `Type` is one for all or an array.
template <typename Type>
PreparedCollective exchange_blocks(Collective operation, const void* sendbuf, const int sendcounts[],
                                   const int sdispls[], Type sendtype, void* recvbuf, const int recvcounts[],
                                   const int rdispls[], Type recvtype, MPI_Comm comm) {
    PreparedCollective made = prepare(operation, comm);
    Blocks received =
        blocks_of(made, recvbuf, recvcounts, rdispls, recvtype, made.call.size, made.receive_counts);
    if (sendbuf == MPI_IN_PLACE) {
        made.send_counts = made.receive_counts;
        made.data->send_from(received, true);
    } else {
        made.data->send_from(
            blocks_of(made, sendbuf, sendcounts, sdispls, sendtype, made.call.size, made.send_counts));
    }
    made.data->receive_into(std::move(received));
    return made;
}

PreparedCollective make_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                  MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                  const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
    if (is_inter(comm))
        return make_inter_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                                    recvtype, comm);
    return exchange_blocks(Collective::alltoallv, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                           rdispls, recvtype, comm);
}

PreparedCollective make_alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                  const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                                  const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
    if (is_inter(comm))
        return make_inter_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                                    recvtypes, comm);
    return exchange_blocks(Collective::alltoallw, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                           rdispls, recvtypes, comm);
}

PreparedCollective make_reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type,
                               MPI_Op op_handle, int root, MPI_Comm comm) {
    if (is_inter(comm)) return make_inter_reduce(sendbuf, recvbuf, count, type, op_handle, root, comm);
    PreparedCollective made = prepare(Collective::reduce, comm);
    set_root(made, root);
    const Datatype& element = prepare_reduction(made, count, type, op_handle);
    made.call.bytes = bytes_of(count, element);
    const bool in_place = sendbuf == MPI_IN_PLACE && is_root(made);
    made.data->send_from({block(in_place ? recvbuf : sendbuf, 0, count, element)}, in_place);
    if (is_root(made)) made.data->receive_into({block(recvbuf, 0, count, element)});
    return made;
}

PreparedCollective make_all_reduction(Collective operation, const void* sendbuf, void* recvbuf, int count,
                                      MPI_Datatype type, MPI_Op op_handle, MPI_Comm comm) {
    if (operation == Collective::allreduce && is_inter(comm))
        return make_inter_allreduce(sendbuf, recvbuf, count, type, op_handle, comm);
    PreparedCollective made = prepare(operation, comm);
    const Datatype& element = prepare_reduction(made, count, type, op_handle);
    made.call.bytes = bytes_of(count, element);
    const bool in_place = sendbuf == MPI_IN_PLACE;
    made.data->send_from({block(in_place ? recvbuf : sendbuf, 0, count, element)}, in_place);
    // Rank 0 of an exclusive scan receives nothing.
    if (operation != Collective::exscan || made.call.rank != 0)
        made.data->receive_into({block(recvbuf, 0, count, element)});
    return made;
}

PreparedCollective make_reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                                       MPI_Datatype type, MPI_Op op_handle, MPI_Comm comm) {
    if (is_inter(comm)) return make_inter_reduce_scatter(sendbuf, recvbuf, recvcounts, type, op_handle, comm);
    PreparedCollective made = prepare(Collective::reduce_scatter, comm);
    const Datatype& element = prepare_reduction(made, 0, type, op_handle);
    std::int64_t all = 0;
    for (std::uint32_t i = 0; i < made.call.size; ++i) {
        made.receive_counts.push_back(bytes_of(recvcounts[i], checked_type(made, recvcounts[i], type)));
        all += recvcounts[i];
    }
    made.call.bytes = bytes_of(all, element);
    const bool in_place = sendbuf == MPI_IN_PLACE;
    made.data->send_from({block(in_place ? recvbuf : sendbuf, 0, all, element)}, in_place);
    made.data->receive_into({block(recvbuf, 0, recvcounts[made.call.rank], element)});
    return made;
}

PreparedCollective make_reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                                             MPI_Datatype type, MPI_Op op_handle, MPI_Comm comm) {
    if (is_inter(comm))
        return make_inter_reduce_scatter_block(sendbuf, recvbuf, recvcount, type, op_handle, comm);
    PreparedCollective made = prepare(Collective::reduce_scatter_block, comm);
    const Datatype& element = prepare_reduction(made, recvcount, type, op_handle);
    made.call.bytes = bytes_of(recvcount, element);
    const bool in_place = sendbuf == MPI_IN_PLACE;
    made.data->send_from(
        {block(in_place ? recvbuf : sendbuf, 0, std::int64_t{recvcount} * made.call.size, element)}, in_place);
    made.data->receive_into({block(recvbuf, 0, recvcount, element)});
    return made;
}

} // namespace

int Barrier(MPI_Comm comm) { return run(make_barrier(comm)); }

int Ibarrier(MPI_Comm comm, MPI_Request* request) { return run(make_barrier(comm), request); }

int Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
    return run(make_bcast(buffer, count, datatype, root, comm));
}

int Ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request* request) {
    return run(make_bcast(buffer, count, datatype, root, comm), request);
}

int Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
           MPI_Datatype recvtype, int root, MPI_Comm comm) {
    return run(make_gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm));
}

int Igather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
            MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
    return run(make_gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm), request);
}

int Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
            const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm) {
    return run(make_gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm));
}

int Igatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
             const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
    return run(make_gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm),
               request);
}

int Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
            MPI_Datatype recvtype, int root, MPI_Comm comm) {
    return run(make_scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm));
}

int Iscatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
             MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
    return run(make_scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm), request);
}

int Scatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
             void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    return run(make_scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm));
}

int Iscatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
              void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
              MPI_Request* request) {
    return run(make_scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm),
               request);
}

int Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
              MPI_Datatype recvtype, MPI_Comm comm) {
    return run(make_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm));
}

int Iallgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
               MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
    return run(make_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm), request);
}

int Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
               const int displs[], MPI_Datatype recvtype, MPI_Comm comm) {
    return run(make_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm));
}

int Iallgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                MPI_Request* request) {
    return run(make_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm),
               request);
}

int Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
             MPI_Datatype recvtype, MPI_Comm comm) {
    return run(make_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm));
}

int Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
              MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
    return run(make_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm), request);
}

int Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
              void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
              MPI_Comm comm) {
    return run(
        make_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm));
}

int Ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
               void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
               MPI_Request* request) {
    return run(
        make_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm),
        request);
}

int Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
              void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
              MPI_Comm comm) {
    return run(
        make_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm));
}

int Ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
               void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
               MPI_Comm comm, MPI_Request* request) {
    return run(
        make_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm),
        request);
}

int Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
           MPI_Comm comm) {
    return run(make_reduce(sendbuf, recvbuf, count, datatype, op, root, comm));
}

int Ireduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
            MPI_Comm comm, MPI_Request* request) {
    return run(make_reduce(sendbuf, recvbuf, count, datatype, op, root, comm), request);
}

int Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm) {
    return run(make_reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm));
}

int Ireduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype,
                    MPI_Op op, MPI_Comm comm, MPI_Request* request) {
    return run(make_reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm), request);
}

int Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
                         MPI_Comm comm) {
    return run(make_reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm));
}

int Ireduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
                          MPI_Comm comm, MPI_Request* request) {
    return run(make_reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm), request);
}

int Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    return run(make_all_reduction(Collective::allreduce, sendbuf, recvbuf, count, datatype, op, comm));
}

int Iallreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
               MPI_Request* request) {
    return run(make_all_reduction(Collective::allreduce, sendbuf, recvbuf, count, datatype, op, comm), request);
}

int Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    return run(make_all_reduction(Collective::scan, sendbuf, recvbuf, count, datatype, op, comm));
}

int Iscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
          MPI_Request* request) {
    return run(make_all_reduction(Collective::scan, sendbuf, recvbuf, count, datatype, op, comm), request);
}

int Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    return run(make_all_reduction(Collective::exscan, sendbuf, recvbuf, count, datatype, op, comm));
}

int Iexscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
            MPI_Request* request) {
    return run(make_all_reduction(Collective::exscan, sendbuf, recvbuf, count, datatype, op, comm), request);
}

// A reduction of two buffers of one rank.
int Reduce_local(const void* inbuf, void* inoutbuf, int count, MPI_Datatype datatype, MPI_Op op_handle) {
    if (count < 0) throw Failure(MPI_ERR_COUNT, fmt::format("the count is {}", count));
    if (inbuf == MPI_IN_PLACE || inoutbuf == MPI_IN_PLACE || (inbuf == inoutbuf && count > 0))
        throw Failure(MPI_ERR_BUFFER, "two buffers of its own are needed");
    checked_op(op_handle, datatype).apply(inbuf, inoutbuf, count, datatype);
    return MPI_SUCCESS;
}

} // namespace orrery::emulate::mpi
