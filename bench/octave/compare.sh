#!/bin/sh
# Compares GNU Octave with this module: the same algorithms on the same data, step by step in turn. Arguments go to
# bench/octave/compare, which -help describes:
#
#   bench/octave/compare.sh
#   bench/octave/compare.sh --data mnist --enhancement 5000 --initial 10000 --batch 10000 --updates 5 --methods gram
#
# OCTAVE names the command of GNU Octave, octave-cli by default.
set -eu
cd "$(dirname "$0")/../.."

OCTAVE=${OCTAVE:-octave-cli}
GO=${GO:-go}

if ! command -v "$OCTAVE" >/dev/null; then
	cat >&2 <<END
compare.sh: there is no $OCTAVE. Install GNU Octave, with OpenBLAS for its products, and try again:

    Debian, Ubuntu    apt-get install octave libopenblas0-pthread
    Fedora            dnf install octave
    macOS             brew install octave

or set OCTAVE to its command. In MATLAB, or Octave elsewhere, the functions of bench/octave run on exported data:

    go run ./bench/octave/compare -export FOLDER
    bls_run('FOLDER')
END
	exit 1
fi

exec "$GO" run ./bench/octave/compare -octave "$OCTAVE" "$@"
