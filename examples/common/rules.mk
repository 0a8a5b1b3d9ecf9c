# The compilers of the MPI to use: `make MPICC=mpicc.mpich` takes another one.
MPICC = mpicc
MPICXX = mpicxx
MPIFC = mpifort
# GCC mistakes MPI_STATUSES_IGNORE and MPI_UNWEIGHTED for arrays without elements.
CFLAGS = -O2 -Wall -Wno-stringop-overflow -Wno-stringop-overread
# The C++ bindings, gone from MPI since 3.0, are left out.
CXXFLAGS = $(CFLAGS) -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX
FCFLAGS = -O2 -Wall
