package lapack

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonumlapack "gonum.org/v1/gonum/lapack"
)

// compareSquare compares what Cholesky, LDLT and LU have in common, and more.
func compareSquare(kind int, matrix generator, more func(c *check)) func(t *testing.T, bk blskernel.Backend, rng *rand.Rand, most int) []result {
	return func(t *testing.T, bk blskernel.Backend, rng *rand.Rand, most int) []result {
		n, nrhs := order(rng, most), order(rng, 20)
		a, b := matrix(rng, n), randomFull(rng, n, nrhs)
		f := factorizations(t, bk)[kind]
		testutil.NoError(t, f.factorize(a, false))
		cond, condT := condOf(a), condOf(a.transpose())
		c := &check{t: t, bk: bk, rng: rng, a: a, b: b, cond: cond}
		add := func(method string, x *full, cond float64) {
			c.results = append(c.results, result{f.name + "." + method, x, between(n, cond, x)})
		}
		checkCondition(t, f.name+".RCond", f.RCond(), cond)
		log, sign := f.LogDet()
		c.results = determinant(f.name+".LogDet", n, cond, log, sign)
		x := solvedBy(t, f.name+".SolveTo", b, f.SolveTo)
		add("SolveTo", x, cond)
		add("Refine", overwrittenBy(t, f.name+".Refine", x, func(x *mat.Dense) error {
			_, err := f.refine(x, a, b.dense())
			return err
		}), cond)
		add("SolveRowsTo", solvedBy(t, f.name+".SolveRowsTo", b.transpose(), f.SolveRowsTo).transpose(), condT)
		to, err := f.inverse(false)
		in, errIn := (*full)(nil), f.factorize(a, true)
		if errIn == nil {
			in, errIn = f.inverse(true)
		}
		testutil.NoError(t, errors.Join(err, errIn))
		add("InverseTo", to, cond)
		add("InverseInPlace", in, cond)
		more(c)
		return c.results
	}
}

// A check is one comparison of a factorization of a, with right-hand sides b.
type check struct {
	t       *testing.T
	bk      blskernel.Backend
	rng     *rand.Rand
	a, b    *full
	cond    float64
	results []result
}

// compareU compares the methods of U. The factor of A + E differs from U by a relative ‖A⁻¹‖ ‖E‖ (Sun,
// BIT 31, 1991) in the 2-norm, of which a solution makes cond(U) = sqrt(cond(A)) times as much. The
// norms here differ from that by at most n, and the 1-norm of a symmetric matrix is not below its
// 2-norm.
func compareU(c *check) {
	n, square, trans := c.a.r, randomFull(c.rng, c.a.r, c.a.r), c.rng.IntN(2) == 0
	f := Cholesky{Backend: c.bk}
	testutil.NoError(c.t, f.Factorize(symOf(c.a)))
	checkSolver(c.t, "Cholesky.Solver", c.b, f.SolveTo, f.Solver())
	add := func(method string, x *full) {
		c.results = append(c.results, result{"Cholesky." + method, x, float64(n) * between(n, c.cond*c.cond, x)})
	}
	add("SolveUTo", solvedBy(c.t, "Cholesky.SolveUTo", c.b, func(dst, b *mat.Dense) error { return f.SolveUTo(dst, b, trans) }))
	add("SolveURowsTo", solvedBy(c.t, "Cholesky.SolveURowsTo", c.b.transpose(), func(dst, b *mat.Dense) error { return f.SolveURowsTo(dst, b, trans) }))
	add("SolveUTriangle", overwrittenBy(c.t, "Cholesky.SolveUTriangle", square, f.SolveUTriangle))
	add("MulUTriangle", overwrittenBy(c.t, "Cholesky.MulUTriangle", square, f.MulUTriangle))
}

func compareInertia(c *check) {
	f := LDLT{Backend: c.bk}
	testutil.NoError(c.t, f.Factorize(symOf(c.a)))
	checkSolver(c.t, "LDLT.Solver", c.b, f.SolveTo, f.Solver())
	positive, negative, zero := f.Inertia()
	c.results = append(c.results, result{"LDLT.Inertia", numbers(float64(positive), float64(negative), float64(zero)), 0})
}

