#!/usr/bin/env bash
# No two types of one namespace have the same name: the linker would keep one of their functions for both.
#   names.sh FOLDER    of the project
set -euo pipefail
cd "$1"
# Code is formatted, so what stands at the beginning of a line is in a namespace and in nothing else.
# The runner of tests/emulate is a program of its own, with empty stand-ins for what it does not need.
# shellcheck disable=SC2016 # these are of awk
find src include tests bench \( -name '*.h' -o -name '*.cpp' \) -not -path '*/runner/*' | sort | xargs awk '
    FNR == 1 { depth = 0 }
    /^(inline )?namespace( [A-Za-z_:]+)? \{$/ {
        name[++depth] = $0 ~ /^namespace \{/ ? "" : $(NF - 1)
        next
    }
    /^\} \/\/ namespace/ { --depth; next }
    /^(struct|class|union|enum class|enum) / {
        line = $0
        sub(/^(struct|class|union|enum class|enum) /, "", line)
        gsub(/alignas\([^)]*\) |\[\[[^]]*\]\] /, "", line)
        type = line
        sub(/[^A-Za-z0-9_:].*/, "", type)
        if (type == "" || type ~ /::/ || line ~ /^[A-Za-z0-9_]+( : [A-Za-z0-9_:]+)?[;<]/) next # of a class; declared; a specialization
        full = ""
        for (i = 1; i <= depth; ++i) {
            if (name[i] == "") next # seen in this file only
            full = full name[i] "::"
        }
        full = full type
        if (full in file && file[full] != FILENAME) {
            printf "%s:%d: %s is another type in %s\n", FILENAME, FNR, full, file[full]
            bad = 1
        }
        file[full] = FILENAME
    }
    END { exit bad }
'
