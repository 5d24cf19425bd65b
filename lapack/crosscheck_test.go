package lapack

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"blskernel"
	"blskernel/internal/lapack"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/testmat"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonumlapack "gonum.org/v1/gonum/lapack"
)

// A crosscheck computes with all routines for one kind of matrix, on one backend: the same problem from
// the same state of rng, whatever the backend.
type crosscheck struct {
	t       *testing.T
	bk      blskernel.Backend
	rng     *rand.Rand
	most    int  // the largest order
	full    bool // all orders are the largest
	results []result
}

// A result is what a routine has computed, and how far two backends may be apart in it.
type result struct {
	of        string // the routine
	x         *full
	tolerance float64
}

// crosschecks are the routines by kinds of matrices.
var crosschecks = []struct {
	name string
	run  func(c *crosscheck)
}{
	{"Cholesky", func(c *crosscheck) { c.square(0, testmat.Spectrum(func(_, i int) float64 { return testmat.From1(i) })) }},
	{"LDLT", func(c *crosscheck) {
		c.square(1, testmat.Spectrum(func(_, i int) float64 { return testmat.From1(i) * testmat.Alternate(i) }))
	}},
	{"LU", func(c *crosscheck) { c.square(2, testmat.General) }},
	{"U", (*crosscheck).choleskyFactor},
	{"QR", (*crosscheck).qr},
	{"elimination", (*crosscheck).elimination},
	{"triangle", (*crosscheck).triangle},
	{"Dgetrf and others", (*crosscheck).solvers},
	{"Dgeqrf and others", (*crosscheck).orthogonal},
	{"spectra", (*crosscheck).spectra},
}

// order draws an order: mostly a small one.
func (c *crosscheck) order(most int) int {
	switch {
	case c.full:
		return most
	case c.rng.IntN(3) == 0:
		return c.rng.IntN(most + 1)
	}
	return c.rng.IntN(min(most, 40) + 1)
}

func (c *crosscheck) add(of string, x *full, tolerance float64) {
	c.results = append(c.results, result{of, x, tolerance})
}

// between is the bound of the difference of two solutions of A X = B, or inverses, in the 1-norm. Each
// of them has a residual below 30 n eps ‖A‖ ‖X‖, to which the other tests of this package hold every
// backend, and X - Y = A⁻¹(R_Y - R_X).
func between(n int, cond float64, x *full) float64 {
	return 2 * ratioBound * float64(n) * eps * cond * x.Norm()
}

// solution adds a solution of a system of order n.
func (c *crosscheck) solution(of string, n int, cond float64, x *full) {
	c.add(of, x, between(n, cond, x))
}

// condition adds an estimate of 1/cond, which is right to a factor of 10.
func (c *crosscheck) condition(of string, got, cond float64) {
	if !(got*cond >= 1-1e-6 && got*cond <= 10) {
		c.t.Errorf("%s is %v, the condition number %v", of, got, cond)
	}
	c.add(of, testmat.Vector(got), math.Inf(1))
}

// condOf returns ‖A‖ ‖A⁻¹‖ by gonum's routines.
func condOf(a *full) float64 {
	if a.R == 0 {
		return 1
	}
	return a.Norm() * gonumInverse(a).Norm()
}

// on does something with a copy of b, of which the surroundings stay, and returns it.
func (c *crosscheck) on(b *full, do func(x *mat.Dense) error) *full {
	c.t.Helper()
	x, intact := wide(c.t, b)
	testutil.NoError(c.t, do(x))
	intact()
	return testmat.Of(x)
}

