#!/usr/bin/env bash
# Builds the wheels and the source archive twice, the second time from an unpacked source archive with an empty cache, and compares.
# Installs the wheel without Go, and the source archive with it. Tests the library for aarch64 in emulation if qemu is there.
#
#     check_wheel.sh PYTHON [here]
#
# "here" builds for this machine alone, and keeps the build cache: in seconds, for CI.
set -euo pipefail
cd "$(dirname "$0")/.."
python="$1" arch="--arch all"
work="$(mktemp -d)"
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
SOURCE_DATE_EPOCH="$(git log -1 --format=%ct)"
export SOURCE_DATE_EPOCH
cache="$work/cache"
if [ "${2:-}" = here ]; then arch="" cache="$(go env GOCACHE)"; fi

"$python" python/build_backend.py sdist --out "$work/one"
"$python" python/build_backend.py wheel $arch --out "$work/one"
mkdir "$work/source"
tar -xzf "$work"/one/*.tar.gz -C "$work/source" --strip-components 1
GOCACHE="$cache" "$python" "$work/source/python/build_backend.py" wheel $arch --out "$work/two"
"$python" "$work/source/python/build_backend.py" sdist --out "$work/two"
(cd "$work/one" && sha256sum -- *) >"$work/sums"
(cd "$work/two" && sha256sum --quiet -c "$work/sums")
echo "both builds are the same"

use='import numpy, blskernel; assert blskernel.linalg.matmul([[2.0]], [[3.0]])[0, 0] == 6; print(blskernel.info(), blskernel.__file__)'
for file in "$work"/one/*_"$(uname -m)".whl "$work"/one/*.tar.gz; do
	path="$PATH"
	case "$file" in *.whl) path=/usr/bin:/bin ;; esac # without Go
	PATH="$path" "$python" -m pip install --quiet --no-index --no-deps --disable-pip-version-check --root-user-action ignore --target "$work/env" "$file"
	(cd "$work" && PATH="$path" PYTHONPATH="$work/env" "$python" -c "$use")
	rm -rf "$work/env"
done

if [ "${2:-}" = here ]; then exit; fi
if ! command -v qemu-aarch64 >/dev/null; then
	echo "the wheel for aarch64 is not tested: install qemu-user"
	exit
fi
mkdir "$work/arm64"
"$python" -m zipfile -e "$work"/one/*_aarch64.whl "$work/arm64"
aarch64-linux-gnu-gcc -std=c99 -Wall -Wextra -Werror -Ipython/native -o "$work/arm64/border" python/tests/border.c -ldl
# With PYTHON_ARM64, a command that runs a Python for aarch64 with NumPy and pytest, the tests of the interface run too.
if [ -n "${PYTHON_ARM64:-}" ]; then
	cp -r python/tests "$work/arm64/tests"
	(cd "$work/arm64" && PYTHONPATH="$work/arm64" $PYTHON_ARM64 -m pytest -q -p no:cacheprovider tests/test_{native,ridge,linalg,fuzz}.py -k 'not million and not environment')
fi
qemu-aarch64 -L "${ARM64_ROOT:-/usr/aarch64-linux-gnu}" "$work/arm64/border" "$work/arm64/blskernel/libblskernel.so"
