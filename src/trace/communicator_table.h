// The communicators of this rank by their handles.
#pragma once

#include "trace/handles.h"
#include "trace/smallest_free.h"

#include <cstdint>
#include <memory>
#include <tsl/robin_map.h>
#include <vector>

namespace orrery::trace {

inline constexpr std::uint32_t no_number = ~std::uint32_t{0};

// Of this rank in a topology. MPI_PROC_NULL, beyond the edge of a grid, is no neighbour; but it has its place
// in the arguments of neighbourhood collectives, so each neighbour carries the place it has there.
struct Neighbours {
    struct Side {
        std::vector<std::uint32_t> ranks;
        std::vector<std::uint32_t> places;
    };
    Side sources;
    Side destinations;
};

struct Communicator {
    std::uint32_t number = no_number; // none: it has processes of other worlds and is not recorded
    std::uint32_t size = 0;
    std::uint32_t rank = 0;                       // of this process
    std::uint32_t first_peer = 0;                 // of the remote group, among the members as they are recorded
    bool inter = false;                           // an intercommunicator
    std::shared_ptr<const Neighbours> neighbours; // none: no topology

    [[nodiscard]] bool recorded() const { return number != no_number; }
};

class CommunicatorTable {
  public:
    // Null if it is not known. Most calls use the communicator of the call before: one comparison.
    Communicator* find(MPI_Comm handle) {
        if (last_ != nullptr && handle == last_handle_) return last_;
        return look_up(handle);
    }
    // A handle that is there already was freed without our noticing: it is replaced.
    Communicator& add(MPI_Comm handle, Communicator communicator);
    // Forgets it and gives what was known of it; its number is free.
    Communicator remove(MPI_Comm handle);

    std::uint32_t new_number() { return numbers_.take(); }
    void free_number(std::uint32_t number) { numbers_.give_back(number); }

  private:
    Communicator* look_up(MPI_Comm handle);

    tsl::robin_map<std::uint64_t, std::unique_ptr<Communicator>, KeyHash> all_;
    SmallestFree numbers_;
    MPI_Comm last_handle_{};
    Communicator* last_ = nullptr;
};

} // namespace orrery::trace
