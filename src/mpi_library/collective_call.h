// One collective call of the application, made ready for the engine: checks, sizes and where the data are.
#pragma once

#include "collectives/call.h"
#include "collectives/step.h"
#include "mpi_library/collective_data.h"
#include "mpi_library/comm.h"
#include "mpi_library/datatype/datatype.h"
#include "mpi_library/op.h"
#include "orrery/mpi/mpi.h"

#include <functional>
#include <memory>
#include <vector>

namespace orrery::emulate::mpi {

struct PreparedCollective {
    Comm* comm = nullptr;
    CollectiveCall call;
    std::vector<Bytes> send_counts;
    std::vector<Bytes> receive_counts;
    std::unique_ptr<CollectiveData> data = std::make_unique<CollectiveData>();
    // Types and operations live until the call is over, even if the application frees them.
    std::vector<TypeRef> types;
    OpRef operation;
    // Over an inter-communicator: what its members do. The root is counted among all members.
    Steps (*between)(CollectiveCall call, Side local, Side remote) = nullptr;
    bool logged = true;           // otherwise another action of the trace stands for it
    std::function<void()> at_end; // of one that does not block: what remains to be done, if anything
};

// What all of them begin with. Throws Failure.
PreparedCollective prepare(Collective operation, MPI_Comm comm);
void set_root(PreparedCollective& prepared, int root);
const Datatype& checked_type(PreparedCollective& prepared, int count, MPI_Datatype type);
// `count` elements `offset` elements behind `buffer`.
CollectiveData::Block block(const void* buffer, std::int64_t offset, std::int64_t count, const Datatype& type);
using Blocks = std::vector<CollectiveData::Block>;
// One block for each of so many peers, in order, and its size in bytes.
Blocks blocks_of(PreparedCollective& prepared, const void* buffer, const int counts[],
                 const int displacements[], MPI_Datatype type, std::size_t peers, std::vector<Bytes>& bytes);
template <typename Offset>
Blocks blocks_of(PreparedCollective& prepared, const void* buffer, const int counts[], const Offset offsets[],
                 const MPI_Datatype types[], std::size_t peers, std::vector<Bytes>& bytes) {
    Blocks all;
    for (std::size_t i = 0; i < peers; ++i) {
        const Datatype& element = checked_type(prepared, counts[i], types[i]);
        all.push_back({static_cast<std::byte*>(const_cast<void*>(buffer)) + offsets[i], counts[i], &element});
        bytes.push_back(static_cast<Bytes>(counts[i]) * element.size());
    }
    return all;
}
// Of a type of one kind of basic elements: which one, for CollectiveCall::basic.
std::uint8_t only_basic_type(const Datatype& type);
// Throws if the operation is not for the type.
const Op& checked_op(MPI_Op handle, MPI_Datatype type);
// What reductions have in common.
const Datatype& prepare_reduction(PreparedCollective& prepared, int count, MPI_Datatype type, MPI_Op op);
// In bytes.
Bytes bytes_of(std::int64_t count, const Datatype& type);

int run(PreparedCollective prepared);
int run(PreparedCollective prepared, MPI_Request* request);

// Members of the communicator wait for each other, as they do when they make another one.
// `logged`: the trace has it as a barrier of its own.
void barrier_like(Comm& comm, bool logged = true);

} // namespace orrery::emulate::mpi
