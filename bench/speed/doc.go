// Package speed compares backends by the GFLOP/s of operations, for each order of the operands and each
// number of threads. For factorizations it also measures a Fortran LAPACK.
//
//	dgemm, _ := speed.Find("dgemm", "NN")
//	c := &speed.Comparison{
//		Backends: []blskernel.Backend{pure, openblas},
//		Jobs:     []speed.Job{{Case: dgemm, N: 1000}},
//		Threads:  []int{1, 0},
//	}
//	err := c.Run(ctx, func(r speed.Result) error { ...; return nil }, nil)
//
// # Fair timings
//
// All backends run in one process on the same operands. A job, an operation at an order, is measured in
// rounds. For each number of threads a round times each backend once, for at least MinTime. It also
// times the peak of the CPU, a loop of fused multiply-adds on registers. Every second round runs in
// reverse order. A ratio of two backends, or of numbers of threads, is the median of the ratios within
// rounds, so that disturbances longer than a round cancel.
//
// Threads = 0 is the default of a program that does not call SetThreads. Its peak is the peak of
// GOMAXPROCS threads.
//
// The workers of OpenBLAS spin for 0.1 s after a call on several threads. Each timing therefore waits
// until the other threads of the process are idle (Quiet), unless the previous timing was of the same
// backend. An untimed first call wakes the workers and fills the caches.
//
// # Opponents
//
// Factorizations and decompositions have opponents (Case.Opponents): the routines of LAPACK for the
// same purpose, from the library of the backend openblas. LAPACK is column-major. It reads a row-major
// upper triangle, packed or not, as a lower triangle, and a row-major matrix as its transpose. The
// right-hand sides are therefore the columns of B for lu-solve, and its rows for dgetrs. LAPACK's
// workspaces are allocated in advance; our operations allocate theirs in every call. dsptrf with dsptri
// takes about 20 s at order 5100, which lengthens each round.
//
// # Agreement
//
// Each backend computes every operation once before it is timed. If the result differs from the first
// backend's, Run returns ErrDiffer. Decompositions, opponents included, are compared by the diagonal of
// R or by the values, not by vectors. A single backend is not checked, nor are opponents of
// factorizations, whose storage differs; the tests of the packages check them.
//
// # Operands
//
// Elements are uniform in [-1/2, 1/2), alpha is 1 (-1 for dscal) and beta 0. Triangular matrices are
// I + E with small E, so that products and solutions in place neither overflow nor become subnormal.
// Each batch of calls begins with the original right-hand side; restoring it is not timed. Cholesky
// inverts A + n·I. Factorizations have their operand restored before every call; calls are timed one by
// one. The factors of lu-solve come from the first call, which is not timed. Calls that
// lapack.Implementation leaves to gonum, mainly small ones, run on gonum's BLAS.
package speed
