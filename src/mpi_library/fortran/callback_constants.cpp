// MPI_COMM_DUP_FN and its like: the copy and delete functions that MPI offers, for C and for Fortran.
#include <mpi.h>

#define ORRERY_C_FUNCTIONS(prefix, Object)                                                                     \
    int prefix##NULL_COPY_FN(Object, int, void*, void*, void*, int* flag) {                                    \
        *flag = 0;                                                                                             \
        return MPI_SUCCESS;                                                                                    \
    }                                                                                                          \
    int prefix##DUP_FN(Object, int, void*, void* in, void* out, int* flag) {                                   \
        *static_cast<void**>(out) = in;                                                                        \
        *flag = 1;                                                                                             \
        return MPI_SUCCESS;                                                                                    \
    }                                                                                                          \
    int prefix##NULL_DELETE_FN(Object, int, void*, void*) { return MPI_SUCCESS; }

#define ORRERY_FORTRAN_FUNCTIONS(prefix, Address)                                                              \
    void prefix##null_copy_fn_(MPI_Fint*, MPI_Fint*, Address, Address, Address, MPI_Fint*, MPI_Fint*);         \
    void prefix##null_copy_fn_(MPI_Fint*, MPI_Fint*, Address, Address, Address, MPI_Fint* flag,                \
                               MPI_Fint* ierror) {                                                             \
        *flag = 0;                                                                                             \
        *ierror = MPI_SUCCESS;                                                                                 \
    }                                                                                                          \
    void prefix##dup_fn_(MPI_Fint*, MPI_Fint*, Address, Address, Address, MPI_Fint*, MPI_Fint*);               \
    void prefix##dup_fn_(MPI_Fint*, MPI_Fint*, Address, Address in, Address out, MPI_Fint* flag,               \
                         MPI_Fint* ierror) {                                                                   \
        *out = *in;                                                                                            \
        *flag = 1;                                                                                             \
        *ierror = MPI_SUCCESS;                                                                                 \
    }                                                                                                          \
    void prefix##null_delete_fn_(MPI_Fint*, MPI_Fint*, Address, Address, MPI_Fint*);                           \
    void prefix##null_delete_fn_(MPI_Fint*, MPI_Fint*, Address, Address, MPI_Fint* ierror) {                   \
        *ierror = MPI_SUCCESS;                                                                                 \
    }

#pragma GCC visibility push(default)
extern "C" {

ORRERY_C_FUNCTIONS(MPI_, MPI_Comm)
ORRERY_C_FUNCTIONS(MPI_COMM_, MPI_Comm)
ORRERY_C_FUNCTIONS(MPI_TYPE_, MPI_Datatype)
ORRERY_C_FUNCTIONS(MPI_WIN_, MPI_Win)
ORRERY_FORTRAN_FUNCTIONS(mpi_, MPI_Fint*)
ORRERY_FORTRAN_FUNCTIONS(mpi_comm_, MPI_Aint*)
ORRERY_FORTRAN_FUNCTIONS(mpi_type_, MPI_Aint*)
ORRERY_FORTRAN_FUNCTIONS(mpi_win_, MPI_Aint*)

// Stands for no conversion in MPI_REGISTER_DATAREP; never called.
void mpi_conversion_fn_null_();
void mpi_conversion_fn_null_() {}
}
#pragma GCC visibility pop
