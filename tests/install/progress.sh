#!/usr/bin/env bash
# The line of progress of ./quickstart, from what ninja prints: a line for each tenth where there is no terminal.
#   progress.sh SOURCE_DIR
set -euo pipefail
# shellcheck source=cmake/setup.sh
. "$1/cmake/setup.sh"

shown=$({
    echo '[0/2] Re-checking globbed directories...'
    for step in $(seq 40); do echo "[$step/40] Building CXX object x.o"; done
    echo 'a line of the compiler'
} | show_progress)
lines=$(wc -l <<<"$shown")
[ "$lines" -eq 10 ] || { echo "expected 10 lines, not $lines: $shown"; exit 1; }
[[ $shown == "  step 4 of 40, "*"step 40 of 40, "*"about 0 s left" ]] || { echo "not as expected: $shown"; exit 1; }
