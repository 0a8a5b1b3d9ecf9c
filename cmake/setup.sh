# What ./quickstart and ./check share: installing the Debian packages of cmake/packages.txt, and building with a line of
# progress. Sourced by both.
# shellcheck shell=bash

say() { printf '%s\n' "$*"; }
die() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# The packages of the groups "$@" that are not installed, one per line.
missing_packages() {
    local group wanted
    for group in "$@"; do
        while read -r wanted; do
            dpkg-query -W -f '${db:Status-Status}\n' "$wanted" 2>/dev/null | grep -qx installed || echo "$wanted"
        done < <(sed -n "s/^$group  *//p" cmake/packages.txt)
    done
}

# Installs what is missing of the groups "$@"; does not call apt when nothing is.
install_packages() {
    if ! command -v dpkg-query >/dev/null; then
        say "This is not Debian: please install what cmake/packages.txt names yourself."
        return
    fi
    local missing as_root=()
    mapfile -t missing < <(missing_packages "$@")
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null ||
            die "packages are missing; as root, please run: apt-get install --no-install-recommends ${missing[*]}"
        as_root=(sudo)
    fi
    say "Installing ${#missing[@]} Debian packages: ${missing[*]}"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        -o Dpkg::Use-Pty=0 "${missing[@]}" >/dev/null
}

# Reads what ninja prints ("[17/214] Building ...") and shows how far it is: one changing line on a terminal, a line for
# each tenth elsewhere.
show_progress() {
    local line done_steps=0 steps=0 begin=$SECONDS left tenth=0 words
    while IFS= read -r line; do
        [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
        done_steps=${BASH_REMATCH[1]} steps=${BASH_REMATCH[2]}
        if [ "$steps" -le 1 ] || [ "$done_steps" -eq 0 ]; then continue; fi
        left=$(((SECONDS - begin) * (steps - done_steps) / done_steps))
        words="step $done_steps of $steps, $((SECONDS - begin)) s, about $left s left"
        if [ -t 1 ]; then
            printf '\r\033[K  %s' "$words"
        elif [ $((10 * done_steps / steps)) -gt $tenth ]; then
            tenth=$((10 * done_steps / steps))
            say "  $words"
        fi
    done
    [ ! -t 1 ] || printf '\r\033[K'
}
