package blsupdate

import (
	"math"
	"slices"
	"time"

	"blskernel"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack/gonum"
)

// A kindRates says how the rate of a kind of operation is measured.
type kindRates struct {
	kind kind
	axes [3][]int // the grid for m, n and k, one size where it does not matter
	most float64  // flops of an operation beyond which the point before it stands for it

	// prepare returns a function that does one operation and returns how long it took, or nil where there is no
	// such operation or its operands do not fit into the workspace.
	prepare func(w *workspace, m, n, k int) func() time.Duration
}

// The axes, about a factor of two or three from point to point. Around 8 there are more: the tiles of most kernels
// are 8 or 16 wide, so that the ninth column costs as much as the next seven.
var (
	one     = []int{1}
	product = []int{1, 4, 8, 9, 16, 30, 80, 200, 500, 1300, 4000}
	pairs   = []int{1, 2, 4, 8, 9, 16, 30, 60, 100, 200, 350, 600, 1000, 2000, 4000}
	columns = []int{1, 4, 8, 9, 16, 30, 100, 300, 1000, 3000}
	coarse  = []int{1, 8, 30, 100, 300, 1000, 3000}
	few     = []int{1, 10, 100, 1000}
	strips  = []int{2, 4, 8, 9, 16, 30, 60, 128}
	factors = []int{1, 4, 8, 16, 30, 60, 120, 250, 500, 1000, 2000}
	orders  = []int{1, 2, 4, 8, 16, 30, 50, 70, 100, 150, 200, 300, 400, 500, 700, 1000, 1500, 2000, 3000, 4000}
	slow    = []int{1, 3, 10, 30, 100, 200, 400}
	numbers = []int{10, 100, 1000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 2_000_000, 4_000_000, 8_000_000, 16_000_000}
)

// Bounds on the flops of one operation that is measured: what takes some 10 ms or, for factorizations, 0.2 s.
const (
	mostProduct   = 1.1e9
	mostFlops     = 9.1e9
	mostSlow      = 5e8
	mostRotations = 1e8
)

// kinds has every kind of operation.
var kinds = []kindRates{
	{gemmNN, [3][]int{product, product, product}, mostProduct, prepareGemm(blas.NoTrans, blas.NoTrans, 1)},
	{gemmNT, [3][]int{product, product, product}, mostProduct, prepareGemm(blas.NoTrans, blas.Trans, 0)},
	{gemmTN, [3][]int{product, product, product}, mostProduct, prepareGemm(blas.Trans, blas.NoTrans, 1)},

	{sprk, [3][]int{one, pairs, pairs}, mostProduct, prepareSprk},
	{gemmtpNT, [3][]int{one, pairs, pairs}, mostProduct, prepareGemmtp},
	{spmmL, [3][]int{pairs, pairs, one}, mostProduct, prepareSpmm(blas.Left)},
	{spmmR, [3][]int{pairs, pairs, one}, mostProduct, prepareSpmm(blas.Right)},
	{spmv, [3][]int{one, pairs, one}, mostProduct, prepareTimesPacked},
	{spr, [3][]int{one, pairs, one}, mostProduct, prepareAddOuter},
	{spmmStrips, [3][]int{strips, pairs, one}, mostProduct, prepareTimesPacked},
	{sprkRows, [3][]int{strips, pairs, one}, mostProduct, prepareAddOuter},
	{trmmL, [3][]int{pairs, pairs, one}, mostProduct, prepareTrmm(blas.Left)},
	{trmmR, [3][]int{pairs, pairs, one}, mostProduct, prepareTrmm(blas.Right)},

	{pptrf, [3][]int{one, orders, one}, mostFlops, preparePptrf},
	{pptri, [3][]int{one, orders, one}, mostFlops, preparePptri},
	{pptrs, [3][]int{one, factors, columns}, mostProduct, preparePptrs},
	{tptrs, [3][]int{one, factors, columns}, mostProduct, prepareTptrs},
	{sptrf, [3][]int{one, orders, one}, mostFlops, prepareSptrf},
	{sptri, [3][]int{one, orders, one}, mostFlops, prepareSptri},
	{getrf, [3][]int{one, orders, one}, mostFlops, prepareGetrf},
	{getri, [3][]int{one, orders, one}, mostFlops, prepareGetri},
	{getrs, [3][]int{one, factors, columns}, mostProduct, prepareGetrs},
	{geqrf, [3][]int{pairs, pairs, one}, mostProduct, prepareGeqrf},
	{orgqr, [3][]int{pairs, pairs, one}, mostProduct, prepareOrgqr},
	{ormqr, [3][]int{coarse, coarse, few}, mostSlow, prepareOrmqr},
	{tpqrt, [3][]int{columns, coarse, few}, mostSlow, prepareTpqrt},
	{ttqrt, [3][]int{one, factors, columns}, mostProduct, prepareTtqrt},
	{trtri, [3][]int{one, orders, one}, mostFlops, prepareTrtri},
	{trtrs, [3][]int{one, factors, columns}, mostProduct, prepareTrtrs},
	{ttrsm, [3][]int{one, orders, one}, mostFlops, prepareTtrsm},
	{ttrmm, [3][]int{one, orders, one}, mostFlops, prepareTtrmm},
	{carlson, [3][]int{columns, pairs, one}, mostRotations, prepareCarlson},
	{chud, [3][]int{columns, coarse, few}, mostRotations, prepareChud},
	{chdd, [3][]int{columns, coarse, few}, mostRotations, prepareChdd},
	{geqp3, [3][]int{slow, slow, one}, mostSlow, prepareGeqp3},
	{gesvd, [3][]int{slow, slow, one}, mostSlow, prepareGesvd},

	{ppcon, [3][]int{one, factors, one}, mostFlops, preparePpcon},
	{gecon, [3][]int{one, factors, one}, mostFlops, prepareGecon},
	{trcon, [3][]int{one, factors, one}, mostFlops, prepareTrcon},

	{stream, [3][]int{one, numbers, one}, mostFlops, prepareStream},
	{fresh, [3][]int{one, numbers, one}, mostFlops, prepareFresh},
	{scan, [3][]int{one, numbers, one}, mostFlops, prepareScan},
}

