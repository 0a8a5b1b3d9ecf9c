// Communicators: making, asking, freeing.
#include "functions.h"
#include "mpi_library/attribute_functions.h"
#include "mpi_library/collective_call.h"
#include "mpi_library/engine.h"
#include "mpi_library/group.h"
#include "mpi_library/logging.h"
#include "mpi_library/process_state.h"
#include "mpi_library/topology.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace orrery::emulate::mpi {

namespace {

// What a duplicate takes over.
void inherit(const Comm& parent, Comm& made) {
    made.errhandler = parent.errhandler;
    made.info = parent.info;
}

MPI_Comm with_attributes(const Comm& parent, MPI_Comm made) {
    try {
        comm_of(made).attributes.copy_from(parent.attributes, parent.handle);
    } catch (const Failure&) {
        free_comm(made);
        throw;
    }
    return made;
}

MPI_Comm duplicate(Comm& parent, const Info& info) {
    std::unique_ptr<Comm> made;
    if (parent.inter()) {
        made = duplicate_inter(parent);
    } else {
        made = split_comm(parent, 0, parent.rank());
    }
    inherit(parent, *made);
    made->info = info;
    if (parent.topology != nullptr) {
        made->topology = std::make_unique<Topology>(*parent.topology);
        made->member.neighbours = parent.member.neighbours;
        log_neighbours(*made);
    }
    return with_attributes(parent, add_comm(std::move(made)));
}

} // namespace

AttributeSet& attributes_of_comm(MPI_Comm handle) { return comm_of(handle).attributes; }

int Comm_size(MPI_Comm comm, int* size) {
    *size = comm_of(comm).size();
    return MPI_SUCCESS;
}

int Comm_rank(MPI_Comm comm, int* rank) {
    *rank = comm_of(comm).rank();
    return MPI_SUCCESS;
}

int Comm_remote_size(MPI_Comm comm, int* size) {
    const Comm& found = comm_of(comm);
    if (!found.inter()) throw Failure(MPI_ERR_COMM, "this is no inter-communicator", comm);
    *size = static_cast<int>(found.peers());
    return MPI_SUCCESS;
}

int Comm_test_inter(MPI_Comm comm, int* flag) {
    *flag = comm_of(comm).inter() ? 1 : 0;
    return MPI_SUCCESS;
}

int Comm_dup(MPI_Comm comm, MPI_Comm* newcomm) {
    Comm& parent = comm_of(comm);
    *newcomm = MPI_COMM_NULL;
    *newcomm = duplicate(parent, parent.info);
    return MPI_SUCCESS;
}

int Comm_dup_with_info(MPI_Comm comm, MPI_Info given, MPI_Comm* newcomm) {
    Comm& parent = comm_of(comm);
    *newcomm = duplicate(parent, given == MPI_INFO_NULL ? Info{} : info(given));
    return MPI_SUCCESS;
}

// The handle is there at once; which communicator it is of, when all have called.
int Comm_idup(MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) {
    Comm& parent = comm_of(comm);
    auto made = std::make_unique<Comm>(parent.member.index, parent.member.rank, parent.peers());
    made->connect(parent.local(), parent.remote());
    inherit(parent, *made);
    log_created(*made);
    if (parent.topology != nullptr) {
        made->topology = std::make_unique<Topology>(*parent.topology);
        made->member.neighbours = parent.member.neighbours;
        log_neighbours(*made);
    }
    *newcomm = with_attributes(parent, add_comm(std::move(made)));
    *request = start_split(parent, *newcomm);
    return MPI_SUCCESS;
}

int Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm* newcomm) {
    if (colour < 0 && colour != MPI_UNDEFINED)
        throw Failure(MPI_ERR_ARG, fmt::format("the colour is {}", colour), comm);
    Comm& parent = comm_of(comm);
    std::unique_ptr<Comm> made =
        parent.inter() ? split_inter(parent, colour, key) : split_comm(parent, colour, key);
    if (made != nullptr) made->errhandler = parent.errhandler;
    *newcomm = add_comm(std::move(made));
    return MPI_SUCCESS;
}

int Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info, MPI_Comm* newcomm) {
    Comm& parent = intra_comm(comm);
    if (type != MPI_COMM_TYPE_SHARED && type != MPI_UNDEFINED)
        throw Failure(MPI_ERR_ARG, fmt::format("there is no type {} to split by", type), comm);
    const int node = static_cast<int>(engine().host(self().index).value);
    std::unique_ptr<Comm> made = split_comm(parent, type == MPI_UNDEFINED ? MPI_UNDEFINED : node, key);
    if (made != nullptr) made->errhandler = parent.errhandler;
    *newcomm = add_comm(std::move(made));
    return MPI_SUCCESS;
}

int Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
    Comm& parent = comm_of(comm);
    const std::vector<std::uint32_t>& members = group_of(group);
    std::unique_ptr<Comm> made;
    if (parent.inter()) {
        made = create_inter(parent, members);
    } else {
        barrier_like(parent); // collective over all of them, members or not
        if (std::find(members.begin(), members.end(), self().index) != members.end()) made = make_comm(members);
    }
    if (made != nullptr) made->errhandler = parent.errhandler;
    *newcomm = add_comm(std::move(made));
    return MPI_SUCCESS;
}

int Comm_create_group(MPI_Comm comm, MPI_Group group, int, MPI_Comm* newcomm) {
    Comm& parent = intra_comm(comm);
    const std::vector<std::uint32_t>& members = group_of(group);
    *newcomm = MPI_COMM_NULL;
    if (std::find(members.begin(), members.end(), self().index) == members.end()) return MPI_SUCCESS;
    std::unique_ptr<Comm> made = make_comm(members);
    barrier_like(*made);
    made->errhandler = parent.errhandler;
    *newcomm = add_comm(std::move(made));
    return MPI_SUCCESS;
}

int Comm_free(MPI_Comm* comm) {
    Comm& found = comm_of(*comm);
    if (*comm == MPI_COMM_WORLD || *comm == MPI_COMM_SELF)
        throw Failure(MPI_ERR_COMM, "a predefined communicator cannot be freed", *comm);
    found.attributes.remove_all(*comm);
    free_comm(*comm);
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int Comm_disconnect(MPI_Comm* comm) { return Comm_free(comm); }

int Comm_get_parent(MPI_Comm* parent) {
    *parent = MPI_COMM_NULL; // processes are not spawned
    return MPI_SUCCESS;
}

int Comm_set_name(MPI_Comm comm, const char* name) {
    comm_of(comm).name = std::string(name).substr(0, MPI_MAX_OBJECT_NAME - 1);
    return MPI_SUCCESS;
}

int Comm_get_name(MPI_Comm comm, char* name, int* length) {
    const std::string& found = comm_of(comm).name;
    std::memcpy(name, found.c_str(), found.size() + 1);
    *length = static_cast<int>(found.size());
    return MPI_SUCCESS;
}

int Comm_set_info(MPI_Comm comm, MPI_Info given) {
    comm_of(comm).info = info(given);
    return MPI_SUCCESS;
}

int Comm_get_info(MPI_Comm comm, MPI_Info* used) {
    *used = new_info(comm_of(comm).info);
    return MPI_SUCCESS;
}

} // namespace orrery::emulate::mpi
