// Package benchmarks has a testing benchmark for every operation that this module offers, on every
// backend that the process can use. It has tests only.
//
//	go test -run '^$' -bench 'Dgemm|Dsyrk' ./bench/benchmarks
//	go test -run '^$' -bench 'Update/backend=pure' ./bench/benchmarks -l 10000 -k 1000 -q 100,1000
//	make benchcompare BENCH=Cholesky
//
// # Names
//
// BenchmarkDgemm, for a routine of the BLAS; BenchmarkCholeskyFactorize, for a method of a type;
// BenchmarkLapackAppendRows, for a function of a package. BenchmarkUpdate is AddInputs and Weights,
// what a stream of samples takes that wants its weights after each batch. Below that the names are keys
// and values, the backend first:
//
//	BenchmarkDgemm/backend=pure/args=NN/n=256
//	BenchmarkUpdate/backend=openblas/method=gram/form=auto/l=1000/k=200/q=50
//
// so that benchstat -col /backend has a column for each backend and -col /method one for each method.
// What runs on no backend, such as the reading of files, has no such key. A test holds the list of
// benchmarks against the exported functions and methods of the packages.
//
// # Sizes
//
// The defaults are small, so that the whole list can be run once (-benchtime 1x) to see that everything
// works. Flags after the package's path set others: -orders those of matrices, -l, -k, -q and -targets
// those of updates. go test -cpu sets the number of threads, which is that of a program that never
// calls blskernel.SetThreads.
//
// # What is timed
//
// GFLOP/s are by nominal flops, those of package speed, of the documentation of package lapack and of
// blsupdate.Model. Before it is timed each call is made once, and Level 3 results are checked.
//
// Where a call overwrites what it starts from, that is restored before every call and the clock is read
// around the call alone; what is printed as ns/op is the sum of these times. StopTimer and StartTimer
// would do the same at the price of two looks at the statistics of the memory allocator for each call,
// for which the world is stopped, and the benchmark would last until the calls alone took a second:
// hours, for an update whose model has to be started anew for each. So -benchtime here bounds the
// restoring as well, and such a call finds threads asleep and caches cold, as it does in a program that
// has other work between two updates. Level 1 and 2, where a call takes as little as reading the clock,
// are arranged so that nothing has to be restored.
//
// Backends take turns by benchmark, not by call, and OpenBLAS's workers spin for 0.1 s after a call, so
// each benchmark waits for a quiet process before it begins. The script benchcompare.sh runs the
// backends in processes of their own, in turn; the command blskernel bench, which lets them take turns
// call by call, is the fairer comparison of products.
package benchmarks