// amount returns the number of units of an operation that its rate is about: its flops, or the numbers that it
// goes through where it has none.
func (o operation) amount() float64 {
	switch o.kind {
	case stream, fresh, scan:
		return float64(o.n)
	case ppcon, gecon, trcon:
		return float64(o.n) * float64(o.n)
	default:
		return o.flops().flops()
	}
}

// mostNumbers bounds the size of each of the two parts of a workspace: 128 MB, more than caches hold.
const mostNumbers = 16 << 20

// otherNumbers is twice the size of the second level of cache of most cores.
const otherNumbers = 256 << 10

// A workspace has the operands of what is measured, the same ones again and again. So they are found in the last level
// of cache where they fit into it, but not in those of one core.
type workspace struct {
	backend blskernel.Backend
	packed  blskernel.PackedProducts
	in      []float64 // random numbers between -1/2 and 1/2, which are never written
	out     []float64 // for results: any numbers, none of them large
	others  []float64 // more numbers than the second level of cache holds
	sum     float64   // of them
}

// newWorkspace returns a workspace that is large enough for some kinds, or has mostNumbers.
func newWorkspace(b blskernel.Backend, kinds []kindRates) *workspace {
	size := 2 * probeNumbers
	for _, k := range kinds {
		m, n, p := slices.Max(k.axes[0]), slices.Max(k.axes[1]), slices.Max(k.axes[2])
		size = max(size, m*n+n*n+n*p+p*m)
	}
	size = min(size, mostNumbers)
	w := &workspace{backend: b, packed: blskernel.Packed(b), in: make([]float64, size), out: make([]float64, size), others: make([]float64, otherNumbers)}
	// A random sequence of a prime length, over and over.
	const period = 99991
	state := uint64(1)
	for i := range period {
		state = state*6364136223846793005 + 1442695040888963407
		w.in[i] = float64(state>>11)*0x1p-53 - 0.5
	}
	for done := period; done < len(w.in); done *= 2 {
		copy(w.in[done:], w.in[:done])
	}
	copy(w.out, w.in)
	return w
}

// fits tells whether so many numbers of operands and of results fit in.
func (w *workspace) fits(in, out int) bool { return max(in, out) <= len(w.in) }

// timed returns the time that f takes.
func timed(f func()) time.Duration {
	began := time.Now()
	f()
	return time.Since(began)
}

