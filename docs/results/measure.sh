#!/bin/sh
# Measures what the results page shows, and makes the page.
#
#	measure.sh quick OUT          small sizes on the embedded data, under a minute
#	measure.sh full OUT [DATA]    the paper's sizes; DATA has the files of MNIST and, if they are to be had, small NORB
#
# OUT is a folder for the results and the page. The full run takes two to three hours on two cores and 20 GB of memory, and
# goes on with what is already in OUT where it was interrupted: a finished file is not measured again. Nothing else
# should run on the machine meanwhile. BACKEND chooses the backend of the paper's tables, pure by default.
set -eu

usage() {
	sed -n 's/^#\t//p' "$0" >&2
	exit 2
}

[ $# -ge 2 ] || usage
size=$1 out=$2 data=${3:-}
backend=${BACKEND:-pure}
mkdir -p "$out"

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
${GO:-go} build -C "$root" -o "$work/blskernel" ./cmd/blskernel
blskernel="$work/blskernel"

# lines FILE COMMAND... keeps the JSON lines that the command prints, once it has finished.
lines() {
	file=$out/$1
	shift
	[ -e "$file" ] && return
	echo "$*" >&2
	"$blskernel" "$@" --json >"$work/lines"
	mv "$work/lines" "$file"
}

# paper FILE FLAG... runs tables of the paper, or goes on with them.
paper() {
	file=$out/$1
	shift
	echo "paper $*" >&2
	"$blskernel" paper "$@" --backend "$backend" --out "$file" --resume >/dev/null
}

case $size in
quick)
	paper tables.jsonl --table 1,2,3,4,5,6,7,8,9 --embedded --scale 0.04 --retrain --runs 3 --predict=false
	lines crossover.jsonl crossover --k 200 --l 2000 --q 1,3,10,30,100,300,1000 --rounds 3 --predict=false
	lines growth.jsonl growth --seeds 2
	lines speed.jsonl bench --op dgemm,dsyrk,cholesky-inverse,ldlt-inverse,lu-inverse --n 30,100,300 --rounds 3 --opponents none
	;;
full)
	for table in 2 3 4 5 6 7 8 9; do
		paper table$table.jsonl --table $table ${data:+--data "$data"} --retrain
	done
	paper table1.jsonl --table 1
	if [ -n "$data" ]; then
		paper accuracy.jsonl --table 2 --data "$data" --methods planner --runs 10
		# The paper's recipe with another ridge and scale, chosen on the last 10,000 training samples.
		paper chosen-held-out.jsonl --table 2 --data "$data" --methods planner --runs 3 --lambda 2^-18 --shrink 1.6 --held-out 10000
		paper chosen.jsonl --table 2 --data "$data" --methods planner --runs 10 --lambda 2^-18 --shrink 1.6
	fi
	lines crossover.jsonl crossover
	lines growth.jsonl growth
	lines speed.jsonl bench --op dgemm,dsyrk,dsymm,dtrmm,dtrsm,dsprk,cholesky-inverse,ldlt-inverse,lu-inverse \
		--n 30,100,300,1000,2000,4000 --threads 2 --rounds 3
	lines predicted.jsonl flops --validate
	;;
*) usage ;;
esac
"$blskernel" report --results "$out" --out "$out" >"$work/summary"
mv "$work/summary" "$out/summary.txt"
echo "the page is $out/index.html, what it says in sentences $out/summary.txt" >&2
