#!/usr/bin/env bash
# Makes the Debian package, looks at what is in it, and runs the program from it.
#   debian_package.sh BUILD_DIR
set -euo pipefail
build_dir=$1

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
cpack -G DEB --config "$build_dir/CPackConfig.cmake" -B "$scratch/pack" >cpack.log 2>&1 || { cat cpack.log; exit 1; }
package=$(echo "$scratch"/pack/orrery_*.deb)

dpkg-deb --info "$package"
depends=$(dpkg-deb --field "$package" Depends)
for needed in libc6 'libstdc++6' libfmt; do
    [[ $depends == *"$needed"* ]] || { echo "the package does not depend on $needed, but on: $depends"; exit 1; }
done

if [[ $depends == *mpi* ]]; then
    echo "the package depends on an MPI: $depends"
    exit 1
fi
maintainer=$(dpkg-deb --field "$package" Maintainer)
[ "$maintainer" = "The Orrery developers" ] || { echo "the maintainer is $maintainer"; exit 1; }

dpkg-deb --extract "$package" tree
for file in usr/bin/orrery usr/bin/orrery-mpicc usr/include/orrery/orrery.h usr/include/orrery/emulate.h \
    usr/include/orrery/mpi/mpi.h usr/lib/orrery/liborrery_mpi.so usr/lib/orrery/liborrery_blas.so usr/lib/liborrery.so \
    usr/lib/cmake/orrery/orrery-config.cmake \
    usr/share/bash-completion/completions/orrery usr/share/zsh/vendor-completions/_orrery \
    usr/share/fish/vendor_completions.d/orrery.fish usr/share/man/man1/orrery.1.gz usr/share/doc/orrery/copyright; do
    [ -e "tree/$file" ] || { echo "not in the package: $file"; dpkg-deb --contents "$package"; exit 1; }
done
if grep -rIl "$build_dir" tree; then
    echo "the files above name the build directory"
    exit 1
fi
tree/usr/bin/orrery --version