// cold times a call that can be repeated as it is.
func (w *workspace) cold(call func()) func() time.Duration { return w.after(func() {}, call) }

// after times a call after restore has brought its operands back. Between the two other numbers pass through the
// caches of the core, as they do between two steps of an update.
func (w *workspace) after(restore, call func()) func() time.Duration {
	return func() time.Duration {
		restore()
		const line = 8 // numbers
		for i := 0; i < len(w.others); i += line {
			w.sum += w.others[i]
		}
		return timed(call)
	}
}

func prepareGemm(tA, tB blas.Transpose, beta float64) func(w *workspace, m, n, k int) func() time.Duration {
	return func(w *workspace, m, n, k int) func() time.Duration {
		if !w.fits(m*k+k*n, m*n) {
			return nil
		}
		a, b, c := w.in, w.in[m*k:], w.out
		lda, ldb := k, n
		if tA == blas.Trans {
			lda = m
		}
		if tB == blas.Trans {
			ldb = k
		}
		return w.cold(func() { w.backend.Dgemm(tA, tB, m, n, k, 1, a, lda, b, ldb, beta, c, n) })
	}
}

func prepareSprk(w *workspace, _, n, k int) func() time.Duration {
	if !w.fits(n*k, half(n)) {
		return nil
	}
	return w.cold(func() { w.packed.Dsprk(blas.Trans, n, k, 1, w.in, n, 1, w.out) })
}

func prepareGemmtp(w *workspace, _, n, k int) func() time.Duration {
	if !w.fits(2*n*k, half(n)) {
		return nil
	}
	return w.cold(func() { w.packed.Dgemmtp(blas.NoTrans, blas.Trans, n, k, 1, w.in, k, w.in[n*k:], k, 0, w.out) })
}

func prepareSpmm(s blas.Side) func(w *workspace, m, n, k int) func() time.Duration {
	return func(w *workspace, m, n, _ int) func() time.Duration {
		symmetric := half(order(s, m, n))
		if !w.fits(symmetric+m*n, m*n) {
			return nil
		}
		return w.cold(func() { w.packed.Dspmm(s, m, n, 1, w.in, w.in[symmetric:], n, 0, w.out, n) })
	}
}

func prepareTrmm(s blas.Side) func(w *workspace, m, n, k int) func() time.Duration {
	return func(w *workspace, m, n, _ int) func() time.Duration {
		n0 := order(s, m, n)
		if !w.fits(n0*n0+m*n, m*n) {
			return nil
		}
		b := w.out[:m*n]
		return w.after(func() { copy(b, w.in[n0*n0:]) }, func() {
			w.backend.Dtrmm(s, blas.Upper, blas.NoTrans, blas.NonUnit, m, n, 1, w.in, n0, b, n)
		})
	}
}

// state returns what the states of all methods have in common.
func (w *workspace) state(k int) *common {
	return &common{counter: NewCounter(w.backend), opt: Options{Backend: w.backend}, k: k}
}

func prepareTimesPacked(w *workspace, m, n, _ int) func() time.Duration {
	if !w.fits(half(n)+m*n, m*n) {
		return nil
	}
	s, x := w.state(n), w.in[half(n):]
	return w.cold(func() { s.timesPacked(m, 1, w.in, x, n, w.out) })
}

func prepareAddOuter(w *workspace, m, n, _ int) func() time.Duration {
	if !w.fits(m*n, half(n)) {
		return nil
	}
	s := w.state(n)
	return w.cold(func() { s.addOuter(m, 1, w.in, w.out) })
}

func prepareCarlson(w *workspace, m, n, _ int) func() time.Duration {
	l, ax := w.regular(n), w.operand(m, n)
	if l == nil || ax == nil {
		return nil
	}
	s := &inverseCholesky{common: *w.state(n), l: cloneDense(l), gain: 1 / math.Sqrt(float64(n))}
	return w.after(func() { s.l.Copy(l) }, func() { s.sweep(1, ax) })
}

func prepareChud(w *workspace, m, n, k int) func() time.Duration {
	r, z, a, y := w.triangle(n), w.operand(n, k), w.operand(m, n), w.operand(m, k)
	if r == nil || z == nil || a == nil || y == nil {
		return nil
	}
	z = cloneDense(z)
	ax, ya := cloneDense(a), cloneDense(y)
	return w.after(func() {
		ax.Copy(a)
		ya.Copy(y)
	}, func() { rotateIn(r, z, ax, ya) })
}