// R and Q of A + E with ‖E‖ <= 30 l eps ‖A‖ differ from those of A by at most a relative sqrt(2)
// cond(A) times that in the Frobenius norm (Sun, BIT 31, 1991; Higham, section 19.9), which the 1-norm
// exceeds by at most the square root of the order. cond(A) is that of R in the 2-norm, at most k times
// that in the 1-norm.
func compareQR(t *testing.T, bk blskernel.Backend, rng *rand.Rand, most int) []result {
	k := order(rng, most/2)
	l, c := 2*k+3+rng.IntN(20), order(rng, 20)
	a, b := randomFull(rng, l, k), randomFull(rng, l, c)
	if k == 0 {
		a = newFull(0, 0)
		b = newFull(0, 0)
	}
	f, g := QR{Backend: bk}, QR{Backend: bk}
	testutil.NoError(t, errors.Join(f.Factorize(a.dense()), g.FactorizeInPlace(a.dense())))
	var r, q, x mat.Dense
	f.RTo(&r)
	f.QTo(&q)
	in := g.QInPlace()
	if k == 0 {
		return nil
	}
	cond := condOf(fullOf(&r))
	checkCondition(t, "QR.RCond", f.RCond(), cond)
	if c > 0 {
		testutil.NoError(t, f.SolveTo(&x, b.dense()))
	}
	factor := func(of *full) float64 { return 2 * float64(k) * float64(l) * between(l, cond, of) }
	return []result{
		{"QR.RTo", fullOf(&r), factor(fullOf(&r))},
		{"QR.QTo", fullOf(&q), factor(fullOf(&q))},
		{"QR.QInPlace", fullOf(in), factor(fullOf(in))},
		// A least squares solution has the square of the condition number, times the residual,
		// in its error (Higham, theorem 20.1).
		{"QR.SolveTo", fullOf(&x), 4 * factor(numbers(b.norm())) * cond},
	}
}

// The signs of R' and z' are a backend's own. R'ᵀR' and R'ᵀz' are not, to which a backward error of
// 30(k+q) eps of the matrices adds at most four times that, relative to the product of their norms.
func compareElimination(t *testing.T, bk blskernel.Backend, rng *rand.Rand, most int) (all []result) {
	for _, triangle := range []bool{false, true} {
		k, c := 1+order(rng, most/2), order(rng, 10)
		q := k
		if !triangle {
			q = 1 + order(rng, most)
		}
		p := newStackedProblem(rng, k, q, c, stackedGallery[0].change, triangle)
		got := p.check(t, "elimination", bk, p.routine(), false)
		size := p.r.norm() + p.b.norm()
		bound := 8 * ratioBound * float64(k*k+q*q) * eps * size
		u := got.r.transpose()
		all = append(all, result{"R'ᵀR'", u.mul(got.r), bound * size}, result{"R'ᵀz'", u.mul(got.z), bound * (p.z.norm() + p.y.norm())})
	}
	return all
}

func compareTriangle(t *testing.T, bk blskernel.Backend, rng *rand.Rand, most int) []result {
	n, c := 1+order(rng, most), 1+order(rng, 30)
	r := triangleOf(rng, n)
	g := newGuarded(blas.Upper, n, n+3, false, r.at)
	view := g.view()
	b, trans := randomFull(rng, n, c), rng.IntN(2) == 0
	cond := max(condOf(r), condOf(r.transpose()))
	checkCondition(t, "RCondTriangle", RCondTriangle(bk, view), condOf(r))
	x := overwrittenBy(t, "SolveTriangular", b, func(x *mat.Dense) error { return SolveTriangular(bk, x, view, trans) })
	rows := overwrittenBy(t, "SolveTriangularRows", b.transpose(), func(x *mat.Dense) error { return SolveTriangularRows(bk, x, view, trans) })
	if !sameBits(g.triangular().x, r.x) {
		t.Fatal("the triangle was changed")
	}
	testutil.NoError(t, InvertTriangle(bk, view))
	g.check(t, "triangle")
	inverse := g.triangular()
	return []result{
		{"SolveTriangular", x, between(n, cond, x)},
		{"SolveTriangularRows", rows.transpose(), between(n, cond, rows.transpose())},
		{"InvertTriangle", inverse, between(n, cond, inverse)},
	}
}

