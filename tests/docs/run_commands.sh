#!/usr/bin/env bash
# Runs the commands that a page of the manual shows, in the order of the page, in a scratch folder that looks like
# the project after ./quickstart.
#   run_commands.sh SOURCE_DIR PAGE BUILD_DIR
#   run_commands.sh SOURCE_DIR PAGE --installed PREFIX    by what `cmake --install` put there
# A block that opens with ```sh is run; any other block is not. Setting up (cloning, ./quickstart, ./check, cmake)
# is left out: ./check proves it elsewhere.
set -euo pipefail
source_dir=$1 page=$2 build_dir=$3

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp -rL "$source_dir/examples" "$scratch/"

# Of the build folder what ./quickstart builds, which is what the commands of `all` write, and nothing that only the
# tests build. Not by symbolic links: the program looks around where it really stands.
release=$scratch/build/release
copy_what_quickstart_builds() {
    local file name written
    mkdir -p "$release"
    written=$(ninja -C "$build_dir" -t commands all)
    for file in "$build_dir"/*; do
        name=${file##*/}
        case $name in
            orrery-mpi* | include | lib) ;; # the configuration writes them
            orrery* | liborrery*)
                [ -f "$file" ] || continue
                [[ $written == *"-o $name "* || $written == *"-o $name"$'\n'* ]] || continue ;;
            *) continue ;;
        esac
        cp -al "$file" "$release/" 2>/dev/null || cp -a "$file" "$release/"
    done
}
if [ "$build_dir" = --installed ]; then
    release=$4/bin
else
    copy_what_quickstart_builds
fi

commands=$(awk '/^```/ { on = ($0 == "```sh"); next } on' "$source_dir/$page" |
    grep -vE '^(\./quickstart|\./check|git clone|cd orrery|sudo|apt-get|cmake|cpack)\b' || true)
[ -n "$commands" ] || { echo "no commands in $page"; exit 0; }

cd "$scratch"
if [ "$page" = README.md ] && [ "$build_dir" != --installed ]; then
    # It says itself how a shell finds what ./quickstart has built, but shows a command before that.
    commands=$(grep '^export ' <<<"$commands")$'\n'$commands
else
    PATH="$release:$PATH"
fi
bash -euo pipefail -x -c "$commands"
