#!/usr/bin/env bash
# Installs the build into a scratch prefix, then builds, links and runs a project that knows nothing but that prefix:
# examples/api, whose output must be as expected. Then MPI programs, with the installed wrappers, headers and libraries.
#   outside_project.sh BUILD_DIR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build_dir=$1

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix
cmake --install "$build_dir" --prefix "$prefix" >"$scratch/install.log"

for file in bin/orrery bin/orrery-mpicc bin/orrery-mpicxx bin/orrery-mpif90 include/orrery/orrery.h \
    include/orrery/emulate.h include/orrery/mpi/mpi.h include/orrery/mpi/mpif.h include/orrery/mpi/smpi/smpi.h \
    lib/orrery/liborrery_mpi.so lib/orrery/liborrery_blas.so share/man/man1/orrery.1.gz share/man/man1/orrery-replay.1.gz \
    share/man/man1/orrery-machine-show.1.gz share/bash-completion/completions/orrery \
    share/zsh/vendor-completions/_orrery share/fish/vendor_completions.d/orrery.fish \
    share/doc/orrery/README.md share/doc/orrery/copyright; do
    [ -s "$prefix/$file" ] || { echo "not installed: $file"; exit 1; }
done
"$prefix/bin/orrery" --version

cmake -G Ninja -S "$here/../../examples/api" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release
cmake --build "$scratch/build"
"$scratch/build/broadcast" | diff "$here/../../examples/api/expected.txt" -

cd "$scratch"
"$prefix/bin/orrery-mpicc" -O1 "$here/../emulate/programs/annotated.c" -o annotated -lorrery_blas -lm
said=$("$prefix/bin/orrery" run -n 4 --on ideal-fat-tree --map-by roundrobin --compute none ./annotated)
[[ $said == *"No Errors"* ]] || { echo "an emulated program says: $said"; exit 1; }
./annotated
