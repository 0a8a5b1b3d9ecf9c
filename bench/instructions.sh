#!/usr/bin/env bash
# Instructions and memory of another build and of this one, on the same inputs: the table of docs/performance.md.
#   instructions.sh OTHER_BUILD [ROW...]
# Callgrind counts a run and one of half its size; their difference is what the rest of the work takes, without starting.
# Prints, per row, millions of instructions of the other build and of this one, their ratio, the peak memory of the larger
# run in MB, both, and "same" if both predict the same time. ROW keeps the rows whose name contains it. BUILD=DIR is this
# build (build/release).
set -euo pipefail
cd "$(dirname "$0")/.."
here=$(readlink -f "${BUILD:-build/release}")
there=$(readlink -f "$1")
shift
wanted=("$@")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
loggops=(--loggops "L=2500ns o=1500ns g=1000ns G=6ns/B O=1ns/B")

cat >crossbar.xml <<'XML'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-1023" speed="10Gf" bw="10GBps" lat="1us"/>
</platform>
XML
seq -f 'n%.0f' 0 1023 >hosts
on=(--on crossbar.xml --hostfile hosts)
smpi=("${on[@]}" --model smpi-compat --set smpi.allreduce=rdb --set smpi.alltoall=basic_linear)

instructions() { # command
    { valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null || echo "x Collected : 0"; } |
        awk '$2 == "Collected" { count = $4 } END { print count }'
}
megabytes() { /usr/bin/time -f %M -o peak "$@" >/dev/null 2>&1 && awk '{ printf "%.1f", $1 / 1024 }' peak || echo "?"; }
predicted() { "$@" 2>/dev/null | grep -oE '"predicted_time_ps":[0-9]+' || true; }

