#!/bin/sh
# Measures the results that the page shows, and makes the page.
#
#	measure.sh quick OUT          small sizes on the embedded data, under a minute
#	measure.sh cpu OUT [DATA]     products, inverses, and Table 2 by the planner's method, in half an hour
#	measure.sh full OUT [DATA]    the paper's sizes; DATA has the files of MNIST and, if available, small NORB
#
# OUT is a folder for the results and the page. A quick run first removes the results of the last one. A
# full run takes four to seven hours on two idle cores and 20 GB of memory, the short measurements first. The
# others keep files that OUT has, so they go on after an interruption. Without DATA they leave Tables 2 to 5
# and the accuracies out.
#
# BACKEND chooses the backend, pure by default. The speeds are of all backends of the machine. RUNS is the
# number of runs of each of Tables 2 to 9, 3 by default.
set -eu

usage() {
	sed -n 's/^#\t//p' "$0" >&2
	exit 2
}

[ $# -ge 2 ] || usage
size=$1 out=$2 data=${3:-}
backend=${BACKEND:-pure} runs=${RUNS:-3}
every=original,improved/paper,gram,qr,ridge-inverse,inverse-cholesky,planner

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
${GO:-go} build -C "$root" -buildvcs=auto -o "$work/blskernel" ./cmd/blskernel
blskernel="$work/blskernel"
mkdir -p "$out"

# paper FILE FLAG... makes a file of tables. A file that is there stays. What an interrupted run measured
# is in FILE.part until the next one. A run during which the peak moved is repeated, twice at most.
paper() {
	file=$out/$1
	shift
	[ -e "$file" ] && return
	attempts=1
	while
		echo "paper $*" >&2
		"$blskernel" paper "$@" --backend "$backend" --json >"$file.part" || exit 1
		[ $attempts -lt 3 ] && disturbed "$file.part"
	do
		attempts=$((attempts + 1))
	done
	sed "1s/}\$/,\"attempts\":$attempts}/" "$file.part" >"$work/made"
	mv "$work/made" "$file"
	rm "$file.part"
}

# disturbed FILE reports whether the FMA peak moved by more than 15% during a run.
disturbed() {
	grep -o '"peak":[0-9.e+]*' "$1" |
		awk -F: '!n++ || $2 < low { low = $2 } $2 > high { high = $2 } END { exit !(n && high > 1.15 * low) }'
}

# measure COMMAND... appends the lines that a command prints to the file that is being made.
measure() {
	echo "$*" >&2
	"$blskernel" "$@" --json >>"$work/lines"
}

# whole FILE FUNCTION makes a file of the lines that the function measures, unless the file exists.
whole() {
	[ -e "$out/$1" ] && return
	: >"$work/lines"
	"$2"
	mv "$work/lines" "$out/$1"
}

# All cases of operations on matrices, of decompositions, of operations on a matrix and vectors and on
# vectors, and of gonum's mat. Each kind has its own orders.
# shellcheck disable=SC2086 # the last argument is words
speed() {
	measure bench --op dgemm,dsyrk,dsyr2k,dsymm,dtrmm,dtrsm,dgemmtp,dsprk,dspmm,cholesky-inverse,ldlt-inverse,lu-inverse,lu-solve \
		--n "$1" --rounds "$5" $6
	measure bench --op qr,eigensym,svd,eigen --n "$2" --rounds "$5" $6
	measure bench --op dgemv,dger,dsymv,dspmv,dsyr,dspr --n "$3" --rounds "$5" $6
	measure bench --op ddot,daxpy --n "$4" --rounds "$5" $6
	measure bench --op mat.Mul,mat.Cholesky,mat.Inverse --n "$2" --backend pure --rounds "$5" $6
}

quick_speed() { speed 30,100,300 30,100 100,1000 1000,10000 1 '--min-time 2ms --opponents=false'; }
full_speed() {
	speed 8,32,64,128,256,512,1000,2000 30,100,300,1000 32,100,500,1000,2000,4000 100,1000,10000,20000 5 '--min-time 20ms'
}

cpu_speed() {
	measure bench --op dgemm --n 64,128,256,512,1000,2000 --min-time 20ms
	measure bench --op dsyrk,dsymm,dtrmm,dtrsm --n 64,128,256,512,1000 --rounds 9 --min-time 20ms
	measure bench --op cholesky-inverse,ldlt-inverse,lu-inverse --n 64,128,256,300,512,1000,2000 --min-time 20ms
}

planner() { [ -z "$data" ] || paper "$1" --table 2 --data "$data" --method planner --runs "$runs"; }

# avx2 SPEED measures with kernels for AVX2 if the CPU has AVX-512. SPEED is a function.
avx2() {
	"$blskernel" info | grep -q '^kernel: avx512' || return 0
	(
		export BLSKERNEL_KERNEL=avx2 OPENBLAS_CORETYPE=Haswell
		whole speed-avx2.jsonl "$1"
		planner planner-avx2.jsonl
	)
}

# The threads of a product, next to a process that keeps a CPU busy.
beside() { measure bench --op dgemm --case NN,TN --beside 1 --n 64,128,256,512,1000,2000 --rounds 9 --min-time 20ms; }

predicted() { measure flops --validate --calibrate --rounds 9; }

case $size in
quick)
	for file in table1 tables methods speed; do rm -f "$out/$file.jsonl"; done
	paper table1.jsonl --table 1
	paper tables.jsonl --table 2,3,4,5,6,7,8 --embedded --size 0.04 --retrain --runs "$runs"
	paper methods.jsonl --table 9 --size 0.04 --retrain --method "$every"
	whole speed.jsonl quick_speed
	;;
cpu)
	whole speed.jsonl cpu_speed
	planner planner.jsonl
	avx2 cpu_speed
	;;
full)
	paper table1.jsonl --table 1
	whole predicted.jsonl predicted
	whole speed.jsonl full_speed
	whole beside.jsonl beside
	avx2 full_speed
	for table in 6 7 8; do
		paper table$table.jsonl --table $table ${data:+--data "$data"} --retrain --runs "$runs"
	done
	# By every method: of the tables with several updates the cheapest.
	paper table9.jsonl --table 9 ${data:+--data "$data"} --retrain --runs "$runs" --method "$every"
	if [ -n "$data" ]; then
		paper accuracy.jsonl --table 2 --data "$data" --method planner --runs 20
		# By the recipe of the text lambda is 0, and A'A singular to working precision.
		paper text.jsonl --table 2 --data "$data" --recipe text --method qr --runs 3
		# Another ridge and scale, chosen on the last 10,000 training samples.
		paper chosen.jsonl --table 2 --data "$data" --method planner --runs 3 --lambda 2^-18 --shrink 1.6
		for table in 3 2 5 4; do
			paper table$table.jsonl --table $table --data "$data" --retrain --runs "$runs"
		done
	else
		echo "without a folder of data, Tables 2 to 5, accuracy.jsonl, text.jsonl and chosen.jsonl are left out" >&2
	fi
	;;
*) usage ;;
esac
rm -f "$out"/plots/*.svg # plots of results that are no longer there
"$blskernel" report --results "$out" --out "$out" >/dev/null
echo "the page is $out/README.md, with plots in $out/plots" >&2
