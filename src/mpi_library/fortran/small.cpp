// Functions that have another form in Fortran: results instead of arguments, no ierror, texts left as they are.
#include "mpi_library/fortran/entry.h"
#include "mpi_library/fortran/sentinels.h"
#include "mpi_library/fortran/texts.h"

#include <algorithm>

using namespace orrery::emulate::fortran;

ORRERY_FORTRAN(double, wtime, ()) { return PMPI_Wtime(); }
ORRERY_FORTRAN(double, wtick, ()) { return PMPI_Wtick(); }
ORRERY_FORTRAN(MPI_Aint, aint_add, (MPI_Aint * base, MPI_Aint* disp)) { return PMPI_Aint_add(*base, *disp); }
ORRERY_FORTRAN(MPI_Aint, aint_diff, (MPI_Aint * addr1, MPI_Aint* addr2)) {
    return PMPI_Aint_diff(*addr1, *addr2);
}
ORRERY_FORTRAN(void, pcontrol, (MPI_Fint * level)) { PMPI_Pcontrol(*level); }

// Being called is all that it is for: the compiler must not keep the buffer in registers across it.
ORRERY_FORTRAN(void, f_sync_reg, (void*)) {}

// The address of the buffer is of no use in Fortran; the argument stays as it is.
ORRERY_FORTRAN(void, buffer_detach, (void*, MPI_Fint* size, MPI_Fint* ierror)) {
    ORRERY_OPTIONAL(ierror);
    void* unused = nullptr;
    *ierror = PMPI_Buffer_detach(&unused, size);
}

// `valuelen` counts characters in Fortran as it does in C; the value stays as it is if there is no such key.
ORRERY_FORTRAN(void, info_get,
               (MPI_Fint * info, char* key, MPI_Fint* valuelen, char* value, MPI_Fint* flag, MPI_Fint* ierror,
                Length key_length, Length value_length)) {
    ORRERY_OPTIONAL(ierror);
    TextOut value_out(value, value_length);
    const int wanted = std::min<int>(*valuelen, MPI_MAX_INFO_VAL - 1);
    *ierror = PMPI_Info_get(*info, info_text_in(key, key_length).c_str(), wanted, value_out.c(), flag);
    if (*ierror == MPI_SUCCESS && *flag != 0) value_out.give_back();
}