# Name, the smaller size, and what prepares and runs a size: a function of the build folder and the size that sets `command`.
row() {
    local name=$1 small=$2 prepare=$3
    shift 3
    local each count=() peak=() time=() chosen=${#wanted[@]}
    for each in "${wanted[@]}"; do [[ $name != *"$each"* ]] || chosen=0; done
    [[ $chosen == 0 ]] || return 0
    for build in "$there" "$here"; do
        "$prepare" "$build" "$small" "$@"
        local less
        less=$(instructions "${command[@]}")
        "$prepare" "$build" $((2 * small)) "$@"
        count+=($(($(instructions "${command[@]}") - less)))
        peak+=("$(megabytes "${command[@]}")")
        time+=("$(predicted "${command[@]}")")
    done
    if ((count[0] <= 0 || count[1] <= 0)); then
        echo "| $name | does not run with both |"
        return
    fi
    awk -v name="$name" -v a="${count[0]}" -v b="${count[1]}" -v m="${peak[0]}" -v n="${peak[1]}" \
        -v same="$([[ ${time[0]} == "${time[1]}" ]] && echo same || echo "other time")" \
        'BEGIN { printf "| %s | %.2f | %.2f | %.3f | %s, %s MB | %s |\n", name, a / 1e6, b / 1e6, b / a, m, n, same }'
}

# Schedules on loggops, from a file that the build itself has written; computed on the fly; GOAL text that is converted.
schedule() { # build ranks pattern
    "$1/orrery" generate "$3" -n "$2" --bytes 8 -o schedule.orr >/dev/null
    command=("$1/orrery" replay schedule.orr --json --quiet "${loggops[@]}")
}
on_the_fly() { command=("$1/orrery" generate "$3" -n "$2" --bytes 8 --json --quiet "${loggops[@]}"); }
sweep3d() {
    "$1/orrery" extrapolate "$OLDPWD/tests/data/traces/sweep3d-2x2" -n "$2" -o schedule.orr >/dev/null 2>&1
    command=("$1/orrery" replay schedule.orr --json --quiet "${loggops[@]}")
}
goal_text() {
    "$1/orrery" generate dissemination -n "$2" --bytes 8 -o schedule.goal >/dev/null
    command=("$1/orrery" convert schedule.goal converted.orr)
}
# Patterns on a network: network, machine, pattern.
pattern() { command=("$1/orrery" generate "$5" -n "$2" --bytes 64KiB --network "$3" --on "$4" --json --quiet); }
# Traces of bench/gen_ti: workload, ranks, skew, form of the trace, options of the replay.
trace() { # build iterations workload ranks skew form options
    [[ -e $3-$4-$5-$2.$6 ]] || "$here/bench/gen_ti" "$3" "$4" "$2" "$3-$4-$5-$2.$6" --skew "$5" --compute 1e5 >/dev/null
    command=("$1/orrery" replay "$3-$4-$5-$2.$6" "${@:7}" --json --quiet)
}
# The program of bench/emulate: 64 ranks, what it does, options of the run.
emulated() { # build rounds what options
    "$1/orrery-mpicc" -O2 program.c -o program >/dev/null
    command=("$1/orrery" run -n 64 "${@:4}" --compute none --json --quiet ./program "$3" "$2")
}
bench() { command=("$1/bench/$3" "$2" "${@:4}"); } # a benchmark whose first argument is a size
sed -n '/R"(/,/^)"/p' "$OLDPWD/bench/emulate.cpp" | sed 's/.*R"(//; /^)";/d' >program.c


row "dissemination, from a file" 16384 schedule dissemination
row "binomial broadcast, from a file" 131072 schedule binomial-bcast
row "Sweep3D extrapolated" 128 sweep3d
row "linear scatter" 65536 schedule scatter
row "linear gather" 65536 schedule gather
row "linear alltoall on loggops" 128 schedule linear-alltoall
row "dissemination, on the fly" 16384 on_the_fly dissemination
row "text to binary" 4096 goal_text

row "replay compat: compute" 1000 trace compute 64 0 oti "${smpi[@]}"
row "replay compat: ring" 100 trace ring 64 0 oti "${smpi[@]}"
row "replay compat: LU" 100 trace lu 64 0 oti "${smpi[@]}"
row "replay compat: stencil" 20 trace stencil 64 0 oti "${smpi[@]}"
row "replay compat: stencil, skew" 10 trace stencil 64 0.1 oti "${smpi[@]}"
row "replay compat: alltoall" 1 trace alltoall 64 0 oti "${smpi[@]}"
row "replay compat: compute, text" 1000 trace compute 64 0 txt "${smpi[@]}"
row "replay flow: ring" 100 trace ring 64 0 oti "${on[@]}" --network flow
row "replay flow: LU" 100 trace lu 64 0 oti "${on[@]}" --network flow
row "replay flow: stencil" 20 trace stencil 64 0 oti "${on[@]}" --network flow
row "replay flow: stencil, skew" 10 trace stencil 64 0.1 oti "${on[@]}" --network flow
row "replay flow: alltoall" 1 trace alltoall 64 0 oti "${on[@]}" --network flow --collective alltoall=linear
row "replay loggops: stencil" 20 trace stencil 64 0 oti --on odin --network loggops
row "replay loggops: alltoall" 1 trace alltoall 64 0 oti --on odin --network loggops --collective alltoall=linear
row "replay ideal: ring" 100 trace ring 64 0 oti "${on[@]}" --network ideal
row "replay packet: stencil" 1 trace stencil 64 0 oti "${on[@]}" --network packet

row "pattern on packet: alltoall" 16 pattern packet ideal-fat-tree linear-alltoall
row "pattern on kpacket: alltoall" 64 pattern kpacket blue-gene-q-rack linear-alltoall
row "packets: torus" 2 bench packet torus
row "packets: tree" 1 bench packet tree

row "emulation compat: ping-pong" 200 emulated pingpong "${smpi[@]}"
row "emulation compat: ring" 200 emulated ring "${smpi[@]}"
row "emulation compat: allreduce" 40 emulated allreduce "${smpi[@]}"
row "emulation flow: ping-pong" 200 emulated pingpong "${on[@]}" --network flow
row "emulation flow: ring" 200 emulated ring "${on[@]}" --network flow
row "emulation flow: allreduce" 40 emulated allreduce "${on[@]}" --network flow --collective allreduce=recursive-doubling
row "emulation loggops: ping-pong" 200 emulated pingpong --on odin --network loggops
