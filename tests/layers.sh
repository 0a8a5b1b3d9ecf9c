#!/usr/bin/env bash
# Each folder of src/ has a README whose last line says what it may include; this holds the code to it.
#   layers.sh SOURCE_DIR
set -euo pipefail
cd "$1/src"
status=0
for folder in */; do
    folder=${folder%/}
    find "$folder" -name '*.cpp' -o -name '*.h' | grep -q . || continue
    allowed=$(sed -n 's/^May include: //p' "$folder/README.md" | tr -d ' ' | tr ',' '|')
    [ -n "$allowed" ] || { echo "src/$folder/README.md does not say what the folder may include"; status=1; continue; }
    # Generated headers of the folder itself and standard headers are in angle brackets or have no folder.
    if grep -rnE '#include "[a-z_]+/' "$folder" --include='*.cpp' --include='*.h' | grep -vE "#include \"($allowed)/"; then
        echo "src/$folder may include $allowed only"
        status=1
    fi
done
exit $status
