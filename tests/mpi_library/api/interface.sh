#!/usr/bin/env bash
# What liborrery_mpi.so shows: every function that the header and the Fortran library of an installed Open MPI (MPI-3.1)
# have, those that MPI-3.0 removed, and nothing that is not meant to be seen.
#   interface.sh LIBRARY
set -euo pipefail
library=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
nm -D --defined-only "$library" | awk '{ print $NF }' | sort -u >ours
status=0

missing() { # missing WHAT, names in wanted
    sort -u wanted | comm -23 - ours >absent
    [ -s wanted ] || { echo "no names to compare with: $1"; status=1; }
    [ ! -s absent ] || { echo "$1 that are not there:"; cat absent; status=1; }
    echo "$1: $(sort -u wanted | wc -l)"
}
if command -v mpicc.openmpi >/dev/null; then
    echo '#include <mpi.h>' | mpicc.openmpi -E -x c - >header
    grep -oE '\bP?MPI_[A-Z][A-Za-z0-9_]*(_[a-z0-9_]+)? *\(' header | tr -d ' (' | grep -vE '_function$|_fn$' >wanted
    missing "functions of C"
    mpif=$(mpicc.openmpi -showme:libdirs | tr ' ' '\n' | sed -n '1s#$#/libmpi_mpifh.so#p')
    if [ -e "$mpif" ]; then
        nm -D --defined-only "$mpif" | awk '{ print $NF }' | grep -E '^p?mpi_[a-z0-9_]*[a-z0-9]_$' | 
            grep -vE '^mpi_fortran_|^p?mpi_sizeof_|_cptr_$' >wanted
        missing "procedures of Fortran"
    fi
fi
for name in Address Errhandler_create Errhandler_get Errhandler_set Type_extent Type_hindexed Type_hvector Type_lb Type_struct \
    Type_ub Attr_get Attr_put Attr_delete Keyval_create Keyval_free; do
    lower=$(echo $name | tr '[:upper:]' '[:lower:]')
    printf '%s\n' "MPI_$name" "PMPI_$name" "mpi_${lower}_" "pmpi_${lower}_"
done >wanted
missing "functions that MPI-3.0 removed or deprecated"
if grep -vE '^(P?MPI_|p?mpi_|orrery_|smpi_)' ours; then
    echo "the names above are not meant to be seen"
    status=1
fi
exit $status
