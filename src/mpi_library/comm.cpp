#include "mpi_library/comm.h"

#include "collectives/comm_split.h"
#include "mpi_library/collective_call.h"
#include "mpi_library/engine.h"
#include "mpi_library/logging.h"
#include "mpi_library/process_state.h"
#include "mpi_library/topology.h"
#include "workload/collective_call.h"

#include <fmt/format.h>
#include <utility>

namespace orrery::emulate::mpi {

namespace {

Handles<Comm>& comms() {
    static Handles<Comm> all(Kind::comm);
    return all;
}

} // namespace

Comm::Comm() = default;
Comm::~Comm() = default;

Comm::Comm(std::uint32_t index, std::uint32_t rank, std::uint32_t size)
    : member{0, index, rank, 0, nullptr}, local_{0, size}, remote_{0, size} {}

std::uint32_t Comm::world_rank(std::uint32_t peer) const {
    return engine().communicators().member(member.index, remote_.first + peer);
}

std::uint32_t Comm::peer_of(std::uint32_t world_rank) const {
    return engine().communicators().rank_in(member.index, world_rank) - remote_.first;
}

std::vector<std::uint32_t> Comm::world_ranks(const Side& side) const {
    std::vector<std::uint32_t> all(side.size);
    for (std::uint32_t i = 0; i < side.size; ++i)
        all[i] = engine().communicators().member(member.index, side.first + i);
    return all;
}

Comm& comm_of(MPI_Comm handle) {
    if (handle == MPI_COMM_WORLD) return process().world;
    if (handle == MPI_COMM_SELF) return process().own;
    Comm* const found = comms().find(handle);
    if (found == nullptr) {
        throw Failure(MPI_ERR_COMM, handle == MPI_COMM_NULL ? "the communicator is MPI_COMM_NULL"
                                                            : "this is no communicator, or it has been freed");
    }
    return *found;
}

Comm& intra_comm(MPI_Comm handle) {
    Comm& found = comm_of(handle);
    if (found.inter()) throw Failure(MPI_ERR_COMM, "this must not be an inter-communicator", handle);
    return found;
}

MPI_Comm add_comm(std::unique_ptr<Comm> comm) {
    if (comm == nullptr) return MPI_COMM_NULL;
    Comm& made = *comm;
    made.handle = comms().add(std::move(comm));
    return made.handle;
}

std::unique_ptr<Comm> make_comm(std::vector<std::uint32_t> members) {
    const auto size = static_cast<std::uint32_t>(members.size());
    Communicators& all = engine().communicators();
    const std::uint32_t own = self().index;
    const std::uint32_t index = all.create(std::move(members), own);
    auto made = std::make_unique<Comm>(index, all.rank_in(index, own), size);
    log_created(*made);
    return made;
}

void free_comm(MPI_Comm handle) {
    Comm& comm = comm_of(handle);
    if (--comm.uses == 0) free_unused_comm(handle);
}

void free_unused_comm(MPI_Comm handle) {
    if (comms().find(handle) != nullptr) comms().remove(handle);
}

std::unique_ptr<Comm> split_comm(Comm& parent, int colour, int key) {
    Communicators& all = engine().communicators();
    Membership& member = parent.member;
    const std::uint32_t own = self().index;
    const std::uint32_t wanted = colour == MPI_UNDEFINED ? any_source : static_cast<std::uint32_t>(colour);
    const std::uint32_t call = member.calls;
    all.offer(member.index, call, wanted, static_cast<std::uint32_t>(key), own, member.rank);
    Action action;
    action.kind = ActionKind::comm_split;
    CollectiveCall exchange;
    (void)make_call(action, {}, member, all.size(member.index), exchange);
    engine().collective(member, exchange, nullptr, split_steps(engine().collectives().selector(), exchange));
    const auto index = all.split(member.index, call, wanted);
    std::unique_ptr<Comm> made;
    if (index) made = std::make_unique<Comm>(*index, all.rank_in(*index, own), all.size(*index));
    log_split(parent, colour, key, made.get());
    return made;
}

MPI_Request start_split(Comm& parent, MPI_Comm handle) {
    Communicators& all = engine().communicators();
    const std::uint32_t own = self().index;
    const std::uint32_t index = parent.member.index;
    const std::uint32_t call = parent.member.calls;
    all.offer(index, call, 0, parent.member.rank, own, parent.member.rank);
    PreparedCollective prepared;
    prepared.comm = &parent;
    Action action;
    action.kind = ActionKind::comm_split;
    (void)make_call(action, {}, parent.member, all.size(index), prepared.call);
    prepared.data->rank = own;
    prepared.at_end = [handle, index, call, own] {
        Communicators& those = engine().communicators();
        Comm& made = comm_of(handle);
        made.member.index = *those.split(index, call, 0);
        made.member.rank = those.rank_in(made.member.index, own);
    };
    MPI_Request request = MPI_REQUEST_NULL;
    run(std::move(prepared), &request);
    return request;
}

} // namespace orrery::emulate::mpi
