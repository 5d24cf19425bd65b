package lapack

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas/blas64"
	gonumblas "gonum.org/v1/gonum/blas/gonum"
)

// A gonumBackend is gonum's BLAS alone, in Go: what all backends are compared with.
type gonumBackend struct{ gonumblas.Implementation }

func (gonumBackend) Name() string { return "gonum" }

// A result is what a routine has computed, and how far two backends may be apart in it.
type result struct {
	of        string // the routine, or several of them
	x         *full
	tolerance float64
}

// A comparison is a kind of matrix and all routines for it, on one backend. It draws the same problem
// from the same state of rng, whatever the backend.
type comparison struct {
	name     string
	routines string
	run      func(t *testing.T, bk blskernel.Backend, rng *rand.Rand, most int) []result
}

// between is the bound of the difference of two solutions of A X = B, or inverses, in the 1-norm. Each
// of them has a residual below 30 n eps ‖A‖ ‖X‖, to which the other tests of this package hold every
// backend, and X - Y = A⁻¹(R_Y - R_X).
func between(n int, cond float64, x *full) float64 {
	return 2 * ratioBound * float64(n) * eps * cond * x.norm()
}

// condOf returns ‖A‖ ‖A⁻¹‖ by gonum's routines.
func condOf(a *full) float64 {
	if a.r == 0 {
		return 1
	}
	f := LU{Backend: gonumBackend{}}
	var x mat.Dense
	if err := errors.Join(f.Factorize(a.dense()), f.InverseTo(&x)); err != nil {
		panic(err)
	}
	return a.norm() * fullOf(&x).norm()
}

// order draws an order: mostly a small one.
func order(rng *rand.Rand, most int) int {
	if rng.IntN(3) == 0 {
		return rng.IntN(most + 1)
	}
	return rng.IntN(min(most, 40) + 1)
}

// generalOf returns a square matrix with singular values from 1 to n.
func generalOf(rng *rand.Rand, n int) *full {
	a := newFull(n, n)
	for i := range n {
		a.set(i, i, 1+float64(i))
	}
	for range 2 {
		a = a.reflectLeft(unitVector(rng, n)).transpose()
	}
	return a.reflectLeft(unitVector(rng, n))
}

// triangleOf returns an upper triangle that is near a diagonal of 2 to 3.
func triangleOf(rng *rand.Rand, n int) *full {
	r := newFull(n, n)
	for i := range n {
		r.set(i, i, 2+rng.Float64())
		for j := i + 1; j < n; j++ {
			r.set(i, j, rng.NormFloat64()/float64(n))
		}
	}
	return r
}

// solvedBy solves with b in a view of which all around must stay, and b itself too.
func solvedBy(t *testing.T, name string, b *full, solve func(dst, b *mat.Dense) error) *full {
	t.Helper()
	if b.r == 0 || b.c == 0 {
		return newFull(b.r, b.c)
	}
	view, intact := wide(t, b)
	dst, around := wide(t, newFull(b.r, b.c))
	if err := solve(dst, view); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	intact()
	around()
	if !sameBits(fullOf(view).x, b.x) {
		t.Fatalf("%s: the right-hand sides were changed", name)
	}
	return fullOf(dst)
}

// checkSolver compares the product with one vector with the solution for it, bit for bit.
func checkSolver(t *testing.T, name string, b *full, solve func(dst, b *mat.Dense) error, product func(x []float64)) {
	t.Helper()
	if b.r == 0 || b.c == 0 {
		return
	}
	x := newFull(b.r, 1)
	copy(x.x, b.x)
	want := solvedBy(t, name, x, solve)
	if product(x.x); !sameBits(x.x, want.x) {
		t.Fatalf("%s: the product differs from the solution", name)
	}
}

// overwrittenBy is solvedBy for a routine that overwrites its operand.
func overwrittenBy(t *testing.T, name string, b *full, do func(b *mat.Dense) error) *full {
	t.Helper()
	if b.r == 0 || b.c == 0 {
		return newFull(b.r, b.c)
	}
	view, intact := wide(t, b)
	if err := do(view); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	intact()
	return fullOf(view)
}

// numbers makes a column of numbers.
func numbers(x ...float64) *full { return &full{len(x), 1, x} }

// determinant compares ln det A, whose derivative is A⁻¹: the backward error of the factors changes it
// by at most n ‖A⁻¹‖ 30 n eps ‖A‖, and the sum of n logarithms by 2(n + |ln det A|) eps.
func determinant(of string, n int, cond, log, sign float64) []result {
	most := 2 * (ratioBound*float64(n*n)*eps*cond + 2*(float64(n)+math.Abs(log))*eps)
	return []result{{of, numbers(log), most}, {of, numbers(sign), 0}}
}

