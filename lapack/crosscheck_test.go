package lapack

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"blskernel"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/testmat"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonumlapack "gonum.org/v1/gonum/lapack"
	gonummat "gonum.org/v1/gonum/mat"
)

// A crosscheck runs all routines for one kind of matrix on one backend. The same state of rng gives the
// same problem on every backend. The condition numbers of square matrices are at most n.
type crosscheck struct {
	t       *testing.T
	bk      blskernel.Backend
	rng     *rand.Rand
	n, nrhs int
	results []result
}

// A result is what a routine computed. If own is set, a backend may choose the signs or the order.
type result struct {
	of  string
	x   *full
	own bool
}

// crosschecks lists the routines by kind of matrix.
var crosschecks = []struct {
	name string
	run  func(c *crosscheck)
}{
	{"Cholesky", (*crosscheck).cholesky},
	{"LDLT", func(c *crosscheck) {
		a := testmat.Spectral(c.rng, c.n, func(i int) float64 { return testmat.From1(i) * testmat.Alternate(i) })
		f := c.square(1, a).ldlt
		positive, negative, zero := f.Inertia()
		c.add("LDLT.Inertia", testmat.Vector(float64(positive), float64(negative), float64(zero)))
		c.solver("LDLT", f.SolveTo, f.Solver())
		c.vector("LDLT", f.SolveVecTo)
		var d mat.SymPacked
		f.DTo(&d)
		c.own("LDLT.UTo", factorOf(f.UTo))
		c.own("LDLT.DTo", testmat.Of(&d))
		c.permutation("LDLT.Pivots", f.Pivots(nil))
	}},
	{"LU", (*crosscheck).lu},
	{"QR", (*crosscheck).qr},
	{"LeastSquares", (*crosscheck).leastSquares},
	{"elimination", (*crosscheck).elimination},
	{"triangle", (*crosscheck).triangle},
	{"Dgetrf and others", (*crosscheck).solvers},
	{"Dgeqrf and others", (*crosscheck).orthogonal},
	{"spectra", (*crosscheck).spectra},
}

func (c *crosscheck) add(of string, x *full) { c.results = append(c.results, result{of, x, false}) }
func (c *crosscheck) own(of string, x ...*full) {
	for _, x := range x {
		c.results = append(c.results, result{of, x, true})
	}
}

func (c *crosscheck) right() *full { return testmat.Random(c.rng, c.n, c.nrhs) }

// on adds what do makes of a copy of b, and checks that nothing around the copy changes.
func (c *crosscheck) on(of string, b *full, do func(x *mat.Dense) error) {
	c.t.Helper()
	x, intact := wide(c.t, b)
	testutil.NoError(c.t, do(x))
	intact()
	c.add(of, testmat.Of(x))
}

// square runs what Cholesky, LDLT and LU have in common, and leaves a factored.
func (c *crosscheck) square(kind int, a *full) *factorization {
	f, b := factorizations(c.t, c.bk)[kind], c.right()
	for _, inPlace := range []bool{true, false} {
		testutil.NoError(c.t, f.factorize(a, inPlace))
		log, sign := f.LogDet()
		c.add(f.name+".LogDet", testmat.Vector(log, sign))
		c.own(f.name+".RCond", testmat.Vector(f.RCond())) // of another estimate
		x, err := f.inverse(inPlace)
		testutil.NoError(c.t, err)
		c.add(f.name+map[bool]string{false: ".InverseTo", true: ".InverseInPlace"}[inPlace], x)
	}
	c.add(f.name+".Factorize", f.rebuild(false))
	c.add(f.name+".FactorizeInPlace", f.rebuild(false))
	x, rows := solutions(c.t, f.name, f, b)
	c.add(f.name+".SolveTo", testmat.Of(x))
	c.add(f.name+".SolveRowsTo", rows)
	_, err := f.refine(x, a, b.Dense())
	testutil.NoError(c.t, err)
	c.add(f.name+".Refine", testmat.Of(x))
	return f
}

