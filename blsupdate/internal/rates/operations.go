package rates

import (
	"math"
	"runtime"

	"blskernel"
	"blskernel/blsupdate/internal/cholesky"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/qr"
	"blskernel/blsupdate/internal/ridge"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/linalg/floats"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// sameRateAs maps kinds that are not measured, since AddInputs does not use them, to similar kinds.
var sameRateAs = map[cost.Kind]cost.Kind{
	cost.Chdd: cost.Chud, cost.Ttqrt: cost.Tpqrt, cost.Trtri: cost.Ttrsm, cost.Ttrmm: cost.Ttrsm, cost.Trcon: cost.Gecon,
}

// An operation describes how the rate of a kind is measured.
type operation struct {
	grid
	prepare preparation
}

// A preparation returns do, which executes one operation of these sizes, and restore, which restores
// its operands. restore is nil if the operands do not change. do is nil if there is no such operation.
type preparation func(w *workspace, m, n, k int) (restore, do func())

// A grid has the sizes m, n and k at which a kind is measured, and one value for a size that does not
// matter. Points of more than maxFlops are not measured: see table.fill. Fewer points leave more time
// for each, but the rates of factorizations still change at ten times the width of a panel.
type grid struct {
	axes     [3][]int
	maxFlops float64
}

// Neighbors on an axis differ by a factor of two or three. There are more points around 8, since the
// tiles of most kernels are 8 or 16 wide: the ninth column costs as much as columns 9 to 16 together.
var (
	one      = []int{1}
	product  = []int{1, 4, 8, 9, 16, 30, 80, 250, 1000, 4000}
	pairs    = []int{1, 4, 8, 9, 16, 30, 60, 125, 250, 500, 1000, 2000}
	terms    = []int{1, 4, 8, 9, 16, 30, 60, 125, 250, 500, 1000, 4000}
	columns  = []int{1, 4, 8, 9, 16, 30, 100, 300, 1000}
	coarse   = []int{1, 8, 30, 100, 250, 500, 1000, 2000}
	appended = []int{1, 4, 8, 16, 30, 100, 300, 1000}
	targets  = []int{10, 100}
	few      = []int{1, 30, 1000}
	strips   = []int{2, 4, 8, 9, 16, 30, 60, 128}
	factors  = []int{1, 4, 8, 16, 30, 60, 125, 250, 500, 1000, 2000}
	orders   = []int{1, 2, 4, 8, 16, 30, 50, 70, 100, 150, 200, 300, 400, 500, 700, 1000, 1400, 2000}
	slow     = []int{1, 3, 10, 30, 100, 200}
	numbers  = []int{10, 100, 1000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 2_000_000, 8_000_000}
)

const (
	maxFlops = 1.1e9 // flops of a point, for nearly all kinds
	maxLarge = 2.5e9 // for operations in which large updates spend their time
	maxRows  = 8.5e9 // for rows appended to a triangle, where rates keep growing longest
	maxSlow  = 4e7   // for operations that are about ten times slower
)

var (
	products  = grid{[3][]int{product, product, product}, maxLarge}
	symmetric = grid{[3][]int{one, pairs, terms}, maxFlops}
	sides     = grid{[3][]int{pairs, pairs, one}, maxFlops}
	row       = grid{[3][]int{one, pairs, one}, maxFlops}
	rows      = grid{[3][]int{strips, pairs, one}, maxFlops}
	square    = grid{[3][]int{one, orders, one}, maxFlops}
	tall      = grid{[3][]int{terms, pairs, one}, maxFlops}
	solves    = grid{[3][]int{one, factors, columns}, maxFlops}
	appends   = grid{[3][]int{appended, coarse, targets}, maxRows}
	ranks     = grid{[3][]int{slow, slow, one}, maxSlow}
	passes    = grid{[3][]int{one, numbers, one}, maxFlops}
)

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

	cost.Pptrf:   {square, factor((*workspace).positive, newCholesky)},
	cost.Pptri:   {square, inverse((*workspace).positive, newCholesky)},
	cost.Pptrs:   {solves, solve((*workspace).cholesky, (*lapack.Cholesky).SolveTo)},
	cost.Tptrs:   {solves, solve((*workspace).cholesky, solveTransposed)},
	cost.Sptrf:   {square, factor((*workspace).positive, newLDLT)},
	cost.Sptri:   {square, inverse((*workspace).positive, newLDLT)},
	cost.Getrf:   {square, factor((*workspace).regular, newLU)},
	cost.Getri:   {square, inverse((*workspace).regular, newLU)},
	cost.Getrs:   {solves, solve((*workspace).lu, (*lapack.LU).SolveTo)},
	cost.Geqrf:   {tall, geqrf},
	cost.Orgqr:   {tall, orgqr},
	cost.Tpqrt:   {appends, tpqrt},
	cost.Trtrs:   {solves, trtrs},
	cost.Ttrsm:   {square, ttrsm},
	cost.Carlson: {grid{[3][]int{columns, pairs, one}, maxSlow}, carlson},
	cost.Chud:    {grid{[3][]int{columns, coarse, targets}, maxSlow}, chud},
	cost.Geqp3:   {ranks, geqp3},
	cost.Gesvd:   {ranks, gesvd},

	cost.Gecon: {grid{[3][]int{one, factors, one}, maxFlops}, gecon},

	cost.Stream: {passes, stream},
	cost.Fresh:  {passes, fresh},
	cost.Scan:   {grid{[3][]int{few, coarse, one}, maxFlops}, scan},
}

