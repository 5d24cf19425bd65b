// Package speed compares the speeds of backends: the GFLOP/s of an operation at an order with a number
// of threads, and for factorizations also the GFLOP/s of a Fortran LAPACK.
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
// rounds. With each number of threads a round times each backend once, for at least MinTime, and the
// peak of the CPU, a loop of fused multiply-adds on registers. Every second round runs backwards. A
// ratio of two backends, or of numbers of threads, is the median of the ratios within rounds, so that
// disturbances longer than a round cancel.
//
// The number 0 of threads is what a program gets that does not call SetThreads. Its peak is the peak of
// GOMAXPROCS threads.
//
// The workers of OpenBLAS spin for 0.1 s after a call on several threads. So each timing waits until
// the other threads of the process are idle (Quiet), unless the timing before was of the same
// backend. A first call that does not count wakes workers and fills the caches.
//
// # Opponents
//
// Factorizations and decompositions have opponents (Case.Opponents): the routines of LAPACK for the
// same purpose, from the library of the backend openblas. LAPACK stores by columns: an upper triangle
// by rows, packed or not, is its lower triangle, and a general matrix its transpose. So lu-solve has
// rows of right-hand sides and dgetrs columns. Workspaces of LAPACK are prepared before; our operations
// allocate theirs in every call. dsptrf with dsptri takes some 20 s at order 5100, and prolongs each
// round by that.
//
// # Agreement
//
// Before its timing each backend computes every operation once. A result that differs from the first
// backend's is ErrDiffer. So is a decomposition, also an opponent's, of which R, the values or the
// residual differ. A single backend is not checked, nor are opponents of factorizations, whose storage
// differs: the tests of the packages check them.
//
// # Operands
//
// Elements are uniform in [-1/2, 1/2), alpha is 1 and beta 0. Triangular matrices are I + E with small
// E, so that products and solutions in place neither overflow nor become subnormal. The right-hand side
// is restored from time to time, outside of the timings. Cholesky inverts A + n·I. A factorization
// finds its operand restored, so single calls are timed. The factors of lu-solve are computed before.
// What lapack.Implementation leaves to gonum, small orders above all, runs on gonum's own BLAS.
package speed
