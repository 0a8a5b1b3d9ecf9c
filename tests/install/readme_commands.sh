#!/usr/bin/env bash
# Installs what is built, and runs the commands of the README with the installed program.
#   readme_commands.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source_dir=$1 build_dir=$2

prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install "$build_dir" --prefix "$prefix" >"$prefix/install.log"
"$source_dir/tests/docs/run_commands.sh" "$source_dir" README.md --installed "$prefix"
