#!/usr/bin/env bash
# The compiler wrappers as users meet them: all languages, separate steps, archives, libraries, a Makefile, a configure
# script, CMake's FindMPI. Each program is started by itself, where it is one rank.
#   wrappers.sh BIN_DIR
set -euo pipefail
bin=$(cd "$1" && pwd)
programs=$(cd "$(dirname "$0")/programs" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() { echo "$*"; exit 1; }
says() { # says PROGRAM WORDS
    local said
    said=$("./$1") || fail "$1 ends with $?"
    [ "$said" = "$2" ] || fail "$1 says '$said', not '$2'"
}
ring='rank 0 of 1 heard from 0'
fortran_says='rank 0 of 1: sum 1, from the last 0, request 2, tag 5'

# One step, for each language.
"$bin/orrery-mpicc" -O2 -Wall -Wextra -Werror "$programs/hello.c" -o c
says c "$ring"
"$bin/orrery-mpicxx" -O2 -Wall -Wextra -Werror "$programs/hello.cpp" -o cxx
says cxx 'rank 0 of 1: sum 0, 42, caught'
fortran=OFF
if [ -e "$bin/lib/orrery/liborrery_mpifort.a" ] || [ -e "$bin/../lib/orrery/liborrery_mpifort.a" ]; then
    fortran=ON
    "$bin/orrery-mpif77" -w "$programs/hello.f" -o f77
    says f77 "$ring"
    "$bin/orrery-mpif90" -Wall "$programs/hello_mpi.f90" -o f90
    says f90 "$fortran_says"
    "$bin/orrery-mpif90" -Wall "$programs/hello_f08.f90" -o f08
    says f08 'rank 0 of 1 heard from 0, tag 3'
fi

# Separate steps, through an archive; nothing is linked with -c, -E, -M.
"$bin/orrery-mpicc" -c "$programs/hello.c" -MD -MF hello.d
grep -q 'mpi\.h' hello.d || fail "-MD does not name mpi.h"
ar rcs libhello.a hello.o
"$bin/orrery-mpicc" -o archive -L. -lhello
says archive "$ring"
"$bin/orrery-mpicc" -E "$programs/hello.c" >preprocessed
grep -q PMPI_Init preprocessed || fail "-E does not show mpi.h"
"$bin/orrery-mpicc" -MM "$programs/hello.c" >rule
grep -q hello.c rule || fail "-MM does not work"
[ ! -e a.out ] || fail "something was linked that should not be"
# A folder with a blank in its name, flags that a program for emulation cannot have, a library of the user.
mkdir 'my folder'
"$bin/orrery-mpicc" -pie -rdynamic -static-libgcc "$programs/hello.c" -o 'my folder/c'
says 'my folder/c' "$ring"
if "$bin/orrery-mpicc" -static "$programs/hello.c" 2>words; then fail "-static is accepted"; fi
grep -q 'leave out -static' words || fail "-static is refused with: $(cat words)"
echo '#include <mpi.h>
int ranks(void) { int n; MPI_Comm_size(MPI_COMM_WORLD, &n); return n; }' >library.c
"$bin/orrery-mpicc" -shared library.c -o libranks.so

# What a configure script asks: what is there links, what is not does not; --version is the compiler's.
echo 'char MPI_Init(void); int main(void) { return MPI_Init(); }' >conftest.c
"$bin/orrery-mpicc" -o conftest conftest.c -w || fail "MPI_Init does not link"
echo 'char MPI_Unknown(void); int main(void) { return MPI_Unknown(); }' >conftest.c
if "$bin/orrery-mpicc" -o conftest conftest.c -w 2>/dev/null; then fail "a function that is not there links"; fi
[ "$("$bin/orrery-mpicc" --version)" = "$(gcc --version)" ] || fail "--version is not the compiler's"
[ "$("$bin/orrery-mpicc" -dumpmachine)" = "$(gcc -dumpmachine)" ] || fail "-dumpmachine is not the compiler's"
for question in -show -showme -showme:compile -showme:link -showme:incdirs -showme:libdirs; do
    [ -n "$("$bin/orrery-mpicc" $question)" ] || fail "$question says nothing"
done
# The flags that it tells make the same program with the compiler alone.
# shellcheck disable=SC2046
gcc "$programs/hello.c" -o by_flags $("$bin/orrery-mpicc" -showme:compile) $("$bin/orrery-mpicc" -showme:link)
says by_flags "$ring"

# A Makefile with make's own rules.
mkdir made
cp "$programs/hello.c" made/in_c.c
cp "$programs/hello.cpp" made/in_cxx.cpp
# shellcheck disable=SC2016
printf 'all: in_c in_cxx\nin_c: in_c.o\nin_cxx: in_cxx.o\n\t$(CXX) $^ -o $@\n' >made/Makefile
make -s -C made CC="$bin/orrery-mpicc" CXX="$bin/orrery-mpicxx" CFLAGS=-O2 CXXFLAGS=-O2
says made/in_c "$ring"
says made/in_cxx 'rank 0 of 1: sum 0, 42, caught'
if [ $fortran = ON ]; then
    cp "$programs/hello_mpi.f90" made/
    # shellcheck disable=SC2016
    printf 'in_fortran: hello_mpi.o\n\t$(FC) $^ -o $@\n%%.o: %%.f90\n\t$(FC) -c $<\n' >>made/Makefile
    make -s -C made FC="$bin/orrery-mpif90" in_fortran
    says made/in_fortran "$fortran_says"
fi

# A configure script, made by autoconf: compilers that work, a header, functions that are there and one that is not.
if command -v autoconf >/dev/null; then
    mkdir configured
    languages='AC_PROG_CC
AC_PROG_CXX'
    [ $fortran = ON ] && languages="$languages
AC_PROG_FC"
    cat >configured/configure.ac <<END
AC_INIT([hello], [1])
$languages
AC_CHECK_HEADERS([mpi.h])
AC_CHECK_FUNCS([MPI_Init MPI_Unknown])
AC_CHECK_SIZEOF([MPI_Comm], [], [[#include <mpi.h>]])
AC_RUN_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]], [[return MPI_Init(0, 0) || MPI_Finalize();]])],
              [AC_MSG_NOTICE([it runs])], [AC_MSG_ERROR([it does not run])])
