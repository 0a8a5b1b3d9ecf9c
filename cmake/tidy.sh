#!/usr/bin/env bash
# clang-tidy over src/, unit by unit as it is compiled: a batch of files at a time, in parallel.
#   tidy.sh BUILD_DIR        all units of src/ in BUILD_DIR/compile_commands.json
# What is clean is not checked again, in this clone or another, until it or a header that it includes changes: ccache
# remembers. It takes this script for a compiler, which writes the object, a stamp, if clang-tidy finds nothing:
#   tidy.sh FLAGS... -o STAMP -c SOURCE
set -euo pipefail
: "${CLANG_TIDY:=clang-tidy}" "${CLANG:=clang++}"

# One unit: its directory, command and stamp, with tabs between them. The command has its quotes escaped, as in CMake's
# file.
check_unit() {
    local directory command stamp flags=() words=() w past_compiler=no source=
    IFS=$'\t' read -r directory command stamp <<<"$1"
    # shellcheck disable=SC2001 # bash cannot do it
    command=$(sed 's/\\\(.\)/\1/g' <<<"$command")
    eval "words=($command)" # CMake wrote it for a shell
    for ((w = 0; w < ${#words[@]}; ++w)); do
        case "${words[w]}" in
            -o) ((++w)) ;;
            -c) source=${words[++w]} ;;
            # Files are read as written: without what is precompiled.
            -include) [[ ${words[++w]} = */cmake_pch.hxx ]] || flags+=(-include "${words[w]}") ;;
            -Winvalid-pch | --param=*) ;;
            -*) past_compiler=yes; flags+=("${words[w]}") ;;
            *) [ $past_compiler = no ] || flags+=("${words[w]}") ;;
        esac
    done
    mkdir -p "$(dirname "$stamp")"
    cd "$directory"
    if command -v ccache >/dev/null; then
        ccache "$here" "${flags[@]}" -o "$stamp" -c "$source"
    else
        "$here" "${flags[@]}" -o "$stamp" -c "$source"
    fi || { echo "clang-tidy found something in $source (above)"; return 1; }
}

here=$(readlink -f "$0")
if [ $# -eq 1 ]; then
    build=$(readlink -f "$1")
    export here CLANG_TIDY CLANG CCACHE_COMPILERTYPE=clang CCACHE_NOHASHDIR=true CCACHE_BASEDIR="${here%/cmake/*}"
    CCACHE_COMPILERCHECK="string:$("$CLANG_TIDY" --version | tr -dc '[:alnum:].')"
    export CCACHE_COMPILERCHECK CCACHE_EXTRAFILES="${here%/cmake/*}/.clang-tidy:$here"
    export -f check_unit
    # Of CMake's file: directory and command of each unit that is ours, with a number for its stamp. The largest come
    # first (batches), so that none is left to the end.
    # shellcheck disable=SC2016 # bash -c expands it
    awk -v build="$build" '
        /^  "directory"/ { sub(/^  "directory": "/, ""); sub(/",$/, ""); directory = $0 }
        /^  "command"/ { sub(/^  "command": "/, ""); sub(/",$/, ""); command = $0 }
        command ~ / -o (tests|bench)\// { next } # what tests compile once more is checked where it belongs
        /^  "file"/ && (/\/src\/.*\.cpp"/ || /\/Unity\/unity_/) && !/\/tests\// && !/\/bench\// && !/\/generated\// {
            batch = /\/Unity\//
            printf "%d\t%s\t%s\t%s/tidy/%d\n", !batch, directory, command, build, ++n
        }' "$build/compile_commands.json" | sort -s -n -k 1,1 | cut -f 2- | tr '\n' '\0' |
        xargs -0 -P "$(nproc)" -I '{}' bash -euo pipefail -c 'check_unit "$1"' - '{}'
    exit
fi

flags=()
stamp=
source=
while [ $# -gt 0 ]; do
    case "$1" in
        -E) preprocess=yes; flags+=("$1") ;;
        -o) stamp=$2; shift ;;
        -c) ;;
        *.cpp | *.cxx) source=$1 ;;
        *) flags+=("$1") ;;
    esac
    shift
done
flags+=(-Wno-unknown-warning-option)
if [ -n "${preprocess:-}" ]; then
    exec "$CLANG" "${flags[@]}" ${stamp:+-o "$stamp"} "$source"
fi
# A batch stands in the build folder: the rules are those of the folder whose files it includes.
rules=()
first=$(sed -n 's/^#include "\(.*\.cpp\)"$/\1/p;/^#include/q' "$source")
if [ "${source##*.}" = cxx ] && [ -n "$first" ]; then
    folder=$(dirname "$first")
    while [ ! -e "$folder/.clang-tidy" ]; do folder=$(dirname "$folder"); done
    rules=(--config-file="$folder/.clang-tidy")
fi
"$CLANG_TIDY" --quiet "${rules[@]}" "$source" -- "${flags[@]}" 2> >(grep -vE '^[0-9]+ warnings? (and [0-9]+ errors? )?generated' >&2)
echo clean >"$stamp"
