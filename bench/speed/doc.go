// Package speed compares the speeds of backends: how many GFLOP/s each of them makes of an operation of
// a given shape, with a given number of threads; and of factorizations also with a Fortran LAPACK.
//
//	dgemm, _ := speed.Find("dgemm", "NN")
//	c := &speed.Comparison{
//		Backends: []blskernel.Backend{pure, openblas},
//		Jobs:     []speed.Job{{Case: dgemm, Shape: speed.Square(1000)}},
//		Threads:  []int{1, 2},
//	}
//	err := c.Run(ctx, func(r speed.Result) error { ...; return nil }, nil)
//
// # What makes a comparison fair
//
// All backends run in one process on the same operands, which are prepared once. A cell (an operation,
// its shape, a number of threads) is measured in rounds; in every round each backend is timed once, for
// at least MinTime, in an order that alternates from round to round. What disturbs the machine for
// longer than a round disturbs all of them, and what is reported of two backends is the median over the
// rounds of the ratio within a round, not the ratio of two medians.
//
// The workers of OpenBLAS go on spinning when a call on several threads has returned: for 0.1 s and
// more, in the way of whatever is timed next. Every timing therefore begins with a wait until the
// process has become quiet, and then with a call that is not counted, which wakes the workers up
// again and brings the operands back into the caches.
//
// In each round the CPU's own limit is measured as well: a loop of fused multiply-adds that uses
// registers only, on as many threads. The fraction of that peak says how good a speed is by itself; and
// a peak that is lower in one cell than in others of as many threads says that something else was
// running on the machine.
//
// # Opponents
//
// Factorizations have opponents (see Case.Opponents), which are timed in every round with the backends:
// the routines of LAPACK for the same purpose, from the library of the backend openblas, and for the
// inverse of an indefinite matrix that of a positive definite one.
//
//	ldlt, _ := speed.Find("ldlt-inverse", "")
//	c.Jobs = []speed.Job{{Case: ldlt, Shape: speed.Square(1000)}}
//	c.Opponents = []string{"dsytrf+dsytri2", "cholesky-inverse"}
//
// Each has its own storage. LAPACK's is by columns: what the operation stores by rows in an upper
// triangle, packed or not, is to LAPACK a lower triangle, and a general matrix its transpose. So
// lu-solve has rows of right-hand sides and dgetrs columns, and neither is given the other's layout.
// Their workspaces, of the length for the blocked algorithms, are prepared before; the operations
// allocate theirs in every call. One of them may be far slower than what it is compared with, and
// prolongs each round by its time: dsptrf with dsptri takes some 20 s at order 5100.
//
// Of inverses, memory is measured too: see Timing.
//
// # Correct before fast
//
// Before it is timed each backend computes every operation once, and the result C is compared with what
// gonum's Level 2 routines make of the same operands: C·t against op(A)·(op(B)·t), for a vector t of
// random signs. That takes O(n²) operations, any wrong element shows in its row with its whole error,
// and the tolerance is the standard bound of rounding errors. What differs by more is a *WrongError.
//
// An inverse X is checked by its residual, A·(X·t) against t, and a solution by A·(X·t) against B·t.
// The tolerance is 32n·eps·‖A‖·‖X‖ by the largest sums of rows: the threshold of LAPACK's own tests and
// what the check's own rounding adds. Of inverses by LU it is the residual on the side where they keep
// it small, X·A - I.
//
// # Operands
//
// Elements are uniform in [-1/2, 1/2); alpha is 1, and beta is 0 where there is one. The triangular
// matrices of Dtrmm and Dtrsm are I + E with small E, so that the product or solution, which overwrites
// its right-hand side and is the right-hand side of the next call, neither overflows nor
// fades into subnormal numbers, with which a CPU is many times slower. From time to time, outside
// of the timings, the right-hand side is restored.
//
// Of factorizations the general A and B and the symmetric indefinite A have such elements as well, and
// for Cholesky n·I is added. Each call finds the operand restored, outside of the timings, since the
// inverse is not the matrix to start from again. So a single call is timed, and not a batch of them.
// The factors of lu-solve are computed beforehand.
//
// # Flops
//
// Speeds are by the nominal flops of the operation: 2mnk for Dgemm, n²k for Dsyrk, m²n for Dtrsm from
// the left, n³ for a symmetric inverse, and so on (see Cases), whatever a backend in fact computes.
package speed
