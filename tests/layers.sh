#!/usr/bin/env bash
# Who includes whom in src/. A README whose line `May include:` lists folders (`engine`) or folders within them (`formats/ti`)
# is a rule for all code below it: each folder of src/ has one, subfolders may have stricter ones. No folders of src/ include
# each other in a cycle, and a folder of many files has a README.
#   layers.sh SOURCE_DIR
set -euo pipefail
cd "$1/src"
status=0
complain() { echo "$*"; status=1; }
for folder in */; do
    folder=${folder%/}
    find "$folder" -name '*.cpp' -o -name '*.h' | grep -q . || continue
    grep -qs '^May include: ' "$folder/README.md" || complain "src/$folder/README.md does not say what the folder may include"
done
while read -r readme; do
    folder=$(dirname "$readme")
    allowed=$(sed -n 's/^May include: //p' "$readme" | tr -d ' ' | tr ',' '|')
    for each in ${allowed//|/ }; do
        [ -d "$each" ] || [ -d "../include/$each" ] || complain "src/$readme: there is no folder $each"
    done
    # Generated headers of the folder itself and standard headers are in angle brackets or have no folder.
    if grep -rnE '#include "[a-z_]+/' "$folder" --include='*.cpp' --include='*.h' | grep -vE "#include \"($allowed)/"; then
        complain "src/$folder may include $allowed only"
    fi
done < <(grep -rl '^May include: ' --include=README.md . | sed 's|^\./||' | sort)
cycles=$(grep -rhoE '^#include "[a-z_]+/' --with-filename --include='*.cpp' --include='*.h' . |
    sed -E 's|^\./([a-z_]+)/.*:#include "([a-z_]+)/$|\1 \2|' | awk '$1 != $2' | sort -u | tsort 2>&1 >/dev/null) || true
[ -z "$cycles" ] || complain "folders of src/ include each other in a cycle: $(sed -n 's/^tsort: \([a-z_]*\)$/\1/p' <<<"$cycles" | paste -sd ' ')"
many=10
while read -r files folder; do
    [ "$files" -le $many ] || [ -e "$folder/README.md" ] || complain "src/$folder has $files files and no README"
done < <(find . -name '*.cpp' -o -name '*.h' | sed 's|^\./||; s|/[^/]*$||' | sort | uniq -c)
exit $status
