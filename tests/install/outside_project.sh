#!/usr/bin/env bash
# Installs the build into a scratch prefix, then builds, links and runs a project that knows nothing but that prefix:
# examples/api, whose output must be as expected.
#   outside_project.sh BUILD_DIR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build_dir=$1

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix
cmake --install "$build_dir" --prefix "$prefix" >"$scratch/install.log"

for file in bin/orrery include/orrery/orrery.h share/man/man1/orrery.1.gz share/man/man1/orrery-replay.1.gz \
    share/doc/orrery/README.md share/doc/orrery/copyright; do
    [ -s "$prefix/$file" ] || { echo "not installed: $file"; exit 1; }
done
"$prefix/bin/orrery" --version

cmake -G Ninja -S "$here/../../examples/api" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release
cmake --build "$scratch/build"
"$scratch/build/broadcast" | diff "$here/../../examples/api/expected.txt" -
