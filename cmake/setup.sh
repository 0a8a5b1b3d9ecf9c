# What ./quickstart and ./check share: installing the Debian packages of cmake/packages.txt. Sourced by both.
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
        say "This is not Debian: please see to it yourself that what cmake/packages.txt names is there."
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
