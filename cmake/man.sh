#!/usr/bin/env bash
# Makes manual pages from what the program says of itself: orrery.1 from `orrery --help-all`, orrery-VERB.1 from
# `orrery VERB --help-all`, and so on for the verbs of a verb.
#   man.sh PROGRAM DIRECTORY
set -euo pipefail
program=$1 directory=$2
export COLUMNS=100
mkdir -p "$directory"
rm -f "$directory"/*.1.gz
version=$("$program" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -n 1)

# page NAME ARGUMENT...: one page, from the help that PROGRAM ARGUMENT... --help-all prints.
page() {
    local name=$1
    shift
    "$program" "$@" --help-all | awk -v name="$name" -v version="$version" '
        function escape(text) {
            gsub(/\\/, "\\e", text)
            gsub(/-/, "\\-", text)
            sub(/^[.'"'"']/, "\\\\\\&&", text)
            return text
        }
        /^Usage:/ { sub(/^Usage: */, ""); usage = $0; next }
        !begun && usage != "" && /^       / { sub(/^ +/, " "); usage = usage $0; next }
        # After the usage line: what it is, in one paragraph.
        !begun && /^[A-Z][A-Za-z ]*:$/ {
            begun = 1
            sub(/^ /, "", about)
            first = about
            sub(/\.$/, "", first)
            printf ".TH %s 1 \"\" \"Orrery %s\" \"Orrery manual\"\n", toupper(name), version
            printf ".SH NAME\n%s \\- %s\n", name, escape(first)
            printf ".SH SYNOPSIS\n%s\n.SH DESCRIPTION\n%s\n", escape(usage), escape(about)
        }
        !begun { if ($0 != "") about = about " " $0; next }
        # A heading stands at the margin and ends in a colon; an entry is indented by two, its text begins after two or
        # more blanks or on the next line.
        /^[A-Z][A-Za-z ]*:$/ {
            sub(/:$/, "")
            examples = /^Examples?$/
            printf ".SH %s\n", toupper(escape($0))
            next
        }
        /^[^ ]/ { printf "%s%s\n", paragraph ? "" : ".PP\n", escape($0); paragraph = 1; next }
        { paragraph = 0 }
        examples && /^  [^ ]/ { sub(/^  /, ""); printf ".PP\n.nf\n%s\n.fi\n", escape($0); next }
        /^  [^ ]/ {
            sub(/^  /, "")
            at = match($0, /  +/)
            if (at) printf ".TP\n\\fB%s\\fR\n%s\n", escape(substr($0, 1, at - 1)), escape(substr($0, at + RLENGTH))
            else printf ".TP\n\\fB%s\\fR\n", escape($0)
            next
        }
        /[^ ]/ { if (match($0, /^ +/) && RLENGTH > 40) print ".br"; sub(/^ +/, ""); print escape($0) }
    ' | gzip -9n >"$directory/$name.1.gz"
}

# verbs ARGUMENT...: the verbs that PROGRAM ARGUMENT... has. Their names stand by themselves, below a heading.
verbs() {
    "$program" "$@" --help-all | awk '
        /^[^ ]/ { on = /:$/ && !/^(Usage|Example|Examples|Options|Arguments|Values|Output):/ }
        on && /^  [a-z][a-z-]*  / { print $1 }'
}

page orrery
for verb in $(verbs); do
    page "orrery-$verb" "$verb"
    [ "$verb" = machine ] || continue
    for below in $(verbs machine); do page "orrery-machine-$below" machine "$below"; done
done