END
    (cd configured && autoconf &&
        ./configure CC="$bin/orrery-mpicc" CXX="$bin/orrery-mpicxx" FC="$bin/orrery-mpif90") >configure.log 2>&1 ||
        { cat configure.log; fail "configure does not accept the wrappers"; }
    for line in 'MPI_Init... yes' 'MPI_Unknown... no' 'mpi.h... yes' 'MPI_Comm... 4' 'it runs'; do
        grep -q "$line" configure.log || { cat configure.log; fail "configure does not say '$line'"; }
    done
fi

# CMake finds an MPI in the wrappers as compilers, and with other compilers that ask them for flags: then -fPIC, which
# FindMPI leaves out, is to be given by hand.
project() { # project FOLDER FLAG...
    cmake -S "$programs" -B "$@" >cmake.log 2>&1 || { cat cmake.log; fail "CMake does not find MPI: $*"; }
    cmake --build "$1" >build.log 2>&1 || { cat build.log; fail "CMake's project does not build: $*"; }
    says "$1/hello_c" "$ring"
    says "$1/hello_cxx" 'rank 0 of 1: sum 0, 42, caught'
    [ $fortran = OFF ] || says "$1/hello_fortran" "$fortran_says"
}
project as_compilers -DFORTRAN=$fortran -DCMAKE_C_COMPILER="$bin/orrery-mpicc" \
    -DCMAKE_CXX_COMPILER="$bin/orrery-mpicxx" -DCMAKE_Fortran_COMPILER="$bin/orrery-mpif90"
project by_question -DFORTRAN=$fortran -DMPI_C_COMPILER="$bin/orrery-mpicc" \
    -DMPI_CXX_COMPILER="$bin/orrery-mpicxx" -DMPI_Fortran_COMPILER="$bin/orrery-mpif90" \
    -DCMAKE_C_FLAGS=-fPIC -DCMAKE_CXX_FLAGS=-fPIC -DCMAKE_Fortran_FLAGS=-fPIC
