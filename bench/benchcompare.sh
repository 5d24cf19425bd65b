#!/bin/sh
# Runs the testing benchmarks of a package on several backends and prints benchstat's table with a column for each
# backend. Every round runs all backends, each in its own process, in alternating order, so that a disturbance of the
# machine affects all of them.
#
#   BENCH='Operation/op=(dgemm|dtrsm)' COUNT=10 bench/benchcompare.sh
#   BENCH=Updater/call=Update BENCHFLAGS='-k 1000 -l 10000 -q 100,1000' bench/benchcompare.sh
#
# BENCH       regular expressions for -bench, separated by spaces: for the name and, after a slash, for the keys that
#             follow the backend's; default: the products, factorizations and updates that represent the rest
# COUNT       rounds, 6 by default: the fewest for which benchstat reports a 95% interval
# BENCHTIME   for -benchtime, 100ms by default
# PKG         folder of the package, ./bench/benchmarks by default
# BACKENDS    default "pure openblas"; also pure/avx2 and other kernels, which have columns of their own
# BENCHFLAGS  more flags for the test binary
# OUT         file for a copy of the output of the benchmarks; like PKG, relative to the root of the repository
set -eu
cd "$(dirname "$0")/.."

benchstat=golang.org/x/perf/cmd/benchstat@v0.0.0-20250605212013-b481878a17be
BENCH=${BENCH-'^BenchmarkLapack$/^op=AppendRows$ ^BenchmarkUpdater$/^call=Update$ ^BenchmarkBls$/^call=Fit$ ^BenchmarkOperation$/^op=(dgemm|dsyrk|dtrsm|dsprk|cholesky-inverse|ldlt-inverse|lu-inverse)$'}
COUNT=${COUNT:-6}
BENCHTIME=${BENCHTIME:-100ms}
PKG=${PKG:-./bench/benchmarks}
BACKENDS=${BACKENDS:-pure openblas}
BENCHFLAGS=${BENCHFLAGS:-}
GO=${GO:-go}

fail() {
	echo "benchcompare: $*" >&2
	exit 1
}

case $COUNT in
'' | *[!0-9]* | 0) fail "COUNT=$COUNT is not a positive integer" ;;
esac
[ -d "$PKG" ] || fail "PKG=$PKG is not a folder of this repository; the default is ./bench/benchmarks"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# Fail early: without benchstat there would be no table at the end.
"$GO" build -o "$work/blskernel" ./cmd/blskernel
"$GO" test -c -o "$work/benchmarks" "$PKG" || fail "$PKG does not compile"
[ -x "$work/benchmarks" ] || fail "$PKG has no tests, and so no benchmarks"
if GOBIN="$work" "$GO" install "$benchstat" 2>"$work/install"; then
	table=$work/benchstat
elif table=$(command -v benchstat); then
	echo "benchcompare: cannot install $benchstat; using $table" >&2
else
	cat "$work/install" >&2
	fail "cannot install $benchstat (GOPROXY=$("$GO" env GOPROXY)), and there is no benchstat in the PATH"
fi

usable=
for backend in $BACKENDS; do
	if BLSKERNEL_BACKEND=$backend "$work/blskernel" info >"$work/info" 2>&1; then
		usable="$usable $backend"
	else
		echo "benchcompare: skipping the backend $backend, which cannot be used:" >&2
		sed 's/^/    /' "$work/info" >&2
	fi
done
[ -n "$usable" ] || fail "none of the backends $BACKENDS can be used here"
case $usable in
" "*" "*) ;;
*) echo "benchcompare: only one backend,$usable, so the table compares nothing" >&2 ;;
esac

# select_on BACKEND prints BENCH with the key of the backend, which is the first key after the name.
select_on() (
	set -f
	pattern=
	for each in $BENCH; do
		head=${each%%/*}
		pattern="$pattern|($head)/^backend=$1\$${each#"$head"}"
	done
	echo "${pattern#|}"
)

: >"$work/results"
round=0
while [ "$round" -lt "$COUNT" ]; do
	round=$((round + 1))
	order=$usable
	if [ $((round % 2)) -eq 0 ]; then
		order=
		for backend in $usable; do order="$backend $order"; done
	fi
	for backend in $order; do
		echo "benchcompare: round $round of $COUNT, $backend" >&2
		# The benchmarks name the backend of a kernel pure. BENCHFLAGS is split into words.
		# shellcheck disable=SC2086
		(
			cd "$PKG"
			case $backend in
			*/*) export BLSKERNEL_KERNEL="${backend#*/}" ;;
			esac
			"$work/benchmarks" -test.run '^$' -test.bench "$(select_on "${backend%%/*}")" \
				-test.benchtime "$BENCHTIME" -test.timeout 0 $BENCHFLAGS
		) >"$work/output" || {
			cat "$work/output" >&2
			fail "the benchmarks fail on $backend"
		}
		case $backend in
		*/*) sed "s|/backend=${backend%%/*}|/backend=${backend%%/*}-${backend#*/}|" "$work/output" ;;
		*) cat "$work/output" ;;
		esac >>"$work/results"
	done
done

grep -q '^Benchmark' "$work/results" || fail "no benchmark of $PKG with a key backend= matches BENCH=$BENCH"
[ -z "${OUT:-}" ] || cp "$work/results" "$OUT"
"$table" -col /backend "$work/results"