// solver adds the product with one vector, which is the solution for it, bit for bit.
func (c *crosscheck) solver(of string, solve func(dst, b *mat.Dense) error, product func(x []float64)) {
	b := testmat.Random(c.rng, c.n, 1)
	x := b.Dense()
	testutil.NoError(c.t, solve(x, x))
	if product(b.X); !testmat.SameBits(denseData(x), b.X) {
		c.t.Errorf("%s.Solver: the product differs from the solution", of)
	}
	c.add(of+".Solver", b)
}

func (c *crosscheck) vector(of string, solve func(dst *gonummat.VecDense, b gonummat.Vector) error) {
	x := gonummat.NewVecDense(c.n, testmat.Random(c.rng, c.n, 1).X)
	testutil.NoError(c.t, solve(x, x))
	c.add(of+".SolveVecTo", testmat.Of(x))
}

// permutation adds a permutation that a backend may choose.
func (c *crosscheck) permutation(of string, p []int) {
	x := testmat.New(len(p), 1)
	for i, v := range p {
		x.X[i] = float64(v)
	}
	c.own(of, x)
}

func (c *crosscheck) lu() {
	a := testmat.General(c.rng, c.n)
	c.square(2, a)
	f := LU{Backend: c.bk}
	testutil.NoError(c.t, f.Factorize(a.Dense()))
	c.on("LU.SolveTransTo", c.right(), func(x *mat.Dense) error { return f.SolveTransTo(x, x) })
	c.vector("LU", func(dst *gonummat.VecDense, b gonummat.Vector) error { return f.SolveVecTo(dst, true, b) })
	c.own("LU.LTo", testmat.Of(f.LTo(&gonummat.TriDense{})))
	c.own("LU.Growth", testmat.Vector(f.Growth()))
	c.own("LU.UTo", factorOf(f.UTo))
	c.permutation("LU.RowPivots", f.RowPivots(nil))
	c.permutation("LU.ColumnPivots", f.ColumnPivots(nil))
}

func (c *crosscheck) cholesky() {
	a, trans := testmat.Spectral(c.rng, c.n, testmat.From1), c.rng.IntN(2) == 0
	c.square(0, a)
	f := Cholesky{Backend: c.bk}
	testutil.NoError(c.t, f.Factorize(symOf(a)))
	c.on("Cholesky.SolveUTo", c.right(), func(x *mat.Dense) error { return f.SolveUTo(x, x, trans) })
	c.on("Cholesky.SolveURowsTo", c.right().T(), func(x *mat.Dense) error { return f.SolveURowsTo(x, x, trans) })
	c.on("Cholesky.SolveUTriangle", testmat.Random(c.rng, c.n, c.n), f.SolveUTriangle)
	c.on("Cholesky.MulUTriangle", testmat.Random(c.rng, c.n, c.n), f.MulUTriangle)
	c.solver("Cholesky", f.SolveTo, f.Solver())
	c.vector("Cholesky", f.SolveVecTo)
	c.add("Cholesky.UTo", factorOf(f.UTo))
}

func (c *crosscheck) qr() {
	l := c.n + c.rng.IntN(c.n+1)
	a, b := testmat.Spectra()[1].General(c.rng, l, c.n), testmat.Random(c.rng, l, c.nrhs)
	f, g := QR{Backend: c.bk}, QR{Backend: c.bk}
	testutil.NoError(c.t, errors.Join(f.Factorize(a.Dense()), g.FactorizeInPlaceContext(c.t.Context(), a.Dense())))
	var r, q, x mat.Dense
	f.RTo(&r)
	f.QTo(&q)
	testutil.NoError(c.t, f.SolveTo(&x, b.Dense()))
	c.own("QR.RCond", testmat.Vector(f.RCond()))
	c.add("QR.RTo", testmat.Of(&r))
	c.add("QR.Factorize", testmat.Of(&q).Mul(testmat.Of(&r)))
	c.add("QR.FactorizeInPlace", testmat.Of(&q))
	c.add("QR.QTo", testmat.Of(&q))
	of, err := g.QInPlaceContext(c.t.Context())
	testutil.NoError(c.t, errors.Join(err, g.FactorizeInPlace(a.Dense())))
	c.add("QR.FactorizeInPlaceContext", testmat.Of(of))
	c.add("QR.QInPlaceContext", testmat.Of(of))
	c.add("QR.QInPlace", testmat.Of(g.QInPlace()))
	c.add("QR.SolveTo", testmat.Of(&x))
}

