#include "mpi_library/collective_call.h"

#include "mpi_library/engine.h"
#include "mpi_library/logging.h"
#include "mpi_library/request.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace orrery::emulate::mpi {

PreparedCollective prepare(Collective operation, MPI_Comm handle) {
    PreparedCollective made;
    made.comm = &intra_comm(handle);
    made.call.operation = operation;
    made.call.rank = made.comm->member.rank;
    made.call.size = static_cast<std::uint32_t>(made.comm->size());
    made.data->rank = self().index;
    return made;
}

void set_root(PreparedCollective& prepared, int root) {
    if (root < 0 || root >= prepared.comm->size()) {
        throw Failure(MPI_ERR_ROOT,
                      fmt::format("root {} is not in a communicator of {} ranks", root, prepared.comm->size()),
                      prepared.comm->handle);
    }
    prepared.call.root = static_cast<std::uint32_t>(root);
}

const Datatype& checked_type(PreparedCollective& prepared, int count, MPI_Datatype type) {
    if (count < 0) throw Failure(MPI_ERR_COUNT, fmt::format("the count is {}", count), prepared.comm->handle);
    const Datatype& found = committed_datatype(type);
    if (!found.predefined()) prepared.types.emplace_back(found);
    return found;
}

CollectiveData::Block block(const void* buffer, std::int64_t offset, std::int64_t count, const Datatype& type) {
    return {static_cast<std::byte*>(const_cast<void*>(buffer)) + offset * type.extent(), count, &type};
}

Bytes bytes_of(std::int64_t count, const Datatype& type) { return static_cast<Bytes>(count) * type.size(); }

Blocks blocks_of(PreparedCollective& prepared, const void* buffer, const int counts[],
                 const int displacements[], MPI_Datatype type, std::size_t peers, std::vector<Bytes>& bytes) {
    Blocks all;
    for (std::size_t i = 0; i < peers; ++i) {
        const Datatype& element = checked_type(prepared, counts[i], type);
        all.push_back(block(buffer, displacements[i], counts[i], element));
        bytes.push_back(bytes_of(counts[i], element));
    }
    return all;
}

const Op& checked_op(MPI_Op handle, MPI_Datatype type) {
    const Op& found = op(handle);
    found.check(datatype(type));
    return found;
}

const Datatype& prepare_reduction(PreparedCollective& prepared, int count, MPI_Datatype type,
                                  MPI_Op op_handle) {
    const Datatype& element = checked_type(prepared, count, type);
    const Op& operation = checked_op(op_handle, type);
    prepared.call.element = std::max<Bytes>(1, element.size());
    prepared.call.commutative = operation.commutative();
    prepared.call.basic = only_basic_type(element);
    if (operation.predefined())
        prepared.call.reduction = static_cast<std::uint16_t>(index_of(op_handle));
    else
        prepared.operation = OpRef(operation);
    prepared.data->combine_by(operation, type);
    return element;
}

std::uint8_t only_basic_type(const Datatype& type) {
    const std::uint8_t only = type.signature().only;
    return only == Signature::mixed || only == Signature::anything ? std::uint8_t{0} : only;
}

namespace {

// Whether `bytes` are the same on all ranks, if they do as MPI says.
bool of_equal_sizes(Collective operation) {
    switch (operation) {
    case Collective::bcast:
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::scan:
    case Collective::exscan:
    case Collective::gather:
    case Collective::scatter:
    case Collective::allgather:
    case Collective::alltoall:
    case Collective::reduce_scatter_block: return true;
    default: return false;
    }
}

Steps between_groups(const PreparedCollective& prepared) {
    return prepared.between(prepared.call, prepared.comm->local(), prepared.comm->remote());
}

// The algorithm, if it is between two groups, and what there is to log of the call. Only between two groups may
// members name different roots.
Steps make_steps(PreparedCollective& prepared, bool nonblocking, std::uint32_t request) {
    prepared.call.send_counts = prepared.send_counts;
    prepared.call.receive_counts = prepared.receive_counts;
    if (prepared.between == nullptr) {
        prepared.call.same_bytes = of_equal_sizes(prepared.call.operation);
        if (prepared.logged) log_collective(prepared, nonblocking, request);
        return {};
    }
    if (log() != nullptr && nonblocking) {
        log_aside(prepared, between_groups(prepared), request);
    } else if (log() != nullptr) {
        log_messages(*prepared.comm, between_groups(prepared));
    }
    Steps steps = between_groups(prepared);
    prepared.call.root = 0;
    return steps;
}

} // namespace

int run(PreparedCollective prepared) {
    Steps steps = make_steps(prepared, false, 0);
    engine().collective(prepared.comm->member, prepared.call, prepared.data.get(), std::move(steps));
    return MPI_SUCCESS;
}

int run(PreparedCollective prepared, MPI_Request* request) {
    CollectiveData* const data = prepared.data.release();
    data->owned = true;
    RequestObject made;
    made.kind = RequestObject::Kind::collective;
    made.active = true;
    if (log() != nullptr) made.number = log()->new_request(self().index);
    Steps steps = make_steps(prepared, true, made.number);
    // They live until it is over.
    data->at_end = [types = std::move(prepared.types), op = std::move(prepared.operation),
                    sent = std::move(prepared.send_counts), received = std::move(prepared.receive_counts),
                    last = std::move(prepared.at_end)] {
        if (last) last();
    };
    made.engine = engine().icollective(prepared.comm->member, prepared.call, data, std::move(steps));
    made.message.comm = prepared.comm;
    ++prepared.comm->uses;
    *request = new_request(std::move(made));
    return MPI_SUCCESS;
}

void barrier_like(Comm& comm, bool logged) {
    PreparedCollective barrier;
    barrier.logged = logged;
    barrier.comm = &comm;
    barrier.call.operation = Collective::barrier;
    barrier.call.rank = comm.member.rank;
    barrier.call.size = engine().communicators().size(comm.member.index);
    run(std::move(barrier));
}

} // namespace orrery::emulate::mpi