func gemm(tA, tB blas.Transpose, beta float64) preparation {
	return func(w *workspace, m, n, k int) (restore, do func()) {
		a, b, lda, ldb := w.in, w.in[m*k:], k, n
		if tA == blas.Trans {
			lda = m
		}
		if tB == blas.Trans {
			ldb = k
		}
		return nil, func() { w.backend.Dgemm(tA, tB, m, n, k, 1, a, lda, b, ldb, beta, w.out, n) }
	}
}

func sprk(w *workspace, _, n, k int) (restore, do func()) {
	return nil, func() { w.packed.Dsprk(blas.Trans, n, k, 1, w.in, n, 1, w.out) }
}

func gemmtp(w *workspace, _, n, k int) (restore, do func()) {
	return nil, func() { w.packed.Dgemmtp(blas.NoTrans, blas.Trans, n, k, 1, w.in, k, w.in[n*k:], k, 0, w.out) }
}

func spmm(s blas.Side) preparation {
	return func(w *workspace, m, n, _ int) (restore, do func()) {
		b := w.in[packedLen(cost.Order(s, m, n)):]
		return nil, func() { w.packed.Dspmm(s, m, n, 1, w.in, b, n, 0, w.out, n) }
	}
}

func trmm(s blas.Side) preparation {
	return func(w *workspace, m, n, _ int) (restore, do func()) {
		order := cost.Order(s, m, n)
		b := w.out[:m*n]
		return func() { copy(b, w.in[order*order:]) }, func() {
			w.backend.Dtrmm(s, blas.Upper, blas.NoTrans, blas.NonUnit, m, n, 1, w.in, order, b, n)
		}
	}
}

func timesPacked(w *workspace, m, n, _ int) (restore, do func()) {
	base, s := w.base(n), mat.NewSymPacked(n, w.in[:packedLen(n)])
	x, p := mat.NewDense(m, n, w.in[packedLen(n):][:m*n]), w.result(m, n)
	return nil, func() { ridge.TimesPacked(base, 1, s, x, p) }
}

func addOuter(w *workspace, m, n, _ int) (restore, do func()) {
	base, t, s := w.base(n), w.operand(m, n), mat.NewSymPacked(n, w.out[:packedLen(n)])
	return nil, func() { ridge.AddOuter(base, 1, t, s) }
}

// carlson adds the same rows again and again. F shrinks in each call, but too little to matter.
func carlson(w *workspace, m, n, _ int) (restore, do func()) {
	l, ax := w.regular(n), w.operand(m, n)
	s := &cholesky.State{L: l, Inverse: state.Inverse{Base: *w.base(n), Gain: 1 / math.Sqrt(float64(n))}}
	return nil, func() { s.Sweep(1, ax) }
}

func chud(w *workspace, m, n, k int) (restore, do func()) {
	r, z, a, y := w.triangle(n), dense.Copy(w.operand(n, k)), w.operand(m, n), w.operand(m, k)
	ax, ya := dense.Copy(a), dense.Copy(y)
	return func() {
		ax.Copy(a)
		ya.Copy(y)
	}, func() { qr.RotateIn(r, z, ax, ya) }
}

// A factorization factors a square matrix, dense or packed, in place, and inverts it.
type factorization[M any] interface {
	FactorizeInPlace(a M) error
	InverseInPlace() (M, error)
}

func newCholesky(b blskernel.Backend) factorization[*mat.SymPacked] { return dense.NewCholesky(b) }
func newLDLT(b blskernel.Backend) factorization[*mat.SymPacked]     { return dense.NewLDLT(b) }
func newLU(b blskernel.Backend) factorization[*mat.Dense]           { return dense.NewLU(b) }