func (c *crosscheck) leastSquares() {
	l, rank := 1+c.rng.IntN(2*c.n), (c.n+1)/2
	a, b := testmat.Random(c.rng, l, rank).Mul(testmat.Random(c.rng, rank, c.n)), testmat.Random(c.rng, l, c.nrhs)
	f, g := LeastSquares{Backend: c.bk}, LeastSquares{Backend: c.bk}
	testutil.NoError(c.t, errors.Join(f.Factorize(a.Dense()), g.FactorizeInPlace(a.Dense())))
	var x, y mat.Dense
	testutil.NoError(c.t, errors.Join(f.SolveTo(&x, b.Dense()), g.SolveTo(&y, b.Dense())))
	c.add("LeastSquares.Factorize", testmat.Of(&x))
	c.add("LeastSquares.FactorizeInPlace", testmat.Of(&y))
	c.add("LeastSquares.SolveTo", testmat.Of(&x))
	c.add("LeastSquares.Rank", testmat.Vector(float64(f.Rank())))
	c.own("LeastSquares.RCond", testmat.Vector(f.RCond()))
	c.permutation("LeastSquares.Pivots", f.Pivots(nil))
}

// The signs of R' and z' are a backend's own. R'ᵀR' and R'ᵀz' are not.
func (c *crosscheck) elimination() {
	for _, triangle := range []bool{false, true} {
		of, q := "MergeTriangles", c.n
		if !triangle {
			of, q = "AppendRows", 1+c.rng.IntN(c.n)
		}
		p := newStackedProblem(c.rng, c.n, q, c.nrhs, stackedGallery[0].change, triangle)
		got := p.check(c.t, of, c.bk, p.routine())
		c.own(of, got.r, got.z, got.y)
		c.add(of, got.r.T().Mul(got.r))
		c.add(of, got.r.T().Mul(got.z))
	}
}

func (c *crosscheck) triangle() {
	h, trans := hold(testmat.Triangle(c.rng, c.n), c.n+3, triangleOf(blas.Upper, false)), c.rng.IntN(2) == 0
	c.own("RCondTriangle", testmat.Vector(RCondTriangle(c.bk, h.View())))
	c.on("SolveTriangular", c.right(), func(x *mat.Dense) error { return SolveTriangular(c.bk, x, h.View(), trans) })
	c.on("SolveTriangularRows", c.right().T(), func(x *mat.Dense) error { return SolveTriangularRows(c.bk, x, h.View(), trans) })
	testutil.NoError(c.t, InvertTriangle(c.bk, h.View()))
	c.add("InvertTriangle", h.After(c.t, "InvertTriangle"))
}

