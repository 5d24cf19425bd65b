#!/bin/sh
# Tests blskernel.m and docs/interchange.md in GNU Octave, or says that it is not installed. BLSKERNEL_REQUIRE=octave makes that a failure.
set -eu
cd "$(dirname "$0")/.."
octave=${OCTAVE:-octave-cli}
if ! command -v "$octave" >/dev/null; then
	echo "octave/test.sh: skipped: $octave is not installed; on Debian and Ubuntu: apt-get install octave" >&2
	case ",${BLSKERNEL_REQUIRE:-}," in *,octave,*) exit 1 ;; esac
	exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${GO:-go} build -o "$work/blskernel" ./cmd/blskernel
folder=$PWD/octave
cd "$work"
# The code of the page, except its setup.
awk '/^```matlab/ { on = 1; next } /^```/ { on = 0 } on && !/^addpath|^setenv/' "$folder/../docs/interchange.md" >page.m
echo "assert(mean(strcmp(y, labels)) > 0.8); assert(Y(:, 2), X(:, 1), 0.5); disp('docs/interchange.md: ok');" >>page.m
BLSKERNEL=$work/blskernel "$octave" --no-history --norc --quiet --path "$folder" --eval 'blskernel_test, randn("seed", 1), page'
