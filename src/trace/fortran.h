// What the wrappers of Fortran functions need beside those of C.
#pragma once

#include "trace/mpi_header.h"
#include "trace/statuses.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

// MPI_IN_PLACE of Fortran; not there in programs of C.
extern "C" __attribute__((weak)) MPI_Fint mpi_fortran_in_place_;

namespace orrery::trace {

// Whether it is one of the places that stand for "no status wanted".
inline bool is_ignored(const void* status) {
#ifdef OPEN_MPI
    return status == MPI_F_STATUS_IGNORE || status == MPI_F_STATUSES_IGNORE;
#else
    return status == MPI_F08_STATUS_IGNORE || status == MPI_F08_STATUSES_IGNORE;
#endif
}

inline const void* fortran_buffer(const void* buffer) {
    return buffer != nullptr && buffer == &mpi_fortran_in_place_ ? MPI_IN_PLACE : buffer;
}

// The index that mpi_f08 gives to the first request. It should be 1; in MPICH 4.0 it is 0.
int f08_base();

// The function that ours stands before. It is looked for when it is first called, so that programs of C need no
// Fortran library.
template <typename Signature> class RealFunction {
  public:
    constexpr explicit RealFunction(const char* name) : name_(name) {}
    Signature* operator()() {
        Signature* found = function_.load(std::memory_order_relaxed);
        if (found == nullptr) {
            found = reinterpret_cast<Signature*>(dlsym(RTLD_NEXT, name_));
            if (found == nullptr) {
                std::fprintf(stderr, "orrery: the MPI library has no function %s\n", name_);
                std::abort();
            }
            function_.store(found, std::memory_order_relaxed);
        }
        return found;
    }

  private:
    const char* name_;
    std::atomic<Signature*> function_{nullptr};
};

class OwnFortranStatus {
  public:
    explicit OwnFortranStatus(MPI_Fint* asked)
        : used_(is_ignored(asked) ? reinterpret_cast<MPI_Fint*>(&own_) : asked) {}
    OwnFortranStatus(const OwnFortranStatus&) = delete;
    OwnFortranStatus& operator=(const OwnFortranStatus&) = delete;

    [[nodiscard]] MPI_Fint* passed() const { return used_; }
    // NOLINTNEXTLINE(google-explicit-constructor): what the hooks take, once the call has returned.
    operator const MPI_Status&() const {
        PMPI_Status_f2c(used_, &converted_);
        return converted_;
    }

  private:
    MPI_Status own_; // as large as one of Fortran
    mutable MPI_Status converted_;
    MPI_Fint* used_;
};

class SeenFortranStatuses : public Statuses {
  public:
    explicit SeenFortranStatuses(MPI_Fint* asked) : Statuses(true), passed_(asked) {
        if (MPI_Status* const room = room_for_statuses()) {
            if (is_ignored(asked)) passed_ = reinterpret_cast<MPI_Fint*>(room);
            first_ = passed_;
        }
    }
    [[nodiscard]] MPI_Fint* passed() const { return passed_; }

  private:
    MPI_Fint* passed_;
};

} // namespace orrery::trace
