package rates

import (
	"blskernel/blsupdate/internal/cost"
	"blskernel/lapack"

	"gonum.org/v1/gonum/blas"
)

// alike has the measured kinds whose rates stand for those of kinds that no update by rows needs.
var alike = map[cost.Kind]cost.Kind{
	cost.Chdd: cost.Chud, cost.Ttqrt: cost.Tpqrt, cost.Trtri: cost.Ttrsm, cost.Ttrmm: cost.Ttrsm, cost.Trcon: cost.Gecon,
}

// An operation says how the rate of a kind is measured.
type operation struct {
	grid
	prepare preparation
}

// A preparation returns a function that does one operation of the given sizes, and one that brings its
// operands back, nil where they stay. do is nil where there is no such operation.
type preparation func(w *workspace, m, n, k int) (restore, do func())

// A grid has the sizes m, n and k at which a kind is measured, with one size where that does not
// matter, and the flops above which the point before stands for an operation. Fewer points leave more
// time for each. Rates still change with ten times as many columns as a panel of a factorization has.
type grid struct {
	axes [3][]int
	most float64
}

// The axes go by a factor of two or three from point to point. There are more points around 8: the
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

var (
	products  = grid{[3][]int{product, product, product}, 1.1e9}
	symmetric = grid{[3][]int{one, pairs, pairs}, 4.1e9}
	sides     = grid{[3][]int{pairs, pairs, one}, 4.1e9}
	row       = grid{[3][]int{one, pairs, one}, 1.1e9}
	rows      = grid{[3][]int{strips, pairs, one}, 1.1e9}
	square    = grid{[3][]int{one, orders, one}, 9.1e9}
	solves    = grid{[3][]int{one, factors, columns}, 4.1e9}
	appends   = grid{[3][]int{appended, coarse, targets}, 3.3e10}
	ranks     = grid{[3][]int{slow, slow, one}, 5e8}
	passes    = grid{[3][]int{one, numbers, one}, 9.1e9}
)

// operations has the kinds that are measured.
var operations = map[cost.Kind]operation{
	cost.GemmNN:   {products, gemm(blas.NoTrans, blas.NoTrans, 1)},
	cost.GemmNT:   {products, gemm(blas.NoTrans, blas.Trans, 0)},
	cost.GemmTN:   {products, gemm(blas.Trans, blas.NoTrans, 1)},
	cost.Sprk:     {symmetric, sprk},
	cost.GemmtpNT: {symmetric, gemmtp},
	cost.SpmmL:    {sides, spmm(blas.Left)},
	cost.SpmmR:    {sides, spmm(blas.Right)},
	cost.TrmmL:    {sides, trmm(blas.Left)},
	cost.TrmmR:    {sides, trmm(blas.Right)},

	cost.Spmv:       {row, timesPacked},
	cost.Spr:        {row, addOuter},
	cost.SpmmStrips: {rows, timesPacked},
	cost.SprkRows:   {rows, addOuter},

	cost.Pptrf:   {square, factor(newCholesky)},
	cost.Pptri:   {square, inverse(newCholesky)},
	cost.Pptrs:   {solves, solve((*lapack.Cholesky).SolveTo)},
	cost.Tptrs:   {solves, solve(solveTransposed)},
	cost.Sptrf:   {square, factor(newLDLT)},
	cost.Sptri:   {square, inverse(newLDLT)},
	cost.Getrf:   {square, getrf},
	cost.Getri:   {square, getri},
	cost.Getrs:   {solves, getrs},
	cost.Geqrf:   {sides, geqrf},
	cost.Orgqr:   {sides, orgqr},
	cost.Tpqrt:   {appends, tpqrt},
	cost.Trtrs:   {solves, trtrs},
	cost.Ttrsm:   {square, ttrsm},
	cost.Carlson: {grid{[3][]int{columns, pairs, one}, 1e8}, carlson},
	cost.Chud:    {grid{[3][]int{columns, coarse, few}, 1e8}, chud},
	cost.Geqp3:   {ranks, geqp3},
	cost.Gesvd:   {ranks, gesvd},

	cost.Gecon: {grid{[3][]int{one, factors, one}, 9.1e9}, gecon},

	cost.Stream: {passes, stream},
	cost.Fresh:  {passes, fresh},
	cost.Scan:   {passes, scan},
}