// square has what Cholesky, LDLT and LU have in common.
func (c *crosscheck) square(kind int, matrix testmat.Generator) {
	n := c.order(c.most)
	a, b := matrix(c.rng, n), testmat.Random(c.rng, n, 1+c.order(20))
	f := factorizations(c.t, c.bk)[kind]
	testutil.NoError(c.t, f.factorize(a, false))
	cond := condOf(a)
	c.condition(f.name+".RCond", f.RCond(), cond)
	// The derivative of ln det A is A⁻¹: the backward error of the factors changes it by at most
	// n ‖A⁻¹‖ 30 n eps ‖A‖, and the sum of n logarithms by 2(n + |ln det A|) eps.
	log, sign := f.LogDet()
	c.add(f.name+".LogDet", testmat.Vector(log), 2*(ratioBound*float64(n*n)*eps*cond+2*(float64(n)+math.Abs(log))*eps))
	c.add(f.name+".LogDet", testmat.Vector(sign), 0)
	if n > 0 {
		x, rows := solutions(c.t, f.name, f, b)
		c.solution(f.name+".SolveTo", n, cond, testmat.Of(x))
		c.solution(f.name+".SolveRowsTo", n, condOf(a.T()), rows)
		_, err := f.refine(x, a, b.Dense())
		testutil.NoError(c.t, err)
		c.solution(f.name+".Refine", n, cond, testmat.Of(x))
	}
	for _, inPlace := range []bool{false, true} {
		testutil.NoError(c.t, f.factorize(a, inPlace))
		x, err := f.inverse(inPlace)
		testutil.NoError(c.t, err)
		c.solution(f.name+map[bool]string{false: ".InverseTo", true: ".InverseInPlace"}[inPlace], n, cond, x)
	}
	if f.ldlt != nil {
		testutil.NoError(c.t, f.factorize(a, false))
		positive, negative, zero := f.ldlt.Inertia()
		c.add("LDLT.Inertia", testmat.Vector(float64(positive), float64(negative), float64(zero)), 0)
		c.solver("LDLT", f.SolveTo, f.ldlt.Solver(), b.Column(0))
	}
}

// solver adds the product with one vector, which is the solution for it, bit for bit.
func (c *crosscheck) solver(of string, solve func(dst, b *mat.Dense) error, product func(x []float64), b *full) {
	x := c.on(b, func(x *mat.Dense) error { return solve(x, x) })
	if product(b.X); !testmat.SameBits(x.X, b.X) {
		c.t.Errorf("%s.Solver: the product differs from the solution", of)
	}
	c.add(of+".Solver", b, math.Inf(1))
}

// choleskyFactor has the methods of U. The factor of A + E differs from U by a relative ‖A⁻¹‖ ‖E‖ (Sun,
// BIT 31, 1991) in the 2-norm, of which a solution makes cond(U) = sqrt(cond(A)) times as much. The
// norms here differ from that by at most n, and the 1-norm of a symmetric matrix is not below its
// 2-norm.
func (c *crosscheck) choleskyFactor() {
	n := 1 + c.order(c.most)
	a, b := testmat.Spectral(c.rng, n, testmat.From1), testmat.Random(c.rng, n, 1+c.order(20))
	square, trans, cond := testmat.Random(c.rng, n, n), c.rng.IntN(2) == 0, condOf(a)
	f := Cholesky{Backend: c.bk}
	testutil.NoError(c.t, f.Factorize(symOf(a)))
	add := func(of string, x *full) { c.add("Cholesky."+of, x, float64(n)*between(n, cond*cond, x)) }
	add("SolveUTo", c.on(b, func(x *mat.Dense) error { return f.SolveUTo(x, x, trans) }))
	add("SolveURowsTo", c.on(b.T(), func(x *mat.Dense) error { return f.SolveURowsTo(x, x, trans) }))
	add("SolveUTriangle", c.on(square, f.SolveUTriangle))
	add("MulUTriangle", c.on(square, f.MulUTriangle))
	c.solver("Cholesky", f.SolveTo, f.Solver(), b.Column(0))
}

// factor is the bound of factors of an l×k A. R and Q of A + E with ‖E‖ <= 30 l eps ‖A‖ differ from
// those of A by at most a relative sqrt(2) cond(A) times that in the Frobenius norm (Sun, BIT 31, 1991;
// Higham, section 19.9), which the 1-norm exceeds by at most the square root of the order. cond(A) is
// that of R in the 2-norm, at most k times that in the 1-norm.
func factor(l, k int, cond float64, of *full) float64 {
	return 2 * float64(k) * float64(l) * between(l, cond, of)
}

func (c *crosscheck) qr() {
	k := 1 + c.order(c.most/2)
	l := 2*k + 3 + c.rng.IntN(20)
	a, b := testmat.Random(c.rng, l, k), testmat.Random(c.rng, l, 1+c.order(20))
	f, g := QR{Backend: c.bk}, QR{Backend: c.bk}
	testutil.NoError(c.t, errors.Join(f.Factorize(a.Dense()), g.FactorizeInPlace(a.Dense())))
	var r, q, x mat.Dense
	f.RTo(&r)
	f.QTo(&q)
	testutil.NoError(c.t, f.SolveTo(&x, b.Dense()))
	cond := condOf(testmat.Of(&r))
	c.condition("QR.RCond", f.RCond(), cond)
	for i, m := range []*mat.Dense{&r, &q, g.QInPlace()} {
		c.add([]string{"QR.RTo", "QR.QTo", "QR.QInPlace"}[i], testmat.Of(m), factor(l, k, cond, testmat.Of(m)))
	}
	// A least squares solution has the square of the condition number, times the residual, in its
	// error (Higham, theorem 20.1).
	c.add("QR.SolveTo", testmat.Of(&x), 4*factor(l, k, cond, testmat.Vector(b.Norm()))*cond)
}

