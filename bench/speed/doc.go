// Package speed compares the speeds of backends: how many GFLOP/s each of them makes of an operation of
// a given shape, with a given number of threads.
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
// All backends run in one process on the same operands, which are prepared once. A cell (an operation, its
// shape, a number of threads) is measured in rounds; in every round each backend is timed once, for at
// least MinTime, in an order that alternates from round to round. What disturbs the machine for longer
// than a round disturbs all of them, and what is reported of two backends is the median over the rounds
// of the ratio within a round, not the ratio of two medians.
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
// # Correct before fast
//
// Before it is timed each backend computes every operation once, and the result C is compared with what
// gonum's Level 2 routines make of the same operands: C·t against op(A)·(op(B)·t), for a vector t of
// random signs. That takes O(n²) operations, any wrong element shows in its row with its whole error, and
// the tolerance is the standard bound of rounding errors. What differs by more is a *WrongError.
//
// # Operands
//
// Elements are uniform in [-1/2, 1/2); alpha is 1, and beta is 0 where there is one. The triangular
// matrices of Dtrmm and Dtrsm are I + E with small E, so that the product or solution, which overwrites
// its right-hand side and is the right-hand side of the next call, neither overflows nor
// fades into subnormal numbers, with which a CPU is many times slower. From time to time, outside
// of the timings, the right-hand side is restored.
//
// # Flops
//
// Speeds are by the nominal flops of the operation: 2mnk for Dgemm, n²k for Dsyrk, m²n for Dtrsm from
// the left, and so on (see Case.Flops), whatever a backend in fact computes.
package speed