// checkCondition holds an estimate of 1/cond to a factor of 10.
func checkCondition(t *testing.T, of string, got, cond float64) {
	t.Helper()
	if !(got*cond >= 1-1e-6 && got*cond <= 10) {
		t.Errorf("%s is %v, the condition number %v", of, got, cond)
	}
}

func comparisons() []comparison {
	const common = "Factorize FactorizeInPlace SolveTo SolveRowsTo InverseTo InverseInPlace RCond LogDet Refine"
	definite := spectrum(func(_, i int) float64 { return 1 + float64(i) })
	indefinite := spectrum(func(_, i int) float64 { return (1 + float64(i)) * alternate(i) })
	return []comparison{
		{"Cholesky", "Cholesky: " + common + " Solver SolveUTo SolveURowsTo SolveUTriangle MulUTriangle", compareSquare(0, definite, compareU)},
		{"LDLT", "LDLT: " + common + " Solver Inertia", compareSquare(1, indefinite, compareInertia)},
		{"LU", "LU: " + common, compareSquare(2, generalOf, func(*check) {})},
		{"QR", "QR: Factorize FactorizeInPlace SolveTo QTo QInPlace RTo RCond", compareQR},
		{"elimination", "AppendRows MergeTriangles", compareElimination},
		{"triangle", "SolveTriangular SolveTriangularRows InvertTriangle RCondTriangle", compareTriangle},
		{"Implementation", "Implementation: Dpotrf Dpotri Dpotrs Dgetrf Dgetri Dgetrs Dtrtri Dtrtrs Dorgqr Dgecon Dpocon Dtrcon", compareImplementation},
		{"reflections", "Implementation: Dgeqrf Dgelqf Dorglq Dormqr Dormlq Dgels", compareReflections},
		{"SVD", "Implementation: Dgesvd", compareSVD},
		{"eigenvalues", "Implementation: Dsyev", compareEigenSym},
		{"eigenvalues of general matrices", "Implementation: Dgeev", compareEigen},
	}
}

// gonumReflections is Dgeqrf on gonum's BLAS.
func gonumReflections(m, n int, a []float64, lda int, tau []float64) {
	before := blas64.Implementation()
	defer blas64.Use(before)
	blas64.Use(gonumBackend{})
	Implementation{}.Dgeqrf(m, n, a, lda, tau, make([]float64, n), n)
}

// TestCrossCheck compares, of every routine, the results of all backends and kernels with those on
// gonum's BLAS, on random shapes, and everything that is not to be written to the bit.
func TestCrossCheck(t *testing.T) {
	rounds, most := 4, 110
	if testutil.Long() {
		rounds, most = 200, 400
	}
	var backends []blskernel.Backend
	for _, name := range []string{"openblas", "pure/avx512", "pure/avx2", "pure/generic"} {
		if bk, err := blskernel.Lookup(name); err != nil {
			t.Logf("not tested: %v", err)
		} else {
			backends = append(backends, bk)
			t.Logf("tested on %s", name)
		}
	}
	for k, c := range comparisons() {
		t.Run(c.name, func(t *testing.T) {
			for round := range rounds {
				// The first rounds are small.
				most := min(most, 20+most*round/rounds)
				problem := func() *rand.Rand { return rand.New(rand.NewPCG(uint64(k), uint64(round))) }
				want := c.run(t, gonumBackend{}, problem(), most)
				for _, bk := range backends {
					got := c.run(t, bk, problem(), most)
					for i, w := range want {
						if err := w.compare(got[i]); err != nil {
							t.Fatalf("backend %s, round %d: %v", bk.Name(), round, err)
						}
					}
				}
			}
		})
	}
}

// Every method of the factorizations, and every routine of Implementation that is not gonum's, is
// compared.
func TestCrossCheckIsComplete(t *testing.T) {
	compared := map[string][]string{}
	for _, c := range comparisons() {
		of, methods, is := strings.Cut(c.routines, ": ")
		if is {
			compared[of] = append(compared[of], strings.Fields(methods)...)
		}
	}
	sizes := []string{"Dim", "Dims", "Reset"}
	for _, of := range []reflect.Type{
		reflect.TypeFor[*Cholesky](), reflect.TypeFor[*LDLT](), reflect.TypeFor[*LU](), reflect.TypeFor[*QR](),
	} {
		for k := range of.NumMethod() {
			name := of.Method(k).Name
			if !slices.Contains(compared[of.Elem().Name()], name) && !slices.Contains(sizes, name) {
				t.Errorf("%v.%s is not compared", of, name)
			}
		}
	}
	for _, c := range replaced {
		if !slices.Contains(compared["Implementation"], c.routine) {
			t.Errorf("Implementation.%s is not compared", c.routine)
		}
	}
}
