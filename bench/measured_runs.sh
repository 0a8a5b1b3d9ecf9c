#!/usr/bin/env bash
# How well repeated runs agree whose computation is measured here: ten runs of an MPI program with 1,024 ranks, on the
# idle computer and then beside two busy processes. Prints the shortest, the median and the longest predicted time.
#   measured_runs.sh [BUILD_DIR]
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(readlink -f "${1:-build/release}")
scratch=$(mktemp -d)
busy=()
trap 'kill "${busy[@]}" 2>/dev/null || true; rm -rf "$scratch"' EXIT
"$build/orrery-mpicc" -O2 -Iexamples/common examples/heat/heat.c -o "$scratch/heat" -lm

ten_runs() {
    local run
    for run in 1 2 3 4 5 6 7 8 9 10; do
        echo "run $run" >&2
        "$build/orrery" run -n 1024 --on stampede --json "$scratch/heat" --size 512 --steps 20 | tail -n 1 |
            grep -oE '"predicted_time_ps":[0-9]+' | cut -d : -f 2
    done 2>/dev/null | sort -n | awk -v where="$1" '
        { time[NR] = $1 / 1e6 }
        END { printf "%-8s %8.1f %8.1f %8.1f us (least, median, most)\n", where, time[1], (time[5] + time[6]) / 2, time[NR] }'
}
for round in 1 2 3; do
    echo "round $round"
    ten_runs idle
    for _ in 1 2; do
        (while :; do :; done) &
        busy+=($!)
    done
    ten_runs busy
    kill "${busy[@]}"
    busy=()
done
