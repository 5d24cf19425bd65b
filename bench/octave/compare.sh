#!/bin/sh
# Compares GNU Octave with this module: the paper's Algorithms 1 to 3 and the Gram recursion at the sizes of Table 2.
#
#   bench/octave/compare.sh              a fifth of the sizes; synthetic digits here, random images in Octave
#   bench/octave/compare.sh 1 mnist      the paper's sizes, on the plain idx files of MNIST in the folder mnist
#
# Each of ROUNDS rounds (3) runs the METHODS in 'blskernel paper' and then in Octave. For each step the
# script prints the seconds of Octave and of blskernel, and their ratio, from the round with the median
# ratio. Both use THREADS threads, by default all, and OCTAVE names Octave's command (octave-cli).
set -eu
scale=${1:-0.2} data=${2:-}
octave=${OCTAVE:-octave-cli} threads=${THREADS:-$(nproc)} methods=${METHODS:-gram,improved/paper,original}
cd "$(dirname "$0")/../.."

if ! command -v "$octave" >/dev/null; then
	echo "compare.sh: $octave is not installed; on Debian and Ubuntu: apt-get install octave libopenblas0-pthread" >&2
	exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${GO:-go} build -o "$work/blskernel" ./cmd/blskernel
from=--embedded
[ -z "$data" ] || from="--data=$data"
for round in $(seq "${ROUNDS:-3}"); do
	echo "round $round" >&2
	"$work/blskernel" paper --table 2 "$from" --size "$scale" --method "$methods" --threads "$threads" --json >"$work/results"
	OPENBLAS_NUM_THREADS=$threads OMP_NUM_THREADS=$threads "$octave" --no-history --norc --quiet --path "$PWD/bench/octave" \
		--eval "bls_compare('$work/results', '$data')" >>"$work/steps"
done
# Sorts the rounds of each step by their ratio and takes the middle round.
sort -k1,1 -k2,2n -k5,5g "$work/steps" | awk '
	function line(m, s, a, b, r) { printf "%-15s %8s %10.3f %13.3f %8.2f\n", m, s, a, b, r }
	function step() { m = int((n + 1) / 2); line(method, samples, octave[m], ours[m], ratio[m]); a += octave[m]; b += ours[m]; n = 0 }
	function all() { line(method, "all", a, b, a / b); a = b = 0 }
	BEGIN { printf "%-15s %8s %10s %13s %8s\n", "method", "samples", "Octave, s", "blskernel, s", "ratio" }
	n && ($1 != method || $2 != samples) { step() }
	method != "" && $1 != method { all() }
	{ n++; method = $1; samples = $2; octave[n] = $3; ours[n] = $4; ratio[n] = $5 }
	END { if (n) { step(); all() } }'
