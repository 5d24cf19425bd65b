// Package benchmarks contains testing benchmarks of the operations that take most of a program's time:
// products, factorizations, updates and models, on every usable backend. It contains only tests.
//
//	go test -run '^$' -bench 'Operation//op=(dgemm|dsyrk)' ./bench/benchmarks
//	go test -run '^$' -bench 'Updater//call=Update' ./bench/benchmarks -l 10000 -k 1000 -q 100,1000
//	make benchcompare BENCH='Lapack/op=Cholesky'
//
// # Names
//
// BenchmarkOperation measures the operations of package speed. BenchmarkLapack, BenchmarkUpdater and
// BenchmarkBls measure functions and methods of lapack, blsupdate and bls; call=Update is AddInputs
// followed by Weights. The names of sub-benchmarks are keys and values, the backend first:
//
//	BenchmarkOperation/backend=pure/op=dgemm/args=NN/n=256
//	BenchmarkLapack/backend=pure/op=Cholesky.Refine/n=256
//	BenchmarkUpdater/backend=openblas/call=Update/method=gram/form=auto/l=1000/k=200/q=50
//
// Thus benchstat -col /backend has a column for each backend, and -col /method for each method.
//
// # Sizes
//
// The defaults are small: -benchtime 1x runs the whole list quickly. Flags after the package set other
// sizes: -orders for matrices, -l, -k, -q and -targets for updates. go test -cpu sets the threads.
//
// # Timing
//
// GFLOP/s are computed from the nominal flops in package speed, in package lapack's documentation and
// in blsupdate.Model. Each call is made once before it is timed.
//
// If a call overwrites its input, the input is restored before each call. Only the call is timed, and
// ns/op is computed from these times. StopTimer and StartTimer are not used: they would stop the world
// for each call, and a benchmark would last until its calls alone took a second. Therefore -benchtime
// includes the time to restore inputs, and calls find threads asleep and caches cold. Operations of
// levels 1 and 2 can be as short as reading the clock, so their input is not restored before each call.
//
// The backends run one after the other, and OpenBLAS's workers spin for 0.1 s after a call. Each
// benchmark therefore waits until the process is quiet. The script benchcompare.sh runs each backend
// in its own process; blskernel bench, which alternates the backends within one process, is the fairer
// comparison of products.
package benchmarks
