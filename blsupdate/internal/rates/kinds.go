package rates

import (
	"blskernel/blsupdate/internal/cost"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// A kindRates says how the rate of a kind of operation is measured.
type kindRates struct {
	kind    cost.Kind
	axes    [3][]int // the grid for m, n and k, with one size where that does not matter
	most    float64  // flops above which the point before stands for an operation
	prepare preparation
}

// The axes, with a factor of two or three from point to point. There are more points around 8: the
// tiles of most kernels are 8 or 16 wide, so that the ninth column costs as much as the next seven.
var (
	one      = []int{1}
	product  = []int{1, 4, 8, 9, 16, 30, 80, 200, 500, 1300, 4000}
	pairs    = []int{1, 2, 4, 8, 9, 16, 30, 60, 100, 200, 350, 600, 1000, 2000, 4000}
	columns  = []int{1, 4, 8, 9, 16, 30, 100, 300, 1000, 3000}
	coarse   = []int{1, 8, 30, 100, 300, 1000, 2000, 3000}
	few      = []int{1, 10, 100, 1000}
	appended = []int{1, 4, 8, 16, 30, 100, 300, 1000, 4000}
	targets  = []int{1, 30, 300}
	strips   = []int{2, 4, 8, 9, 16, 30, 60, 128}
	factors  = []int{1, 4, 8, 16, 30, 60, 120, 250, 500, 1000, 2000}
	orders   = []int{1, 2, 4, 8, 16, 30, 50, 70, 100, 150, 200, 300, 400, 500, 700, 1000, 1500, 2000, 3000, 4000}
	slow     = []int{1, 3, 10, 30, 100, 200, 400}
	numbers  = []int{10, 100, 1000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 2_000_000, 4_000_000, 16_000_000}
)

// Bounds on the flops of a measured operation. Fewer points leave more time for each. Rates still
// change with ten times as many columns as a panel of a factorization has.
const (
	mostProduct   = 1.1e9
	mostPair      = 4.1e9
	mostFlops     = 9.1e9
	mostAppended  = 3.3e10
	mostSlow      = 5e8
	mostRotations = 1e8
)

// kinds has all kinds of operations.
var kinds = []kindRates{
	{cost.GemmNN, [3][]int{product, product, product}, mostProduct, prepareGemm(blas.NoTrans, blas.NoTrans, 1)},
	{cost.GemmNT, [3][]int{product, product, product}, mostProduct, prepareGemm(blas.NoTrans, blas.Trans, 0)},
	{cost.GemmTN, [3][]int{product, product, product}, mostProduct, prepareGemm(blas.Trans, blas.NoTrans, 1)},

	{cost.Sprk, [3][]int{one, pairs, pairs}, mostPair, prepareSprk},
	{cost.GemmtpNT, [3][]int{one, pairs, pairs}, mostPair, prepareGemmtp},
	{cost.SpmmL, [3][]int{pairs, pairs, one}, mostPair, prepareSpmm(blas.Left)},
	{cost.SpmmR, [3][]int{pairs, pairs, one}, mostPair, prepareSpmm(blas.Right)},
	{cost.Spmv, [3][]int{one, pairs, one}, mostProduct, prepareTimesPacked},
	{cost.Spr, [3][]int{one, pairs, one}, mostProduct, prepareAddOuter},
	{cost.SpmmStrips, [3][]int{strips, pairs, one}, mostProduct, prepareTimesPacked},
	{cost.SprkRows, [3][]int{strips, pairs, one}, mostProduct, prepareAddOuter},
	{cost.TrmmL, [3][]int{pairs, pairs, one}, mostPair, prepareTrmm(blas.Left)},
	{cost.TrmmR, [3][]int{pairs, pairs, one}, mostPair, prepareTrmm(blas.Right)},

	{cost.Pptrf, [3][]int{one, orders, one}, mostFlops, prepareFactor(newCholesky)},
	{cost.Pptri, [3][]int{one, orders, one}, mostFlops, prepareInverse(newCholesky)},
	{cost.Pptrs, [3][]int{one, factors, columns}, mostPair, prepareSolve((*lapack.Cholesky).SolveTo)},
	{cost.Tptrs, [3][]int{one, factors, columns}, mostPair, prepareSolve(func(f *lapack.Cholesky, x, b *mat.Dense) error { return f.SolveUTo(x, b, true) })},
	{cost.Sptrf, [3][]int{one, orders, one}, mostFlops, prepareFactor(newLDLT)},
	{cost.Sptri, [3][]int{one, orders, one}, mostFlops, prepareInverse(newLDLT)},
	{cost.Getrf, [3][]int{one, orders, one}, mostFlops, prepareGetrf},
	{cost.Getri, [3][]int{one, orders, one}, mostFlops, prepareGetri},
	{cost.Getrs, [3][]int{one, factors, columns}, mostPair, prepareGetrs},
	{cost.Geqrf, [3][]int{pairs, pairs, one}, mostPair, prepareGeqrf},
	{cost.Orgqr, [3][]int{pairs, pairs, one}, mostPair, prepareOrgqr},
	{cost.Tpqrt, [3][]int{appended, coarse, targets}, mostAppended, prepareTpqrt},
	{cost.Ttqrt, [3][]int{one, factors, columns}, mostPair, prepareTtqrt},
	{cost.Trtri, [3][]int{one, orders, one}, mostFlops, prepareTrtri},
	{cost.Trtrs, [3][]int{one, factors, columns}, mostPair, prepareTrtrs},
	{cost.Ttrsm, [3][]int{one, orders, one}, mostFlops, prepareTriangles((*lapack.Cholesky).SolveUTriangle, true)},
	{cost.Ttrmm, [3][]int{one, orders, one}, mostFlops, prepareTriangles((*lapack.Cholesky).MulUTriangle, false)},
	{cost.Carlson, [3][]int{columns, pairs, one}, mostRotations, prepareCarlson},
	{cost.Chud, [3][]int{columns, coarse, few}, mostRotations, prepareChud},
	{cost.Chdd, [3][]int{columns, coarse, few}, mostRotations, prepareChdd},
	{cost.Geqp3, [3][]int{slow, slow, one}, mostSlow, prepareGeqp3},
	{cost.Gesvd, [3][]int{slow, slow, one}, mostSlow, prepareGesvd},

	{cost.Gecon, [3][]int{one, factors, one}, mostFlops, prepareGecon},
	{cost.Trcon, [3][]int{one, factors, one}, mostFlops, prepareTrcon},

	{cost.Stream, [3][]int{one, numbers, one}, mostFlops, prepareStream},
	{cost.Fresh, [3][]int{one, numbers, one}, mostFlops, prepareFresh},
	{cost.Scan, [3][]int{one, numbers, one}, mostFlops, prepareScan},
}
