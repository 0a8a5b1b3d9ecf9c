// Info objects: words that an application gives to MPI, in the order in which it set them.
#pragma once

#include "mpi_library/handles.h"
#include "orrery/mpi/mpi.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery::emulate::mpi {

class Info {
  public:
    void set(std::string_view key, std::string_view value);
    bool remove(std::string_view key);
    [[nodiscard]] const std::string* find(std::string_view key) const; // null: not set
    [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& all() const { return all_; }

  private:
    std::vector<std::pair<std::string, std::string>> all_;
};

// MPI_INFO_ENV is the calling rank's. Throws Failure(MPI_ERR_INFO): null, freed or no info object.
const Info& info(MPI_Info handle);
// A new object for the application, as MPI_Comm_get_info and its like return.
MPI_Info new_info(const Info& content);

} // namespace orrery::emulate::mpi