// solvers runs the routines of Implementation that factor square matrices, solve and invert.
func (c *crosscheck) solvers() {
	const norm = gonumlapack.MaxColumnSum
	impl, n := Implementation{Backend: c.bk}, c.n
	diag := []blas.Diag{blas.NonUnit, blas.Unit}[c.rng.IntN(2)]
	tr, ld := []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans}[c.rng.IntN(3)], n+c.rng.IntN(4)
	b, work, ipiv, iwork := c.right(), make([]float64, 4*n), make([]int, n), make([]int, n)
	must := func(of string, ok bool) {
		if !ok {
			c.t.Fatalf("%s has failed", of)
		}
	}
	solve := func(of string, do func(x []float64, ld int)) {
		x := hold(b, c.nrhs+2, whole)
		do(x.X, x.Ld)
		c.add(of, x.After(c.t, of))
	}

	h := hold(testmat.General(c.rng, n), ld, whole)
	must("Dgetrf", impl.Dgetrf(n, n, h.X, ld, ipiv))
	c.own("Dgetrf", h.Matrix())
	solve("Dgetrs", func(x []float64, ldx int) { impl.Dgetrs(tr, n, c.nrhs, h.X, ld, ipiv, x, ldx) })
	c.own("Dgecon", testmat.Vector(impl.Dgecon(norm, n, h.X, ld, 1, work, iwork)))
	must("Dgetri", impl.Dgetri(n, h.X, ld, ipiv, work, n))
	c.add("Dgetri", h.After(c.t, "Dgetri"))

	for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
		h = hold(testmat.Spectral(c.rng, n, testmat.From1), ld, triangleOf(ul, false))
		must("Dpotrf", impl.Dpotrf(ul, n, h.X, ld))
		c.add("Dpotrf", h.Matrix())
		solve("Dpotrs", func(x []float64, ldx int) { impl.Dpotrs(ul, n, c.nrhs, h.X, ld, x, ldx) })
		c.own("Dpocon", testmat.Vector(impl.Dpocon(ul, n, h.X, ld, 1, work, iwork)))
		must("Dpotri", impl.Dpotri(ul, n, h.X, ld))
		c.add("Dpotri", h.After(c.t, "Dpotri"))

		r := testmat.Triangle(c.rng, n)
		h = newGuarded(ul, n, ld, diag == blas.Unit, func(i, j int) float64 { return r.At(min(i, j), max(i, j)) })
		c.own("Dtrcon", testmat.Vector(impl.Dtrcon(norm, ul, diag, n, h.X, ld, work, iwork)))
		solve("Dtrtrs", func(x []float64, ldx int) { must("Dtrtrs", impl.Dtrtrs(ul, tr, diag, n, c.nrhs, h.X, ld, x, ldx)) })
		must("Dtrtri", impl.Dtrtri(ul, diag, n, h.X, ld))
		c.add("Dtrtri", h.After(c.t, "Dtrtri"))
	}
}

func (c *crosscheck) orthogonal() {
	l := 2*c.n + c.rng.IntN(20)
	a, b := testmat.Spectra()[1].General(c.rng, l, c.n), testmat.Random(c.rng, l, c.nrhs)
	for of, lq := range []bool{false, true} {
		o, name := orthogonal{Implementation{Backend: c.bk}, c.t, lq}, func(qr, lq string) string { return []string{qr, lq}[of] }
		v, tau := o.factor(a)
		c.add(name("Dgeqrf", "Dgelqf"), v.Part(0, 0, c.n, c.n).Upper(0))
		c.own(name("Dgeqrf", "Dgelqf"), v, testmat.Vector(tau...))
		c.add(name("Dorgqr", "Dorglq"), o.form(v, tau, c.n))
		for _, trans := range []blas.Transpose{blas.NoTrans, blas.Trans} {
			c.add(name("Dormqr", "Dormlq"), o.multiply(blas.Left, trans, v, tau, b))
			c.add(name("Dormqr", "Dormlq"), o.multiply(blas.Right, trans, v, tau, b.T()))
		}
		c.add("Dgels", o.solve(a, b))
	}
	h, order, tau := hold(a, c.n+3, whole), slices.Repeat([]int{-1}, c.n), make([]float64, c.n)
	o := orthogonal{Float64: Implementation{Backend: c.bk}, t: c.t}
	o.work(3*c.n+1, func(work []float64, lwork int) { o.Dgeqp3(l, c.n, h.X, h.Ld, order, tau, work, lwork) })
	c.own("Dgeqp3", h.After(c.t, "Dgeqp3"), testmat.Vector(tau...))
	c.permutation("Dgeqp3", order)
}

func (c *crosscheck) spectra() {
	n, m := c.n, 1+c.rng.IntN(2*c.n)
	a := testmat.Normal(true, testmat.One)(c.rng, n)
	w, z, ok := syev(c.t, c.bk, gonumlapack.EVCompute, blas.Upper, a)
	values, _, okAlone := syev(c.t, c.bk, gonumlapack.EVNone, blas.Lower, a)
	c.add("Dsyev", testmat.Vector(w...))
	c.add("Dsyev", testmat.Vector(values...))
	c.own("Dsyev", z)

	d := svdOf(c.t, c.bk, testmat.Random(c.rng, m, n), gonumlapack.SVDStore, gonumlapack.SVDStore)
	c.add("Dgesvd", testmat.Vector(d.values...))
	c.own("Dgesvd", d.u, d.vt)

	e := dgeev(c.t, Implementation{Backend: c.bk}, testmat.Random(c.rng, n, n), true, true)
	c.own("Dgeev", testmat.Vector(e.wr...), testmat.Vector(e.wi...), e.left, e.right)
	if !ok || !okAlone || !d.ok || e.first != 0 {
		c.t.Fatalf("%d×%d: no convergence: %v, %v, %v, %d", m, n, ok, okAlone, d.ok, e.first)
	}
}