// The signs of R' and z' are a backend's own. R'ᵀR' and R'ᵀz' are not, to which a backward error of
// 30(k+q) eps of the matrices adds at most four times that, relative to the product of their norms.
func (c *crosscheck) elimination() {
	for _, triangle := range []bool{false, true} {
		k, columns := 1+c.order(c.most/2), c.order(10)
		q := k
		if !triangle {
			q = 1 + c.order(c.most)
		}
		p := newStackedProblem(c.rng, k, q, columns, stackedGallery[0].change, triangle)
		got := p.check(c.t, "elimination", c.bk, p.routine(), false)
		size := p.r.Norm() + p.b.Norm()
		bound := 8 * ratioBound * float64(k*k+q*q) * eps * size
		u := got.r.T()
		c.add("R'ᵀR'", u.Mul(got.r), bound*size)
		c.add("R'ᵀz'", u.Mul(got.z), bound*(p.z.Norm()+p.y.Norm()))
	}
}

func (c *crosscheck) triangle() {
	n, columns := 1+c.order(c.most), 1+c.order(30)
	r := testmat.Triangle(c.rng, n)
	b, trans := testmat.Random(c.rng, n, columns), c.rng.IntN(2) == 0
	cond, h := max(condOf(r), condOf(r.T())), hold(r, n+3, triangleOf(blas.Upper, false))
	c.condition("RCondTriangle", RCondTriangle(c.bk, h.view()), condOf(r))
	c.solution("SolveTriangular", n, cond, c.on(b, func(x *mat.Dense) error { return SolveTriangular(c.bk, x, h.view(), trans) }))
	c.solution("SolveTriangularRows", n, cond,
		c.on(b.T(), func(x *mat.Dense) error { return SolveTriangularRows(c.bk, x, h.view(), trans) }).T())
	testutil.NoError(c.t, InvertTriangle(c.bk, h.view()))
	c.solution("InvertTriangle", n, cond, h.after(c.t, "InvertTriangle"))
}

// solvers has the routines of Implementation that factor square matrices, solve and invert.
func (c *crosscheck) solvers() {
	const norm = gonumlapack.MaxColumnSum
	useBLAS(c.t, c.bk)
	impl := Implementation{Backend: c.bk}
	n, nrhs := 1+c.order(c.most), 1+c.order(20)
	ul, diag := []blas.Uplo{blas.Upper, blas.Lower}[c.rng.IntN(2)], []blas.Diag{blas.NonUnit, blas.Unit}[c.rng.IntN(2)]
	tr, ld := []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans}[c.rng.IntN(3)], n+c.rng.IntN(4)
	b, work, iwork := testmat.Random(c.rng, n, nrhs), make([]float64, 4*n), make([]int, n)
	must := func(of string, ok bool) {
		if !ok {
			c.t.Fatalf("%s has failed", of)
		}
	}
	solve := func(of string, cond float64, do func(x []float64, ld int)) {
		x := hold(b, nrhs+2, whole)
		do(x.x, x.ld)
		c.solution(of, n, cond, x.after(c.t, of))
	}

	a := testmat.General(c.rng, n)
	h, cond, condT, ipiv := hold(a, ld, whole), condOf(a), condOf(a.T()), make([]int, n)
	must("Dgetrf", impl.Dgetrf(n, n, h.x, ld, ipiv))
	c.add("Dgetrf", h.matrix(), math.Inf(1)) // a backend may choose another pivot
	if tr == blas.NoTrans {
		condT = cond
	}
	solve("Dgetrs", condT, func(x []float64, ldx int) { impl.Dgetrs(tr, n, nrhs, h.x, ld, ipiv, x, ldx) })
	c.condition("Dgecon", impl.Dgecon(norm, n, h.x, ld, a.Norm(), work, iwork), cond)
	must("Dgetri", impl.Dgetri(n, h.x, ld, ipiv, work, n))
	c.solution("Dgetri", n, cond, h.after(c.t, "Dgetri"))

	a = testmat.Spectral(c.rng, n, testmat.From1)
	h, cond = hold(a, ld, triangleOf(ul, false)), condOf(a)
	must("Dpotrf", impl.Dpotrf(ul, n, h.x, ld))
	c.add("Dpotrf", h.matrix(), float64(n)*between(n, cond, h.matrix()))
	solve("Dpotrs", cond, func(x []float64, ldx int) { impl.Dpotrs(ul, n, nrhs, h.x, ld, x, ldx) })
	c.condition("Dpocon", impl.Dpocon(ul, n, h.x, ld, a.Norm(), work, iwork), cond)
	must("Dpotri", impl.Dpotri(ul, n, h.x, ld))
	c.solution("Dpotri", n, cond, h.symmetric())
	h.check(c.t, "Dpotrf, Dpotri")

	r := testmat.Triangle(c.rng, n)
	h = newGuarded(ul, n, ld, diag == blas.Unit, func(i, j int) float64 { return r.At(min(i, j), max(i, j)) })
	r = h.matrix()
	cond = max(condOf(r), condOf(r.T()))
	c.condition("Dtrcon", impl.Dtrcon(norm, ul, diag, n, h.x, ld, work, iwork), condOf(r))
	solve("Dtrtrs", cond, func(x []float64, ldx int) { must("Dtrtrs", impl.Dtrtrs(ul, tr, diag, n, nrhs, h.x, ld, x, ldx)) })
	must("Dtrtri", impl.Dtrtri(ul, diag, n, h.x, ld))
	c.solution("Dtrtri", n, cond, h.after(c.t, "Dtrtri"))
}