func compareImplementation(t *testing.T, bk blskernel.Backend, rng *rand.Rand, most int) []result {
	useBLAS(t, bk)
	impl := Implementation{Backend: bk}
	n, c := 1+order(rng, most), 1+order(rng, 20)
	a, b := generalOf(rng, n), randomFull(rng, n, c)
	spd := symSpectrum(rng, n, func(i int) float64 { return 1 + float64(i) })
	triangle := triangleOf(rng, n)
	ul, diag := []blas.Uplo{blas.Upper, blas.Lower}[rng.IntN(2)], []blas.Diag{blas.NonUnit, blas.Unit}[rng.IntN(2)]
	tr := []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans}[rng.IntN(3)]
	lda, ldb := n+rng.IntN(4), c+rng.IntN(4)
	var all []result
	add := func(of string, x *full, tolerance float64) { all = append(all, result{of, x, tolerance}) }
	must := func(of string, ok bool) {
		t.Helper()
		if !ok {
			t.Fatalf("%s has failed", of)
		}
	}
	of := func(x []float64, rows, cols, ld int) *full { return unpadded(t, x, rows, cols, ld) }

	cond, condSPD := condOf(a), condOf(spd)
	lu, ipiv := padded(a, lda), make([]int, n)
	must("Dgetrf", impl.Dgetrf(n, n, lu, lda, ipiv))
	x := padded(b, ldb)
	impl.Dgetrs(tr, n, c, lu, lda, ipiv, x, ldb)
	condT := cond
	if tr != blas.NoTrans {
		condT = condOf(a.transpose())
	}
	add("Implementation.Dgetrs", of(x, n, c, ldb), between(n, condT, of(x, n, c, ldb)))
	const norm = gonumlapack.MaxColumnSum
	work, iwork := make([]float64, 4*n), make([]int, n)
	checkCondition(t, "Dgecon", impl.Dgecon(norm, n, lu, lda, a.norm(), work, iwork), cond)
	must("Dgetri", impl.Dgetri(n, lu, lda, ipiv, make([]float64, n), n))
	add("Implementation.Dgetri", of(lu, n, n, lda), between(n, cond, of(lu, n, n, lda)))

	g := newGuarded(ul, n, lda, false, spd.at)
	must("Dpotrf", impl.Dpotrf(ul, n, g.a, lda))
	add("Implementation.Dpotrf", g.triangular(), float64(n)*between(n, condSPD, g.triangular()))
	x = padded(b, ldb)
	impl.Dpotrs(ul, n, c, g.a, lda, x, ldb)
	add("Implementation.Dpotrs", of(x, n, c, ldb), between(n, condSPD, of(x, n, c, ldb)))
	checkCondition(t, "Dpocon", impl.Dpocon(ul, n, g.a, lda, spd.norm(), work, iwork), condSPD)
	must("Dpotri", impl.Dpotri(ul, n, g.a, lda))
	add("Implementation.Dpotri", g.symmetric(), between(n, condSPD, g.symmetric()))
	g.check(t, "Dpotrf, Dpotri")

	at := triangle.at
	if ul == blas.Lower {
		at = triangle.transpose().at
	}
	g = newGuarded(ul, n, lda, diag == blas.Unit, at)
	condR := max(condOf(g.triangular()), condOf(g.triangular().transpose()))
	checkCondition(t, "Dtrcon", impl.Dtrcon(norm, ul, diag, n, g.a, lda, work, iwork), condOf(g.triangular()))
	x = padded(b, ldb)
	must("Dtrtrs", impl.Dtrtrs(ul, tr, diag, n, c, g.a, lda, x, ldb))
	add("Implementation.Dtrtrs", of(x, n, c, ldb), between(n, condR, of(x, n, c, ldb)))
	must("Dtrtri", impl.Dtrtri(ul, diag, n, g.a, lda))
	add("Implementation.Dtrtri", g.triangular(), between(n, condR, g.triangular()))
	g.check(t, "Dtrtri")

	// Q is orthogonal, and that of the same reflections; their product has a relative error of 30 m
	// eps.
	m := n + rng.IntN(20)
	columns := randomFull(rng, m, n)
	for i := range m {
		columns.set(i, n/2, 0) // a column of zeros is reflected by I
	}
	tall, tau := padded(columns, lda), make([]float64, n)
	gonumReflections(m, n, tall, lda, tau)
	impl.Dorgqr(m, n, n, tall, lda, tau, make([]float64, n), n)
	q := of(tall, m, n, lda)
	add("Implementation.Dorgqr", q, float64(m)*between(m, 1, q))
	return all
}

// padded stores a with rows ld apart and NaN between them.
func padded(a *full, ld int) []float64 {
	x := make([]float64, max(0, (a.r-1)*ld+a.c))
	for i := range x {
		x[i] = math.NaN()
	}
	for i := range a.r {
		copy(x[i*ld:], a.row(i))
	}
	return x
}

// unpadded reads what padded stored, and tests that nothing between the rows was written.
func unpadded(t *testing.T, x []float64, rows, cols, ld int) *full {
	t.Helper()
	a := newFull(rows, cols)
	for i := range rows {
		copy(a.row(i), x[i*ld:i*ld+cols])
		for j := cols; j < ld && i+1 < rows; j++ {
			if !math.IsNaN(x[i*ld+j]) {
				t.Fatalf("element (%d,%d) between the rows was written", i, j)
			}
		}
	}
	return a
}

// compare returns an error unless got is the same within the tolerance.
func (w result) compare(got result) error {
	if got.x.r != w.x.r || got.x.c != w.x.c {
		return fmt.Errorf("%s: %d×%d, want %d×%d", w.of, got.x.r, got.x.c, w.x.r, w.x.c)
	}
	if d := w.x.sub(got.x).norm(); !(d <= w.tolerance) {
		return fmt.Errorf("%s: %d×%d: the difference has norm %.3g, the bound is %.3g", w.of, w.x.r, w.x.c, d, w.tolerance)
	}
	return nil
}