func prepareChdd(w *workspace, m, n, k int) func() time.Duration {
	r, z, factor, p := w.triangle(n), w.operand(n, k), w.triangle(m), w.operand(n, m)
	if r == nil || z == nil || factor == nil || p == nil || !w.fits(m*n+m*k, m*n+m*k) {
		return nil
	}
	d := rotations{bk: w.backend, q: m, k: n, n: make([]float64, m*m), p: make([]float64, n*m), others: []carried{
		{low: make([]float64, m*n), ldl: n, high: r.RawMatrix().Data, ldh: n, width: n, triangle: true},
		{low: make([]float64, m*k), ldl: k, high: cloneDense(z).RawMatrix().Data, ldh: k, width: k},
	}}
	return w.after(func() {
		copy(d.n, factor.RawMatrix().Data)
		copy(d.p, p.RawMatrix().Data)
	}, d.run)
}

// half returns the size of a packed matrix of order n.
func half(n int) int { return n * (n + 1) / 2 }

// positive returns a packed matrix of order n that is positive definite, in storage of its own.
func (w *workspace) positive(n int) *mat.SymPacked {
	if !w.fits(half(n), half(n)) {
		return nil
	}
	s := mat.NewSymPacked(n, slices.Clone(w.in[:half(n)]))
	s.AddDiagonal(float64(n))
	return s
}

// regular returns a square matrix, in storage of its own, that can be inverted.
func (w *workspace) regular(n int) *mat.Dense {
	if !w.fits(n*n, n*n) {
		return nil
	}
	m := mat.NewDense(n, n, slices.Clone(w.in[:n*n]))
	for i := range n {
		m.Set(i, i, m.At(i, i)+math.Sqrt(float64(n)))
	}
	return m
}

// triangle returns a regular upper triangle in storage of its own.
func (w *workspace) triangle(n int) *mat.Dense {
	m := w.regular(n)
	if m == nil {
		return nil
	}
	for i := range n {
		m.Set(i, i, m.At(i, i)+float64(n))
		clear(m.RawRowView(i)[:i])
	}
	return m
}

// operand returns an m×n matrix of random numbers that is not to be written.
func (w *workspace) operand(m, n int) *mat.Dense {
	if !w.fits(m*n, m*n) {
		return nil
	}
	return mat.NewDense(m, n, w.in[:m*n:m*n])
}

// result returns an m×n matrix to be written, of whatever results of before have left there.
func (w *workspace) result(m, n int) *mat.Dense {
	if !w.fits(m*n, m*n) {
		return nil
	}
	return mat.NewDense(m, n, w.out[:m*n:m*n])
}

func preparePptrf(w *workspace, _, n, _ int) func() time.Duration {
	a := w.positive(n)
	if a == nil {
		return nil
	}
	c := cloneSym(a)
	f := lapack.Cholesky{Backend: w.backend}
	return w.after(func() { c.CopySym(a) }, func() { must(f.FactorizeInPlace(c)) })
}

func preparePptri(w *workspace, _, n, _ int) func() time.Duration {
	a := w.positive(n)
	if a == nil {
		return nil
	}
	f := lapack.Cholesky{Backend: w.backend}
	return w.after(func() { must(f.Factorize(a)) }, func() {
		_, err := f.InverseInPlace()
		must(err)
	})
}

func preparePptrs(w *workspace, _, n, k int) func() time.Duration {
	a, b := w.positive(n), w.operand(n, k)
	if a == nil || b == nil {
		return nil
	}
	f := lapack.Cholesky{Backend: w.backend}
	must(f.FactorizeInPlace(a))
	x := w.result(n, k)
	return w.cold(func() { must(f.SolveTo(x, b)) })
}

func prepareSptrf(w *workspace, _, n, _ int) func() time.Duration {
	a := w.positive(n)
	if a == nil {
		return nil
	}
	c := cloneSym(a)
	f := lapack.LDLT{Backend: w.backend}
	return w.after(func() { c.CopySym(a) }, func() { must(f.FactorizeInPlace(c)) })
}

