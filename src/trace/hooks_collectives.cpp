// Collectives: bytes and counts as collectives/call.h defines them.
#include "trace/hooks.h"
#include "trace/hooks_state.h"

#include <numeric>

namespace orrery::trace {

namespace {

// Null if it is not recorded: a collective of an intercommunicator or with another world. Its request is known
// all the same.
const Communicator* recorded(MPI_Comm comm, Requests request) {
    const Communicator& communicator = communicator_of(comm);
    if (communicator.recorded() && !communicator.inter) return &communicator;
    not_replayed();
    if (request.exist()) hooks_state->requests.add(request);
    return nullptr;
}

Action action_of(Collective operation, const Communicator& communicator) {
    Action action;
    action.kind = ActionKind::collective;
    action.collective = operation;
    action.comm = communicator.number;
    return action;
}

void finish(Action& action, Requests request, const std::vector<Bytes>* counts = nullptr) {
    const Bytes* const first = counts == nullptr ? nullptr : counts->data();
    const std::size_t count = counts == nullptr ? 0 : counts->size();
    if (request.exist()) {
        action.nonblocking = true;
        put_request(action, request, first, count);
    } else {
        put(action, first, count);
    }
}

std::vector<Bytes>& no_counts() {
    hooks_state->counts.clear();
    return hooks_state->counts;
}

void append(std::vector<Bytes>& counts, const int* numbers, MPI_Datatype type, std::size_t n) {
    const Bytes element = bytes_of(1, type);
    for (std::size_t i = 0; i < n; ++i) counts.push_back(static_cast<Bytes>(numbers[i]) * element);
}

void append(std::vector<Bytes>& counts, const int* numbers, Datatypes types, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) counts.push_back(bytes_of(numbers[i], types[i]));
}

// Of the neighbours only: what stands at the places of MPI_PROC_NULL is left out.
void append(std::vector<Bytes>& counts, const int* numbers, MPI_Datatype type, const Neighbours::Side& side) {
    const Bytes element = bytes_of(1, type);
    for (const std::uint32_t place : side.places)
        counts.push_back(static_cast<Bytes>(numbers[place]) * element);
}

void append(std::vector<Bytes>& counts, const int* numbers, Datatypes types, const Neighbours::Side& side) {
    for (const std::uint32_t place : side.places) counts.push_back(bytes_of(numbers[place], types[place]));
}

// What one rank gives or gets. The type is looked at only once it is known to mean something: MPI does not do
// so for arguments that it ignores.
struct Data {
    int count;
    MPI_Datatype type;
};

// Of fixed size; the root, if there is one, is the peer.
void fixed(Collective operation, Data data, int root, MPI_Comm comm, Requests request) {
    const Communicator* const communicator = recorded(comm, request);
    if (communicator == nullptr) return;
    Action action = action_of(operation, *communicator);
    action.peer = static_cast<std::uint32_t>(root);
    action.bytes = bytes_of(data.count, data.type);
    finish(action, request);
}

// A reduction's elements are not cut: an empty type counts as bytes.
void describe_reduction(Action& action, MPI_Datatype type, MPI_Op op) {
    const Bytes element = bytes_of(1, type);
    int commutative = 1;
    PMPI_Op_commutative(op, &commutative);
    action.element = element == 0 ? 1 : static_cast<std::uint32_t>(element);
    action.commutative = commutative != 0;
}

void reduction(Collective operation, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
               Requests request) {
    const Communicator* const communicator = recorded(comm, request);
    if (communicator == nullptr) return;
    Action action = action_of(operation, *communicator);
    action.peer = static_cast<std::uint32_t>(root);
    action.bytes = bytes_of(count, type);
    describe_reduction(action, type, op);
    finish(action, request);
}

template <typename Types>
void exchange(Collective operation, const void* sent, const int* send_counts, Types send_types,
              const int* counts, Types types, MPI_Comm comm, Requests request) {
    const Communicator* const communicator = recorded(comm, request);
    if (communicator == nullptr) return;
    Action action = action_of(operation, *communicator);
    std::vector<Bytes>& all = no_counts();
    if (sent == MPI_IN_PLACE) {
        append(all, counts, types, communicator->size);
    } else {
        append(all, send_counts, send_types, communicator->size);
    }
    append(all, counts, types, communicator->size);
    finish(action, request, &all);
}

template <typename Types>
void neighbour_exchange(Collective operation, const int* send_counts, Types send_types, const int* counts,
                        Types types, MPI_Comm comm, Requests request) {
    const Communicator* const communicator = recorded(comm, request);
    if (communicator == nullptr || communicator->neighbours == nullptr) return;
    Action action = action_of(operation, *communicator);
    std::vector<Bytes>& all = no_counts();
    append(all, send_counts, send_types, communicator->neighbours->destinations);
    append(all, counts, types, communicator->neighbours->sources);
    finish(action, request, &all);
}

} // namespace