// orthogonal has those for QR and LQ factorizations, as qr.
func (c *crosscheck) orthogonal() {
	useBLAS(c.t, c.bk)
	k := 1 + c.order(c.most/2)
	l, columns := 2*k+3+c.rng.IntN(20), 1+c.order(20)
	a, b := testmat.Random(c.rng, l, k), testmat.Random(c.rng, l, columns)
	for of, o := range []orthogonal{{Implementation{Backend: c.bk}, c.t, false}, {Implementation{Backend: c.bk}, c.t, true}} {
		name := func(qr, lq string) string { return []string{qr, lq}[of] }
		v, tau := o.factor(a)
		r, q := v.Part(0, 0, k, k).Upper(0), o.form(v, tau, k)
		cond := condOf(q.T().Mul(a))
		c.add(name("Dgeqrf", "Dgelqf"), r, factor(l, k, cond, r))
		c.add(name("Dorgqr", "Dorglq"), q, factor(l, k, cond, q))
		c.add(name("Dormqr", "Dormlq"), o.multiply(blas.Left, blas.Trans, v, tau, b).Part(0, 0, k, columns), factor(l, k, cond, b)*float64(l))
		c.add("Dgels", o.solve(a, b), 4*factor(l, k, cond, testmat.Vector(b.Norm()))*cond)
	}
}

// spectra has singular values and eigenvalues, of normal matrices: they move by no more than the
// matrix. The products of the factors are checked against it elsewhere.
func (c *crosscheck) spectra() {
	n := 1 + c.order(c.most)
	m, a := 1+c.order(c.most), testmat.Sym(n, func(_, _ int) float64 { return c.rng.NormFloat64() })
	tolerance := between(n, 1, a)
	w, z, ok := syev(c.t, c.bk, gonumlapack.EVCompute, blas.Upper, a)
	alone, _, okAlone := syev(c.t, c.bk, gonumlapack.EVNone, blas.Lower, a)
	if !ok || !okAlone {
		c.t.Fatalf("n=%d: Dsyev: %v, %v", n, ok, okAlone)
	}
	c.add("Dsyev", testmat.Vector(w...), tolerance)
	c.add("Dsyev", testmat.Vector(alone...), tolerance)
	c.add("Dsyev", z.Mul(z.T().ScaleRows(w)), tolerance)

	a = testmat.Random(c.rng, m, n)
	d := svdOf(c.t, c.bk, a, gonumlapack.SVDStore, gonumlapack.SVDStore)
	checkSVD(c.t, c.bk.Name(), a, d)
	c.add("Dgesvd", testmat.Vector(d.values...), between(max(m, n), 1, a))
	c.add("Dgesvd", d.u.Mul(d.vt.ScaleRows(d.values)), between(max(m, n), 1, a))

	// H D H for a D of blocks (a b; -b a), whose eigenvalues are 1 and more apart, but for conjugates.
	a = testmat.Func(n, n, func(i, j int) float64 { return testmat.From1(i) * testmat.Unless(i != j) })
	for i := 0; i+1 < n; i += 2 + c.rng.IntN(2) {
		b := 1 + float64(n)*c.rng.Float64()
		a.Set(i+1, i+1, a.At(i, i))
		a.Set(i, i+1, b)
		a.Set(i+1, i, -b)
	}
	v := testmat.UnitVector(c.rng, n)
	a = a.Reflect(v).T().Reflect(v).T()
	e := dgeev(c.t, Implementation{Backend: c.bk}, a, true, true)
	if e.first != 0 {
		c.t.Fatalf("n=%d: %d eigenvalues did not converge", n, e.first)
	}
	values := make([]complex128, n)
	for k := range values {
		values[k] = complex(e.wr[k], e.wi[k])
	}
	slices.SortFunc(values, func(a, b complex128) int {
		// The real parts of a pair are the same, and those of others 1 apart.
		return cmp.Or(cmp.Compare(real(a), real(b)), cmp.Compare(imag(a), imag(b)))
	})
	c.add("Dgeev", testmat.Func(n, 2, func(i, j int) float64 { return []float64{real(values[i]), imag(values[i])}[j] }), between(n, 1, a))
}