func prepareSptri(w *workspace, _, n, _ int) func() time.Duration {
	a := w.positive(n)
	if a == nil {
		return nil
	}
	f := lapack.LDLT{Backend: w.backend}
	return w.after(func() { must(f.Factorize(a)) }, func() {
		_, err := f.InverseInPlace()
		must(err)
	})
}

func prepareGetrf(w *workspace, _, n, _ int) func() time.Duration {
	a := w.regular(n)
	if a == nil {
		return nil
	}
	c := cloneDense(a)
	f := lapack.LU{Backend: w.backend}
	return w.after(func() { c.Copy(a) }, func() { must(f.FactorizeInPlace(c)) })
}

func prepareGetri(w *workspace, _, n, _ int) func() time.Duration {
	a := w.regular(n)
	if a == nil {
		return nil
	}
	f := lapack.LU{Backend: w.backend}
	return w.after(func() { must(f.Factorize(a)) }, func() {
		_, err := f.InverseInPlace()
		must(err)
	})
}

func prepareGetrs(w *workspace, _, n, k int) func() time.Duration {
	a, b := w.regular(n), w.operand(n, k)
	if a == nil || b == nil {
		return nil
	}
	f := lapack.LU{Backend: w.backend}
	must(f.FactorizeInPlace(a))
	x := w.result(n, k)
	return w.cold(func() { must(f.SolveTo(x, b)) })
}

func prepareGeqrf(w *workspace, m, n, _ int) func() time.Duration {
	if m < n {
		return nil
	}
	a := w.operand(m, n)
	if a == nil {
		return nil
	}
	c := w.result(m, n)
	f := lapack.QR{Backend: w.backend}
	return w.after(func() { c.Copy(a) }, func() { must(f.FactorizeInPlace(c)) })
}

func prepareOrgqr(w *workspace, m, n, _ int) func() time.Duration {
	if m < n {
		return nil
	}
	a := w.operand(m, n)
	if a == nil {
		return nil
	}
	q := w.result(m, n)
	f := lapack.QR{Backend: w.backend}
	return w.after(func() {
		q.Copy(a)
		must(f.FactorizeInPlace(q))
	}, func() { f.QInPlace() })
}

func prepareOrmqr(w *workspace, m, n, k int) func() time.Duration {
	if m < n {
		return nil
	}
	a, b := w.operand(m, n), w.operand(m, k)
	if a == nil || b == nil {
		return nil
	}
	f := lapack.QR{Backend: w.backend}
	must(f.Factorize(a))
	x := w.result(n, k)
	return w.cold(func() { must(f.SolveTo(x, b)) })
}

func prepareTpqrt(w *workspace, m, n, k int) func() time.Duration {
	r, z, ax := w.triangle(n), w.operand(n, k), w.operand(m, n)
	if r == nil || z == nil || ax == nil || !w.fits(m*k, m*k) {
		return nil
	}
	// The call changes R, z and Ya by an orthogonal matrix, and adds AxᵀAx to RᵀR each time: nothing becomes
	// too large.
	z = cloneDense(z)
	ya := w.result(m, k)
	return w.cold(func() { must(lapack.AppendRows(w.backend, r, z, ax, ya)) })
}

func prepareTtqrt(w *workspace, _, n, k int) func() time.Duration {
	r, r2, z := w.triangle(n), w.triangle(n), w.operand(n, k)
	if r == nil || z == nil {
		return nil
	}
	z = cloneDense(z)
	z2 := w.result(n, k)
	return w.cold(func() { must(lapack.MergeTriangles(w.backend, r, z, r2, z2)) })
}

func prepareTrtri(w *workspace, _, n, _ int) func() time.Duration {
	a := w.triangle(n)
	if a == nil {
		return nil
	}
	c := cloneDense(a)
	f := lapack.Implementation{Backend: w.backend}
	return w.after(func() { c.Copy(a) }, func() { f.Dtrtri(blas.Upper, blas.NonUnit, n, c.RawMatrix().Data, n) })
}

func prepareTrtrs(w *workspace, _, n, k int) func() time.Duration {
	r, b := w.triangle(n), w.operand(k, n)
	if r == nil || b == nil {
		return nil
	}
	x := w.result(k, n)
	return w.after(func() { x.Copy(b) }, func() { must(lapack.SolveTriangularRows(w.backend, x, r, true)) })
}