namespace hooks {

void barrier(MPI_Comm comm, Requests request) noexcept {
    const Communicator* const communicator = recorded(comm, request);
    if (communicator == nullptr) return;
    Action action = action_of(Collective::barrier, *communicator);
    finish(action, request);
}

void bcast(int count, MPI_Datatype type, int root, MPI_Comm comm, Requests request) noexcept {
    fixed(Collective::bcast, {count, type}, root, comm, request);
}

void gather(const void* sent, int send_count, MPI_Datatype send_type, int count, MPI_Datatype type, int root,
            MPI_Comm comm, Requests request) noexcept {
    const Data data = sent == MPI_IN_PLACE ? Data{count, type} : Data{send_count, send_type};
    fixed(Collective::gather, data, root, comm, request);
}

void gatherv(const void* sent, int send_count, MPI_Datatype send_type, const int* counts, MPI_Datatype type,
             int root, MPI_Comm comm, Requests request) noexcept {
    const Communicator* const communicator = recorded(comm, request);
    if (communicator == nullptr) return;
    Action action = action_of(Collective::gatherv, *communicator);
    action.peer = static_cast<std::uint32_t>(root);
    std::vector<Bytes>& all = no_counts();
    if (action.peer == communicator->rank) append(all, counts, type, communicator->size);
    action.bytes = sent == MPI_IN_PLACE ? all[communicator->rank] : bytes_of(send_count, send_type);
    finish(action, request, &all);
}

void scatter(int send_count, MPI_Datatype send_type, const void* received, int count, MPI_Datatype type,
             int root, MPI_Comm comm, Requests request) noexcept {
    const Data data = received == MPI_IN_PLACE ? Data{send_count, send_type} : Data{count, type};
    fixed(Collective::scatter, data, root, comm, request);
}

void scatterv(const int* send_counts, MPI_Datatype send_type, const void* received, int count,
              MPI_Datatype type, int root, MPI_Comm comm, Requests request) noexcept {
    const Communicator* const communicator = recorded(comm, request);
    if (communicator == nullptr) return;
    Action action = action_of(Collective::scatterv, *communicator);
    action.peer = static_cast<std::uint32_t>(root);
    std::vector<Bytes>& all = no_counts();
    if (action.peer == communicator->rank) append(all, send_counts, send_type, communicator->size);
    action.bytes = received == MPI_IN_PLACE ? all[communicator->rank] : bytes_of(count, type);
    finish(action, request, &all);
}

void allgather(const void* sent, int send_count, MPI_Datatype send_type, int count, MPI_Datatype type,
               MPI_Comm comm, Requests request) noexcept {
    const Data data = sent == MPI_IN_PLACE ? Data{count, type} : Data{send_count, send_type};
    fixed(Collective::allgather, data, 0, comm, request);
}

void allgatherv(const void* sent, int send_count, MPI_Datatype send_type, const int* counts, MPI_Datatype type,
                MPI_Comm comm, Requests request) noexcept {
    const Communicator* const communicator = recorded(comm, request);
    if (communicator == nullptr) return;
    Action action = action_of(Collective::allgatherv, *communicator);
    std::vector<Bytes>& all = no_counts();
    append(all, counts, type, communicator->size);
    action.bytes = sent == MPI_IN_PLACE ? all[communicator->rank] : bytes_of(send_count, send_type);
    finish(action, request, &all);
}

void alltoall(const void* sent, int send_count, MPI_Datatype send_type, int count, MPI_Datatype type,
              MPI_Comm comm, Requests request) noexcept {
    const Data data = sent == MPI_IN_PLACE ? Data{count, type} : Data{send_count, send_type};
    fixed(Collective::alltoall, data, 0, comm, request);
}

void alltoallv(const void* sent, const int* send_counts, MPI_Datatype send_type, const int* counts,
               MPI_Datatype type, MPI_Comm comm, Requests request) noexcept {
    exchange(Collective::alltoallv, sent, send_counts, send_type, counts, type, comm, request);
}

void alltoallw(const void* sent, const int* send_counts, Datatypes send_types, const int* counts,
               Datatypes types, MPI_Comm comm, Requests request) noexcept {
    exchange(Collective::alltoallw, sent, send_counts, send_types, counts, types, comm, request);
}

void reduce(int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm, Requests request) noexcept {
    reduction(Collective::reduce, count, type, op, root, comm, request);
}

void allreduce(int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, Requests request) noexcept {
    reduction(Collective::allreduce, count, type, op, 0, comm, request);
}

void scan(int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, Requests request) noexcept {
    reduction(Collective::scan, count, type, op, 0, comm, request);
}

void exscan(int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, Requests request) noexcept {
    reduction(Collective::exscan, count, type, op, 0, comm, request);
}

void reduce_scatter(const int* counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm, Requests request) noexcept {
    const Communicator* const communicator = recorded(comm, request);
    if (communicator == nullptr) return;
    Action action = action_of(Collective::reduce_scatter, *communicator);
    std::vector<Bytes>& all = no_counts();
    append(all, counts, type, communicator->size);
    action.bytes = std::accumulate(all.begin(), all.end(), Bytes{0});
    describe_reduction(action, type, op);
    finish(action, request, &all);
}

void reduce_scatter_block(int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, Requests request) noexcept {
    reduction(Collective::reduce_scatter_block, count, type, op, 0, comm, request);
}

void neighbor_allgather(int count, MPI_Datatype type, MPI_Comm comm, Requests request) noexcept {
    fixed(Collective::neighbor_allgather, {count, type}, 0, comm, request);
}

void neighbor_allgatherv(int send_count, MPI_Datatype send_type, const int* counts, MPI_Datatype type,
                         MPI_Comm comm, Requests request) noexcept {
    const Communicator* const communicator = recorded(comm, request);
    if (communicator == nullptr || communicator->neighbours == nullptr) return;
    Action action = action_of(Collective::neighbor_allgatherv, *communicator);
    action.bytes = bytes_of(send_count, send_type);
    std::vector<Bytes>& all = no_counts();
    append(all, counts, type, communicator->neighbours->sources);
    finish(action, request, &all);
}

void neighbor_alltoall(int count, MPI_Datatype type, MPI_Comm comm, Requests request) noexcept {
    fixed(Collective::neighbor_alltoall, {count, type}, 0, comm, request);
}

void neighbor_alltoallv(const int* send_counts, MPI_Datatype send_type, const int* counts, MPI_Datatype type,
                        MPI_Comm comm, Requests request) noexcept {
    neighbour_exchange(Collective::neighbor_alltoallv, send_counts, send_type, counts, type, comm, request);
}

void neighbor_alltoallw(const int* send_counts, Datatypes send_types, const int* counts, Datatypes types,
                        MPI_Comm comm, Requests request) noexcept {
    neighbour_exchange(Collective::neighbor_alltoallw, send_counts, send_types, counts, types, comm, request);
}

} // namespace hooks

} // namespace orrery::trace
