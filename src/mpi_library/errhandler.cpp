#include "mpi_library/errhandler.h"

#include "functions.h"
#include "mpi_library/error_codes.h"
#include "mpi_library/errors.h"
#include "mpi_library/local_state.h"

namespace orrery::emulate::mpi {

namespace {

Handles<Errhandler>& errhandlers() {
    static auto& all = *new Handles<Errhandler>(Kind::errhandler);
    return all;
}

bool is_predefined(MPI_Errhandler handle) {
    return handle == MPI_ERRORS_ARE_FATAL || handle == MPI_ERRORS_RETURN;
}

const Errhandler& own(MPI_Errhandler handle) {
    const Errhandler* found = errhandlers().find(handle);
    if (found == nullptr) throw Failure(MPI_ERR_ARG, "there is no such error handler");
    return *found;
}

int create(Kind kind, MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler) {
    if (function == nullptr) throw Failure(MPI_ERR_ARG, "the function of the error handler is a null pointer");
    *errhandler = open_handle(errhandlers(), *new Errhandler(kind, function));
    return MPI_SUCCESS;
}

int set(Kind kind, int object, MPI_Errhandler errhandler) {
    errhandler_of(object).set(kind, errhandler);
    return MPI_SUCCESS;
}

int get(int object, MPI_Errhandler* errhandler) {
    *errhandler = errhandler_of(object).get();
    return MPI_SUCCESS;
}

// A handler that ends the run does so by way of the failure of this call.
int call(int object, int code) {
    const ErrhandlerSlot slot = errhandler_of(object); // its function may put another in its place
    const std::string words = local_state().errors.words(code);
    if (slot.raise(object, code) == ErrhandlerSlot::Outcome::fatal) throw Failure(code, words, object);
    return MPI_SUCCESS;
}

} // namespace

void ErrhandlerSlot::set(Kind kind, MPI_Errhandler handle) {
    if (is_predefined(handle)) {
        predefined_ = handle;
        own_ = {};
        return;
    }
    const Errhandler& errhandler = own(handle);
    if (errhandler.kind != kind) throw Failure(MPI_ERR_ARG, "the error handler is for another kind of object");
    predefined_ = MPI_ERRHANDLER_NULL;
    own_ = Ref<Errhandler>(errhandler);
}

MPI_Errhandler ErrhandlerSlot::get() const { return own_ ? open_handle(errhandlers(), *own_) : predefined_; }

ErrhandlerSlot::Outcome ErrhandlerSlot::raise(int object, int& code) const {
    if (!own_) return predefined_ == MPI_ERRORS_RETURN ? Outcome::returns : Outcome::fatal;
    const Ref<Errhandler> called = own_;
    called->function(&object, &code);
    return Outcome::returns;
}

int Comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler) {
    return create(Kind::comm, function, errhandler);
}
int Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler) { return set(Kind::comm, comm, errhandler); }
int Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* errhandler) { return get(comm, errhandler); }
int Comm_call_errhandler(MPI_Comm comm, int code) { return call(comm, code); }

int Win_create_errhandler(MPI_Win_errhandler_function* function, MPI_Errhandler* errhandler) {
    return create(Kind::win, function, errhandler);
}
int Win_set_errhandler(MPI_Win win, MPI_Errhandler errhandler) { return set(Kind::win, win, errhandler); }
int Win_get_errhandler(MPI_Win win, MPI_Errhandler* errhandler) { return get(win, errhandler); }
int Win_call_errhandler(MPI_Win win, int code) { return call(win, code); }

int File_create_errhandler(MPI_File_errhandler_function* function, MPI_Errhandler* errhandler) {
    return create(Kind::file, function, errhandler);
}
int File_set_errhandler(MPI_File file, MPI_Errhandler errhandler) { return set(Kind::file, file, errhandler); }
int File_get_errhandler(MPI_File file, MPI_Errhandler* errhandler) { return get(file, errhandler); }
int File_call_errhandler(MPI_File file, int code) { return call(file, code); }

int Errhandler_free(MPI_Errhandler* errhandler) {
    if (!is_predefined(*errhandler)) {
        own(*errhandler);
        close_handle(errhandlers(), *errhandler);
    }
    *errhandler = MPI_ERRHANDLER_NULL;
    return MPI_SUCCESS;
}

// MPI-1.
int Errhandler_create(MPI_Handler_function* function, MPI_Errhandler* errhandler) {
    return create(Kind::comm, function, errhandler);
}
int Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler) { return set(Kind::comm, comm, errhandler); }
int Errhandler_get(MPI_Comm comm, MPI_Errhandler* errhandler) { return get(comm, errhandler); }

} // namespace orrery::emulate::mpi