func factor[M any](of func(w *workspace, n int) M, by func(blskernel.Backend) factorization[M]) preparation {
	return func(w *workspace, _, n, _ int) (restore, do func()) {
		var a M
		return func() { a = of(w, n) }, func() { must(by(w.backend).FactorizeInPlace(a)) }
	}
}

func inverse[M any](of func(w *workspace, n int) M, by func(blskernel.Backend) factorization[M]) preparation {
	return func(w *workspace, _, n, _ int) (restore, do func()) {
		f := by(w.backend)
		return func() { must(f.FactorizeInPlace(of(w, n))) }, func() {
			_, err := f.InverseInPlace()
			must(err)
		}
	}
}

// solve returns a preparation for solving n×n systems with a factor and k right-hand sides.
func solve[F any](of func(w *workspace, n int) F, solve func(f F, x, b *mat.Dense) error) preparation {
	return func(w *workspace, _, n, k int) (restore, do func()) {
		f, b, x := of(w, n), w.operand(n, k), w.result(n, k)
		return nil, func() { must(solve(f, x, b)) }
	}
}

func solveTransposed(f *lapack.Cholesky, x, b *mat.Dense) error { return f.SolveUTo(x, b, true) }

func ttrsm(w *workspace, _, n, _ int) (restore, do func()) {
	return onCopy(dense.Transposed(w.triangle(n)), w.cholesky(n).SolveUTriangle)
}

func onCopy(a *mat.Dense, overwrite func(c *mat.Dense) error) (restore, do func()) {
	c := dense.Copy(a)
	return func() { c.Copy(a) }, func() { must(overwrite(c)) }
}

func gecon(w *workspace, _, n, _ int) (restore, do func()) {
	a, f := w.regular(n), dense.NewLU(w.backend)
	return func() { must(f.Factorize(a)) }, func() { f.RCond() }
}

func geqrf(w *workspace, m, n, _ int) (restore, do func()) {
	if m < n {
		return nil, nil
	}
	f := lapack.QR{Backend: w.backend}
	return onCopy(w.operand(m, n), f.FactorizeInPlace)
}

func orgqr(w *workspace, m, n, _ int) (restore, do func()) {
	if m < n {
		return nil, nil
	}
	a, q, f := w.operand(m, n), w.result(m, n), lapack.QR{Backend: w.backend}
	return func() {
		q.Copy(a)
		must(f.FactorizeInPlace(q))
	}, func() { f.QInPlace() }
}

// tpqrt adds the same rows again and again. Each call adds only AxᵀAx to RᵀR, so R grows slowly.
func tpqrt(w *workspace, m, n, k int) (restore, do func()) {
	r, z, ax, ya := w.triangle(n), dense.Copy(w.operand(n, k)), w.operand(m, n), w.result(m, k)
	return nil, func() { must(lapack.AppendRows(w.backend, r, z, ax, ya)) }
}

func trtrs(w *workspace, _, n, k int) (restore, do func()) {
	r := w.triangle(n)
	return onCopy(w.operand(k, n), func(x *mat.Dense) error {
		return lapack.SolveTriangularRows(w.backend, x, r, true)
	})
}

func geqp3(w *workspace, m, n, _ int) (restore, do func()) {
	c := w.operand(m, n)
	return nil, func() { dense.LeadingColumns(w.backend, c, min(m, n)) }
}

func gesvd(w *workspace, m, n, _ int) (restore, do func()) {
	a := w.operand(m, n)
	return nil, func() {
		_, _, _, err := dense.SVD(w.backend, a)
		must(err)
	}
}

// stream copies n/2 numbers, which makes n reads and writes.
func stream(w *workspace, _, n, _ int) (restore, do func()) {
	return nil, func() { copy(w.out[:n/2], w.in[:n/2]) }
}

func fresh(w *workspace, _, n, _ int) (restore, do func()) {
	const page = 512 // numbers in a page of memory
	// Free the storage of the previous call, as in a long-running program.
	return func() { w.fresh = nil; runtime.GC() }, func() {
		w.fresh = make([]float64, n)
		// The first write makes the operating system provide a page.
		for i := 0; i < n; i += page {
			w.fresh[i] = 1
		}
	}
}

// scan checks rows as every update does.
func scan(w *workspace, m, n, _ int) (restore, do func()) {
	ax, norms := w.operand(m, n), state.NewNorms(n, 1, false)
	ya := w.operand(m, 1)
	return nil, func() {
		for i := range m {
			floats.FirstNonFinite(ax.RawRowView(i))
		}
		norms = norms.With(ax, ya, 0)
	}
}
