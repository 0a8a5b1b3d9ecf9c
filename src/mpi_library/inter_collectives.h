// The collectives over inter-communicators, made ready: what a group gives, the other one gets.
//
// Rooted ones are called with MPI_ROOT by the root, with MPI_PROC_NULL by the others of its group, and with the
// rank of the root by those of the other group. There is no MPI_IN_PLACE.
#pragma once

#include "mpi_library/collective_call.h"

namespace orrery::emulate::mpi {

inline bool is_inter(MPI_Comm comm) { return comm_of(comm).inter(); }

PreparedCollective make_inter_barrier(MPI_Comm comm);
PreparedCollective make_inter_bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);
PreparedCollective make_inter_gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                     int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
PreparedCollective make_inter_gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                      const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                                      int root, MPI_Comm comm);
PreparedCollective make_inter_scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                      int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
PreparedCollective make_inter_scatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                                       MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                       MPI_Datatype recvtype, int root, MPI_Comm comm);
PreparedCollective make_inter_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                        void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
PreparedCollective make_inter_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                         void* recvbuf, const int recvcounts[], const int displs[],
                                         MPI_Datatype recvtype, MPI_Comm comm);
PreparedCollective make_inter_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                       int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
PreparedCollective make_inter_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                        MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                        const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm);
PreparedCollective make_inter_alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                        const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                                        const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm);
PreparedCollective make_inter_reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type,
                                     MPI_Op op, int root, MPI_Comm comm);
PreparedCollective make_inter_allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type,
                                        MPI_Op op, MPI_Comm comm);
PreparedCollective make_inter_reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                                             MPI_Datatype type, MPI_Op op, MPI_Comm comm);
PreparedCollective make_inter_reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                                                   MPI_Datatype type, MPI_Op op, MPI_Comm comm);

} // namespace orrery::emulate::mpi
