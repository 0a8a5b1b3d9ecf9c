// Statuses of the application, or ours where it does not want any but the hooks do.
#pragma once

#include "trace/mpi_header.h"

#include <cstddef>

namespace orrery::trace {

class OwnStatus {
  public:
    explicit OwnStatus(MPI_Status* asked) : used_(asked == MPI_STATUS_IGNORE ? &own_ : asked) {}
    OwnStatus(const OwnStatus&) = delete;
    OwnStatus& operator=(const OwnStatus&) = delete;

    [[nodiscard]] MPI_Status* passed() const { return used_; }
    // NOLINTNEXTLINE(google-explicit-constructor): what the hooks take.
    operator const MPI_Status&() const { return *used_; }

  private:
    MPI_Status own_; // as empty as the application's would be
    MPI_Status* used_;
};

// Of a call that completes requests, made after hooks::look(). They tell only which requests were cancelled: as
// long as none is, the application's wish not to have any is passed on, for MPI is faster then.
class Statuses {
  public:
    [[nodiscard]] bool cancelled(std::size_t index) const;

  protected:
    explicit Statuses(bool fortran) : fortran_(fortran) {}
    void* first_ = nullptr; // null: not seen

  private:
    bool fortran_;
};

class SeenStatuses : public Statuses {
  public:
    explicit SeenStatuses(MPI_Status* asked);
    [[nodiscard]] MPI_Status* passed() const { return passed_; }

  private:
    MPI_Status* passed_;
};

// Room for the statuses of this thread's call: as many as the requests it looked at, if one was cancelled;
// otherwise null.
MPI_Status* room_for_statuses();

} // namespace orrery::trace
