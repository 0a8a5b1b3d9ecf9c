// The collectives of neighbourhoods: with the neighbours that a communicator's topology gives to each process.
#include "functions.h"
#include "mpi_library/collective_call.h"
#include "mpi_library/errors.h"
#include "mpi_library/topology.h"

#include <type_traits>

namespace orrery::emulate::mpi {

namespace {

PreparedCollective prepare_neighbours(Collective operation, MPI_Comm comm) {
    PreparedCollective made = prepare(operation, comm);
    if (made.comm->member.neighbours == nullptr)
        throw Failure(MPI_ERR_TOPOLOGY, "the communicator has no topology", comm);
    made.call.sources = made.comm->member.neighbours->sources;
    made.call.destinations = made.comm->member.neighbours->destinations;
    return made;
}

// What the application gives for each neighbour, for those that there are.
template <typename Value>
std::vector<Value> given(const Value all[], const std::vector<std::uint32_t>& places) {
    std::vector<Value> picked;
    for (const std::uint32_t place : places) picked.push_back(all[place]);
    return picked;
}

// Equal blocks of all neighbours; beyond a border nothing is touched.
Blocks equal_blocks(const void* buffer, int count, const Datatype& type,
                    const std::vector<std::uint32_t>& places) {
    Blocks all;
    for (const std::uint32_t place : places)
        all.push_back(block(buffer, std::int64_t{count} * place, count, type));
    return all;
}

Blocks sent_blocks(const PreparedCollective& made, const void* buffer, int count, const Datatype& type) {
    const Topology& topology = *made.comm->topology;
    if (!topology.destination_places.empty())
        return equal_blocks(buffer, count, type, topology.destination_places);
    return {block(buffer, 0, static_cast<std::int64_t>(made.call.destinations.size()) * count, type)};
}

Blocks received_blocks(const PreparedCollective& made, const void* buffer, int count, const Datatype& type) {
    const Topology& topology = *made.comm->topology;
    if (!topology.source_places.empty()) return equal_blocks(buffer, count, type, topology.source_places);
    return {block(buffer, 0, static_cast<std::int64_t>(made.call.sources.size()) * count, type)};
}

// One block for each neighbour; `types` is one of all or an array.
template <typename Offset, typename Types>
Blocks neighbour_blocks(PreparedCollective& made, const void* buffer, const int counts[],
                        const Offset offsets[], Types types, std::size_t neighbours,
                        const std::vector<std::uint32_t>& places, std::vector<Bytes>& bytes) {
    if (places.empty()) return blocks_of(made, buffer, counts, offsets, types, neighbours, bytes);
    const std::vector<int> own_counts = given(counts, places);
    const std::vector<Offset> own_offsets = given(offsets, places);
    if constexpr (std::is_pointer_v<Types>) {
        const std::vector<MPI_Datatype> own_types = given(types, places);
        return blocks_of(made, buffer, own_counts.data(), own_offsets.data(), own_types.data(), neighbours,
                         bytes);
    } else {
        return blocks_of(made, buffer, own_counts.data(), own_offsets.data(), types, neighbours, bytes);
    }
}

template <typename Offset, typename Types>
void send_to_neighbours(PreparedCollective& made, const void* buffer, const int counts[],
                        const Offset offsets[], Types types) {
    made.data->send_from(neighbour_blocks(made, buffer, counts, offsets, types, made.call.destinations.size(),
                                          made.comm->topology->destination_places, made.send_counts));
}

template <typename Offset, typename Types>
void receive_from_neighbours(PreparedCollective& made, const void* buffer, const int counts[],
                             const Offset offsets[], Types types) {
    made.data->receive_into(neighbour_blocks(made, buffer, counts, offsets, types, made.call.sources.size(),
                                             made.comm->topology->source_places, made.receive_counts));
}

PreparedCollective make_neighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                           void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    PreparedCollective made = prepare_neighbours(Collective::neighbor_allgather, comm);
    const Datatype& sent = checked_type(made, sendcount, sendtype);
    const Datatype& received = checked_type(made, recvcount, recvtype);
    made.call.bytes = bytes_of(sendcount, sent);
    made.data->send_from({block(sendbuf, 0, sendcount, sent)});
    made.data->receive_into(received_blocks(made, recvbuf, recvcount, received));
    return made;
}

PreparedCollective make_neighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                            void* recvbuf, const int recvcounts[], const int displs[],
                                            MPI_Datatype recvtype, MPI_Comm comm) {
    PreparedCollective made = prepare_neighbours(Collective::neighbor_allgatherv, comm);
    const Datatype& sent = checked_type(made, sendcount, sendtype);
    made.call.bytes = bytes_of(sendcount, sent);
    made.data->send_from({block(sendbuf, 0, sendcount, sent)});
    receive_from_neighbours(made, recvbuf, recvcounts, displs, recvtype);
    return made;
}

PreparedCollective make_neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                          void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    PreparedCollective made = prepare_neighbours(Collective::neighbor_alltoall, comm);
    const Datatype& sent = checked_type(made, sendcount, sendtype);
    const Datatype& received = checked_type(made, recvcount, recvtype);
    made.call.bytes = bytes_of(sendcount, sent);
    made.data->send_from(sent_blocks(made, sendbuf, sendcount, sent));
    made.data->receive_into(received_blocks(made, recvbuf, recvcount, received));
    return made;
}

PreparedCollective make_neighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                           MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                           const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
    PreparedCollective made = prepare_neighbours(Collective::neighbor_alltoallv, comm);
    send_to_neighbours(made, sendbuf, sendcounts, sdispls, sendtype);
    receive_from_neighbours(made, recvbuf, recvcounts, rdispls, recvtype);
    return made;
}

PreparedCollective make_neighbor_alltoallw(const void* sendbuf, const int sendcounts[],
                                           const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                           void* recvbuf, const int recvcounts[], const MPI_Aint rdispls[],
                                           const MPI_Datatype recvtypes[], MPI_Comm comm) {
    PreparedCollective made = prepare_neighbours(Collective::neighbor_alltoallw, comm);
    send_to_neighbours(made, sendbuf, sendcounts, sdispls, sendtypes);
    receive_from_neighbours(made, recvbuf, recvcounts, rdispls, recvtypes);
    return made;
}

} // namespace

int Neighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                       MPI_Datatype recvtype, MPI_Comm comm) {
    return run(make_neighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm));
}

int Ineighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                        MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
    return run(make_neighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm),
               request);
}

int Neighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                        const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm) {
    return run(
        make_neighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm));
}

int Ineighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                         const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                         MPI_Request* request) {
    return run(
        make_neighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm),
        request);
}

int Neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                      MPI_Datatype recvtype, MPI_Comm comm) {
    return run(make_neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm));
}

int Ineighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                       MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
    return run(make_neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm),
               request);
}

int Neighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                       void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                       MPI_Comm comm) {
    return run(make_neighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                                       recvtype, comm));
}

int Ineighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                        void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                        MPI_Comm comm, MPI_Request* request) {
    return run(make_neighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                                       recvtype, comm),
               request);
}

int Neighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                       const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                       const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
    return run(make_neighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                                       recvtypes, comm));
}

int Ineighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                        const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                        const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                        MPI_Request* request) {
    return run(make_neighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                                       recvtypes, comm),
               request);
}

} // namespace orrery::emulate::mpi
