// Callbacks whose Fortran form differs from that of C: generalised requests and data representations. User
// operations and error handlers get everything by address in C too, and handles are the same integers.
#include "mpi_library/fortran/entry.h"
#include "mpi_library/fortran/texts.h"

#include <memory>
#include <mpi.h>
#include <vector>

using namespace orrery::emulate::fortran;

// NOLINTNEXTLINE(readability-redundant-declaration): the batch may hold its definition too.
extern "C" void mpi_conversion_fn_null_();

namespace {

struct Grequest {
    using Query = void(MPI_Aint* extra_state, MPI_Fint* status, MPI_Fint* ierror);
    using Free = void(MPI_Aint* extra_state, MPI_Fint* ierror);
    using Cancel = void(MPI_Aint* extra_state, MPI_Fint* complete, MPI_Fint* ierror);
    Query* query;
    Free* free;
    Cancel* cancel;
    MPI_Aint* extra_state; // the program's own variable, as other MPIs pass it: the functions may change it
};

int query(void* extra_state, MPI_Status* status) {
    auto* const request = static_cast<Grequest*>(extra_state);
    MPI_Fint ierror = MPI_SUCCESS;
    request->query(request->extra_state, &status->MPI_SOURCE, &ierror);
    return ierror;
}

// The last call for a request.
int free_request(void* extra_state) {
    const std::unique_ptr<Grequest> request(static_cast<Grequest*>(extra_state));
    MPI_Fint ierror = MPI_SUCCESS;
    request->free(request->extra_state, &ierror);
    return ierror;
}

int cancel(void* extra_state, int complete) {
    auto* const request = static_cast<Grequest*>(extra_state);
    MPI_Fint ierror = MPI_SUCCESS;
    request->cancel(request->extra_state, &complete, &ierror);
    return ierror;
}

struct Datarep {
    using Convert = void(void* user, MPI_Fint* type, MPI_Fint* count, void* file, MPI_Offset* position,
                         MPI_Aint* extra_state, MPI_Fint* ierror);
    using Extent = void(MPI_Fint* type, MPI_Aint* extent, MPI_Aint* extra_state, MPI_Fint* ierror);
    Convert* read;
    Convert* write;
    Extent* extent;
    MPI_Aint* extra_state; // the program's own variable
};

template <Datarep::Convert* Datarep::*direction>
int convert(void* user, MPI_Datatype type, int count, void* file, MPI_Offset position, void* extra_state) {
    auto* const datarep = static_cast<Datarep*>(extra_state);
    MPI_Fint ierror = MPI_SUCCESS;
    (datarep->*direction)(user, &type, &count, file, &position, datarep->extra_state, &ierror);
    return ierror;
}

int file_extent(MPI_Datatype type, MPI_Aint* extent, void* extra_state) {
    auto* const datarep = static_cast<Datarep*>(extra_state);
    MPI_Fint ierror = MPI_SUCCESS;
    datarep->extent(&type, extent, datarep->extra_state, &ierror);
    return ierror;
}

// A data representation stays until the end of the process.
Datarep* keep(const Datarep& datarep) {
    static std::vector<std::unique_ptr<Datarep>> all; // each is known to its rank only
    all.push_back(std::make_unique<Datarep>(datarep));
    return all.back().get();
}

bool is_none(Datarep::Convert* function) {
    return reinterpret_cast<void (*)()>(function) == &mpi_conversion_fn_null_;
}

} // namespace

ORRERY_FORTRAN(void, grequest_start,
               (Grequest::Query * query_fn, Grequest::Free* free_fn, Grequest::Cancel* cancel_fn,
                MPI_Aint* extra_state, MPI_Fint* request, MPI_Fint* ierror)) {
    ORRERY_OPTIONAL(ierror);
    auto state = std::make_unique<Grequest>(Grequest{query_fn, free_fn, cancel_fn, extra_state});
    *ierror = PMPI_Grequest_start(query, free_request, cancel, state.get(), request);
    if (*ierror == MPI_SUCCESS) static_cast<void>(state.release()); // free_request has it now
}

ORRERY_FORTRAN(void, register_datarep,
               (char* name, Datarep::Convert* read_fn, Datarep::Convert* write_fn, Datarep::Extent* extent_fn,
                MPI_Aint* extra_state, MPI_Fint* ierror, Length name_length)) {
    ORRERY_OPTIONAL(ierror);
    *ierror = PMPI_Register_datarep(text_in(name, name_length).c_str(),
                                    is_none(read_fn) ? MPI_CONVERSION_FN_NULL : convert<&Datarep::read>,
                                    is_none(write_fn) ? MPI_CONVERSION_FN_NULL : convert<&Datarep::write>,
                                    file_extent, keep(Datarep{read_fn, write_fn, extent_fn, extra_state}));
}
