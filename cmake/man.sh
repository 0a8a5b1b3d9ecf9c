#!/usr/bin/env bash
# Makes manual pages from what the program says of itself: orrery.1 from `orrery --help`, orrery-VERB.1 from
# `orrery VERB --help`.
#   man.sh PROGRAM DIRECTORY
set -euo pipefail
program=$1 directory=$2
mkdir -p "$directory"
rm -f "$directory"/*.1.gz
version=$("$program" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -n 1)

# page NAME ARGUMENT...: one page, from the help that PROGRAM ARGUMENT... --help prints.
page() {
    local name=$1
    shift
    "$program" "$@" --help | awk -v name="$name" -v version="$version" '
        function escape(text) {
            gsub(/\\/, "\\e", text)
            gsub(/-/, "\\-", text)
            sub(/^\./, "\\\\\\&.", text)
            return text
        }
        # Before the usage line: what it is.
        !usage && !/^Usage:/ { if ($0 != "") about = about (about == "" ? "" : "\n") $0; next }
        /^Usage:/ {
            usage = 1
            first = about
            sub(/\n.*/, "", first)
            printf ".TH %s 1 \"\" \"Orrery %s\" \"Orrery manual\"\n", toupper(name), version
            printf ".SH NAME\n%s \\- %s\n", name, escape(first)
            sub(/^Usage: *[^ ]*/, "orrery")
            printf ".SH SYNOPSIS\n%s\n.SH DESCRIPTION\n%s\n", escape($0), escape(about)
            next
        }
        # A heading stands at the margin and ends in a colon; an entry is indented by two, its text begins after two or
        # more blanks or on the next line.
        /^[^ ].*:$/ { sub(/:$/, ""); printf ".SH %s\n", toupper(escape($0)); next }
        /^[^ ]/ { printf ".PP\n%s\n", escape($0); next }
        /^  [^ ]/ {
            sub(/^  /, "")
            at = match($0, /  +/)
            if (at) printf ".TP\n\\fB%s\\fR\n%s\n", escape(substr($0, 1, at - 1)), escape(substr($0, at + RLENGTH))
            else printf ".TP\n\\fB%s\\fR\n", escape($0)
            next
        }
        /[^ ]/ { if (match($0, /^ +/) && RLENGTH > 30) print ".br"; sub(/^ +/, ""); print escape($0) }
    ' | gzip -9n >"$directory/$name.1.gz"
}

page orrery
"$program" --help | awk '/^Subcommands:/ { on = 1; next } /^[^ ]/ { on = 0 } on && /^  [^ ]/ { print $1 }' |
    while read -r verb; do page "orrery-$verb" "$verb"; done
