// A communicator as one of its members knows it.
//
// Who is in it, and whether the members call the same collectives, is known once for all
// (workload/communicators.h); a rank has its own name, attributes, error handler and topology for it.
#pragma once

#include "mpi_library/attribute.h"
#include "mpi_library/errhandler.h"
#include "mpi_library/handles.h"
#include "mpi_library/info.h"
#include "orrery/mpi/mpi.h"
#include "protocol/messenger.h"
#include "workload/communicators.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace orrery::emulate::mpi {

struct Topology; // topology.h

// Some of the members of a communicator that follow each other.
struct Side {
    std::uint32_t first = 0;
    std::uint32_t size = 1;
    bool operator==(const Side&) const = default;
};

// The members of an inter-communicator are those of both groups, one behind the other; the two sides agree on
// which comes first. Any other communicator is its own remote group.
class alignas(64) Comm {
  public:
    Comm();
    // Of the members that `index` of Communicators has; `rank` is the own one among them.
    Comm(std::uint32_t index, std::uint32_t rank, std::uint32_t size);
    ~Comm();

    [[nodiscard]] int rank() const { return static_cast<int>(member.rank - local_.first); }
    [[nodiscard]] int size() const { return static_cast<int>(local_.size); }
    [[nodiscard]] bool inter() const { return local_ != remote_; }
    [[nodiscard]] const Side& local() const { return local_; }
    [[nodiscard]] const Side& remote() const { return remote_; }
    // Ranks that messages go to and come from: the remote group of an inter-communicator.
    [[nodiscard]] std::uint32_t peers() const { return remote_.size; }
    [[nodiscard]] std::uint32_t world_rank(std::uint32_t peer) const;
    [[nodiscard]] std::uint32_t peer_of(std::uint32_t world_rank) const;
    // World ranks of the local group, and of the remote one.
    [[nodiscard]] std::vector<std::uint32_t> members() const { return world_ranks(local_); }
    [[nodiscard]] std::vector<std::uint32_t> remote_members() const { return world_ranks(remote_); }
    [[nodiscard]] std::uint32_t context() const { return Communicators::messages_context(member.index); }

    // Turns it into an inter-communicator.
    void connect(Side local, Side remote) { local_ = local, remote_ = remote; }

    // What messages need comes first.
    int handle = MPI_COMM_NULL;
    int uses = 1;      // the handle, and operations under way
    Membership member; // among all members, of both groups

  private:
    Side local_;
    Side remote_;

  public:
    AttributeSet attributes;
    ErrhandlerSlot errhandler;
    std::string name;
    Info info;
    std::unique_ptr<Topology> topology;

  private:
    [[nodiscard]] std::vector<std::uint32_t> world_ranks(const Side& side) const;
};

// Throws Failure(MPI_ERR_COMM): null, freed, or no communicator at all.
Comm& comm_of(MPI_Comm handle);
// The same; throws for an inter-communicator too.
Comm& intra_comm(MPI_Comm handle);
MPI_Comm add_comm(std::unique_ptr<Comm> comm);
// One more member of the communicator that all these world ranks make together, each time they do.
std::unique_ptr<Comm> make_comm(std::vector<std::uint32_t> members);
void free_comm(MPI_Comm handle);

// Inter-communicators (intercomm.cpp): collective over both groups.
std::unique_ptr<Comm> duplicate_inter(Comm& parent);
std::unique_ptr<Comm> split_inter(Comm& parent, int colour, int key);
std::unique_ptr<Comm> create_inter(Comm& parent, const std::vector<std::uint32_t>& members);

// Takes a communicator away that nothing uses any more.
void free_unused_comm(MPI_Comm handle);

// Collective over all members of `parent`: those of one colour, in the order of their keys; nothing for
// MPI_UNDEFINED.
std::unique_ptr<Comm> split_comm(Comm& parent, int colour, int key);
// The same for a duplicate, without waiting: `made` is usable when the request is done.
MPI_Request start_split(Comm& parent, MPI_Comm made);

} // namespace orrery::emulate::mpi