// TestCrossCheck runs every routine on problems of random shapes. On the pure backend no bit depends on
// the kernel, the number of threads, or what earlier calls left in workspaces. Other backends and
// gonum's BLAS agree: residuals of 30 n eps, which the other tests allow, make differences of 60 n eps
// cond(A) ‖X‖, or 1e-9 ‖X‖ for the largest n. At order 160 two threads share a triangle's inverse.
func TestCrossCheck(t *testing.T) {
	defer blskernel.SetThreads(0)
	sizes := []int{7, 33, 90, 160}
	if testutil.UnderRace() {
		sizes = []int{160}
	} else if testutil.Long() {
		sizes = append(sizes, 240, 400)
		for n := 1; n < 160; n += 6 {
			sizes = append(sizes, n)
		}
	}
	compared := map[string]bool{}
	for k, of := range crosschecks {
		for _, n := range sizes {
			run := func(bk blskernel.Backend, threads int, left float64) []result {
				blskernel.SetThreads(threads)
				fillWorkspaces(left)
				useBLAS(t, bk)
				c := &crosscheck{t: t, bk: bk, rng: rand.New(rand.NewPCG(uint64(k), uint64(n))), n: n, nrhs: 1 + n/9}
				of.run(c)
				return c.results
			}
			want := run(fastBLAS(t), 1, 0)
			check := func(name string, got []result, bits bool) {
				for i, w := range want {
					compared[w.of] = true
					d := math.Inf(1)
					if len(got) == len(want) && w.x.R == got[i].x.R && w.x.C == got[i].x.C {
						d = w.x.Sub(got[i].x).Norm()
					}
					if bits && !testmat.SameBits(w.x.X, got[i].x.X) || !bits && !w.own && !(d <= 1e-9*w.x.Norm()) {
						t.Fatalf("%s: n=%d: %s on %s: differs by %g of %g", of.name, n, w.of, name, d, w.x.Norm())
					}
				}
			}
			check("two threads, with NaN in workspaces", run(fastBLAS(t), 2, math.NaN()), true)
			check("three threads, with 1e300 in workspaces", run(fastBLAS(t), 3, 1e300), true)
			for _, bk := range append(backends.All(t), gonumBackend{}) {
				if !strings.HasPrefix(bk.Name(), "pure") || n <= 33 || testutil.Long() {
					check(bk.Name(), run(bk, 1, 0), strings.HasPrefix(bk.Name(), "pure"))
				}
			}
		}
	}
	for _, of := range []reflect.Type{
		reflect.TypeFor[*Cholesky](), reflect.TypeFor[*LDLT](), reflect.TypeFor[*LU](), reflect.TypeFor[*QR](),
		reflect.TypeFor[*LeastSquares](),
	} {
		for k := range of.NumMethod() {
			if name := of.Method(k).Name; !compared[fmt.Sprintf("%s.%s", of.Elem().Name(), name)] && !slices.Contains([]string{"Dim", "Dims", "Reset"}, name) {
				t.Errorf("%v.%s is not compared", of, name)
			}
		}
	}
	for _, test := range replaced {
		if routine := testutil.RoutineOf(test); !compared[routine] {
			t.Errorf("Implementation.%s is not compared", routine)
		}
	}
}

// fillWorkspaces writes v to all elements of the workspaces that the next routine takes.
func fillWorkspaces(v float64) {
	for range 2 { // so that there is room the second time
		var all [6]*factor.Workspace
		for i := range all {
			all[i] = factor.Acquire()
			copy(all[i].Take(1<<18), slices.Repeat([]float64{v}, 1<<18))
		}
		for _, w := range all {
			w.Release()
		}
	}
}
