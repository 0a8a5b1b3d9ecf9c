#!/usr/bin/env bash
# clang-tidy over one source file, with every set of flags that it is compiled with:
#   tidy.sh COMPILE_COMMANDS SOURCE STAMP
# What is clean is not looked at again, in this clone or another, until it or a header that it includes changes: ccache
# remembers. It takes this script for a compiler, which writes the stamp if clang-tidy has nothing to say:
#   tidy.sh FLAGS... -o STAMP -c SOURCE
set -euo pipefail
: "${CLANG_TIDY:=clang-tidy}" "${CLANG:=clang++}"

if [ $# -eq 3 ] && [ "${1##*/}" = compile_commands.json ]; then
    export CLANG_TIDY CLANG CCACHE_COMPILERTYPE=clang
    here=$(readlink -f "$0")
    version=$("$CLANG_TIDY" --version | tr -dc '[:alnum:].')
    export CCACHE_COMPILERCHECK="string:$version" CCACHE_EXTRAFILES="${here%/cmake/*}/.clang-tidy:$here"
    # Of CMake's file: directory, command and file of each entry, on a line each, with quotes escaped.
    mapfile -t entries < <(awk -v file="  \"file\": \"$2\"" '/^  "directory"/ { where = $0 }
                                                            /^  "command"/ { command = $0 }
                                                            index($0, file) == 1 { print where; print command }' "$1")
    [ ${#entries[@]} -gt 0 ] || { echo "$2 is not compiled: nothing to look at" >&2; exit 1; }
    for ((i = 0; i < ${#entries[@]}; i += 2)); do
        directory=${entries[i]#*\": \"}
        command=${entries[i + 1]#*\": \"}
        # shellcheck disable=SC2001 # bash cannot do it
        command=$(sed 's/\\\(.\)/\1/g' <<<"${command%\",}")
        words=()
        eval "words=($command)" # CMake wrote it for a shell
        flags=()
        past_compiler=no
        for ((w = 0; w < ${#words[@]}; ++w)); do
            case "${words[w]}" in
                -o) ((++w)) ;;
                -c) ;;
                -*) past_compiler=yes; flags+=("${words[w]}") ;;
                *) [ $past_compiler = no ] || [ "${words[w]}" = "$2" ] || flags+=("${words[w]}") ;;
            esac
        done
        cd "${directory%\",}"
        if [ -n "${CCACHE:-}" ]; then
            "$CCACHE" "$here" "${flags[@]}" -o "$3" -c "$2"
        else
            "$here" "${flags[@]}" -o "$3" -c "$2"
        fi
    done
    exit 0
fi

flags=()
stamp=
source=
while [ $# -gt 0 ]; do
    case "$1" in
        -E) preprocess=yes; flags+=("$1") ;;
        -o) stamp=$2; shift ;;
        -c) ;;
        *.cpp) source=$1 ;;
        *) flags+=("$1") ;;
    esac
    shift
done
flags+=(-Wno-unknown-warning-option)
if [ -n "${preprocess:-}" ]; then
    exec "$CLANG" "${flags[@]}" ${stamp:+-o "$stamp"} "$source"
fi
"$CLANG_TIDY" --quiet "$source" -- "${flags[@]}" 2> >(grep -vE '^[0-9]+ warnings? (and [0-9]+ errors? )?generated' >&2)
echo clean >"$stamp"
