// Error handlers: what happens when a call on a communicator, window or file goes wrong.
#pragma once

#include "mpi_library/counted.h"
#include "orrery/mpi/mpi.h"

namespace orrery::emulate::mpi {

class Errhandler : public Counted<Errhandler> {
  public:
    Errhandler(Kind object_kind, MPI_Comm_errhandler_function* called) : kind(object_kind), function(called) {}
    const Kind kind; // of the objects that it is for: comm, win or file
    // All handles are integers and all arguments addresses: the same for every kind, and for Fortran.
    MPI_Comm_errhandler_function* const function;
};

// The handler of an object. The object keeps it alive, even if the application frees its handle.
class ErrhandlerSlot {
  public:
    explicit ErrhandlerSlot(MPI_Errhandler predefined = MPI_ERRORS_ARE_FATAL) : predefined_(predefined) {}

    void set(Kind kind, MPI_Errhandler handle); // throws Failure(MPI_ERR_ARG)
    [[nodiscard]] MPI_Errhandler get() const;   // one more reference, which the application frees

    enum class Outcome {
        fatal,  // the run is to end
        returns // the code is what the call returns; a function of the application has been called, if there is
                // one
    };
    // `object` is the handle of whose slot this is. `code` may be changed by the application's function.
    Outcome raise(int object, int& code) const;

  private:
    MPI_Errhandler predefined_; // MPI_ERRHANDLER_NULL: `own_`
    Ref<Errhandler> own_;
};

// That of a communicator, window or file, with those objects: throws Failure if there is none.
ErrhandlerSlot& errhandler_of(int handle);

} // namespace orrery::emulate::mpi