// TestCrossCheck compares, of every routine, the results of all backends with those on gonum's BLAS, on
// random shapes. Every method of the factorizations, and every routine of Implementation that is not
// gonum's, is there.
func TestCrossCheck(t *testing.T) {
	testutil.NotUnderRace(t, "computing in one goroutine, or in those of products")
	rounds, most := 4, 110
	if testutil.Long() {
		rounds, most = 200, 400
	}
	compared := map[string]bool{}
	for k, of := range crosschecks {
		t.Run(of.name, func(t *testing.T) {
			for round := range rounds {
				run := func(bk blskernel.Backend) []result { // the first rounds are small
					c := &crosscheck{t: t, bk: bk, rng: rand.New(rand.NewPCG(uint64(k), uint64(round))), most: min(most, 20+most*round/rounds)}
					of.run(c)
					return c.results
				}
				want := run(gonumBackend{})
				for _, bk := range backends.All(t) {
					got := run(bk)
					for i, w := range want {
						compared[w.of] = true
						if d := w.x.Sub(got[i].x).Norm(); got[i].x.R != w.x.R || got[i].x.C != w.x.C || !(d <= w.tolerance) {
							t.Fatalf("backend %s, round %d: %s: %d×%d: the difference has norm %.3g, the bound is %.3g",
								bk.Name(), round, w.of, w.x.R, w.x.C, d, w.tolerance)
						}
					}
				}
			}
		})
	}
	for _, of := range []reflect.Type{
		reflect.TypeFor[*Cholesky](), reflect.TypeFor[*LDLT](), reflect.TypeFor[*LU](), reflect.TypeFor[*QR](),
	} {
		for k := range of.NumMethod() {
			name := of.Method(k).Name
			if !compared[of.Elem().Name()+"."+name] && !strings.HasPrefix(name, "Factorize") && !slices.Contains([]string{"Dim", "Dims", "Reset"}, name) {
				t.Errorf("%v.%s is not compared", of, name)
			}
		}
	}
	for _, c := range replaced {
		if !compared[c.routine] {
			t.Errorf("Implementation.%s is not compared", c.routine)
		}
	}
}

// TestBitsAreTheSame: no bit of a result depends on what earlier calls left in workspaces, or on the
// number of threads.
func TestBitsAreTheSame(t *testing.T) {
	defer blskernel.SetThreads(0)
	for k, of := range crosschecks {
		t.Run(of.name, func(t *testing.T) {
			for _, most := range []int{20, 52, 128, 240} {
				var want []result
				for threads, left := range []float64{0, math.NaN(), 1e300} {
					blskernel.SetThreads(1 + threads)
					fillWorkspaces(left)
					c := &crosscheck{t: t, bk: fastBLAS(t), rng: rand.New(rand.NewPCG(uint64(k), 1)), most: most, full: true}
					if of.run(c); threads == 0 {
						want = c.results
					}
					for i, w := range want {
						if !testmat.SameBits(c.results[i].x.X, w.x.X) {
							t.Fatalf("orders to %d: %s depends on %d threads, or on %v in workspaces", most, w.of, 1+threads, left)
						}
					}
				}
			}
		})
	}
}

// fillWorkspaces writes v to all elements of workspaces that the next routine takes.
func fillWorkspaces(v float64) {
	for range 2 { // so that there is room the second time
		var all [6]*lapack.Workspace
		for i := range all {
			all[i] = lapack.Acquire()
			copy(all[i].Take(1<<18), slices.Repeat([]float64{v}, 1<<18))
		}
		for _, w := range all {
			w.Release()
		}
	}
}