func prepareTptrs(w *workspace, _, n, k int) func() time.Duration {
	a, b := w.positive(n), w.operand(n, k)
	if a == nil || b == nil {
		return nil
	}
	f := lapack.Cholesky{Backend: w.backend}
	must(f.FactorizeInPlace(a))
	x := w.result(n, k)
	return w.cold(func() { must(f.SolveUTo(x, b, true)) })
}

func prepareTtrsm(w *workspace, _, n, _ int) func() time.Duration {
	return prepareTriangles(w, n, true, (*lapack.Cholesky).SolveUTriangle)
}

func prepareTtrmm(w *workspace, _, n, _ int) func() time.Duration {
	return prepareTriangles(w, n, false, (*lapack.Cholesky).MulUTriangle)
}

func prepareTriangles(w *workspace, n int, lower bool, do func(*lapack.Cholesky, *mat.Dense) error) func() time.Duration {
	a, t := w.positive(n), w.triangle(n)
	if a == nil || t == nil {
		return nil
	}
	if lower {
		upper := t
		t = mat.NewDense(n, n, nil)
		t.Copy(upper.T())
	}
	f := lapack.Cholesky{Backend: w.backend}
	must(f.FactorizeInPlace(a))
	x := cloneDense(t)
	return w.after(func() { x.Copy(t) }, func() { must(do(&f, x)) })
}

func prepareGeqp3(w *workspace, m, n, _ int) func() time.Duration {
	a := w.operand(m, n)
	var f gonum.Implementation
	c, pivots, tau, work := make([]float64, m*n), make([]int, n), make([]float64, min(m, n)), make([]float64, 1)
	f.Dgeqp3(m, n, c, n, pivots, tau, work, -1)
	work = make([]float64, int(work[0]))
	return w.after(func() {
		copy(c, a.RawMatrix().Data)
		for i := range pivots {
			pivots[i] = -1
		}
	}, func() { f.Dgeqp3(m, n, c, n, pivots, tau, work, len(work)) })
}

func prepareGesvd(w *workspace, m, n, _ int) func() time.Duration {
	a := w.operand(m, n)
	return w.cold(func() {
		_, _, _, err := svdThin(w.backend, a)
		must(err)
	})
}

func preparePpcon(w *workspace, _, n, _ int) func() time.Duration {
	a := w.positive(n)
	if a == nil {
		return nil
	}
	f := lapack.Cholesky{Backend: w.backend}
	must(f.FactorizeInPlace(a))
	return w.cold(func() { f.RCond() })
}

func prepareGecon(w *workspace, _, n, _ int) func() time.Duration {
	a := w.regular(n)
	if a == nil {
		return nil
	}
	f := lapack.LU{Backend: w.backend}
	must(f.FactorizeInPlace(a))
	return w.cold(func() { f.RCond() })
}

func prepareTrcon(w *workspace, _, n, _ int) func() time.Duration {
	a := w.regular(n)
	if a == nil {
		return nil
	}
	f := lapack.QR{Backend: w.backend}
	must(f.FactorizeInPlace(a))
	return w.cold(func() { f.RCond() })
}

// prepareStream copies n/2 numbers, which reads and writes n.
func prepareStream(w *workspace, _, n, _ int) func() time.Duration {
	return w.cold(func() { copy(w.out[:n/2], w.in[:n/2]) })
}

// kept keeps the compiler from leaving out what nobody reads.
var kept []float64

func prepareFresh(w *workspace, _, n, _ int) func() time.Duration {
	const page = 512 // numbers
	return w.cold(func() {
		kept = make([]float64, n)
		// Storage that comes from the operating system is there when it is first written to.
		for i := 0; i < n; i += page {
			kept[i] = 1
		}
	})
}

// prepareScan is the mean of a look for NaN and of the norms of columns.
func prepareScan(w *workspace, _, n, _ int) func() time.Duration {
	const width = 100 // columns
	m := w.operand(max(1, n/2/width), min(n/2, width))
	return w.cold(func() {
		firstNotFinite(w.in[n/2 : n])
		columnNorms(m)
	})
}

// must panics on an error of an operation on operands that are made for it.
func must(err error) {
	if err != nil {
		panic("blsupdate: an operation on a regular matrix failed: " + err.Error())
	}
}
