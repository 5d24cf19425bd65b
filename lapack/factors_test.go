package lapack

import (
	"errors"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/testmat"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// Eigenvalues that are rounding alone count as zero, for a matrix of any scale.
func TestInertiaOfLowRank(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(38)
		for _, n := range []int{20, 50, 130} {
			for _, r := range []int{1, 10, n - 5} {
				for _, exponent := range []int{0, -900, 900} {
					x, y := testmat.Random(rng, n, r), testmat.Random(rng, n, 2)
					a := x.Mul(x.T()).Sub(y.Mul(y.T()))
					f := LDLT{Backend: bk}
					err := f.Factorize(symOf(a.Times(exponent)))
					if p, q, z := f.Inertia(); err != nil || p != r || q != 2 || z != n-r-2 {
						t.Errorf("n=%d, 2^%d: inertia (%d, %d, %d), want (%d, 2, %d); %v", n, exponent, p, q, z, r, n-r-2, err)
					}
				}
			}
		}
	})
}

// The factors that the getters return multiply to the matrix.
func TestFactors(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, n := range []int{0, 1, 2, 9, 65} {
			rng := testutil.Rand(uint64(380 + n))
			definite, general := testmat.Spectral(rng, n, testmat.From1), testmat.Random(rng, n, n)
			indefinite := testmat.Sym(n, func(i, j int) float64 { return testmat.Unless(i == j && n > 1) * rng.NormFloat64() })
			check := func(name string, got *full, a *full, rows, cols []int) {
				t.Helper()
				got = testmat.Func(n, n, func(i, j int) float64 { return got.At(rows[i], cols[j]) })
				if !(got.Sub(a).Norm() <= 30*float64(n)*eps*a.Norm()) {
					t.Errorf("%s: n=%d: the product of the factors is not A", name, n)
				}
			}
			ch, f, lu := Cholesky{Backend: bk}, LDLT{Backend: bk}, LU{Backend: bk}
			testutil.NoError(t, errors.Join(ch.Factorize(symOf(definite)), f.Factorize(symOf(indefinite)), lu.Factorize(general.Dense())))
			var u, ldltU, l, luU gonummat.TriDense
			var d mat.SymPacked
			ch.UTo(&u)
			f.UTo(&ldltU)
			f.DTo(&d)
			lu.UTo(&luU)
			if lu.LTo(&l) != &l {
				t.Error("LTo returns another matrix")
			}
			identity := permutation(nil, n, nil)
			if n == 0 {
				continue
			}
			check("Cholesky", testmat.Of(&u).T().Mul(testmat.Of(&u)), definite, identity, identity)
			p := f.Pivots(nil)
			check("LDLT", testmat.Of(&ldltU).T().Mul(testmat.Of(&d)).Mul(testmat.Of(&ldltU)), indefinite, p, p)
			rows, cols := lu.RowPivots(make([]int, n)), lu.ColumnPivots(nil)
			check("LU", testmat.Of(&l).Mul(testmat.Of(&luU)), general, rows, cols)
			var of gonummat.LU
			of.Factorize(general.Dense())
			if !lu.transposed() && !slices.Equal(rows, of.RowPivots(nil)) {
				t.Errorf("n=%d: RowPivots %v, gonum's %v", n, rows, of.RowPivots(nil))
			}
		}
	})
}

// A vector is solved as a matrix of one column, whatever its type, and a transposed system as that of
// the transpose.
func TestSolveVecTo(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		const n = 40
		rng := testutil.Rand(39)
		a, b := testmat.Spectral(rng, n, testmat.From1), testmat.Random(rng, n, 3)
		general := testmat.Random(rng, n, n)
		ch, f, lu := Cholesky{Backend: bk}, LDLT{Backend: bk}, LU{Backend: bk}
		testutil.NoError(t, errors.Join(ch.Factorize(symOf(a)), f.Factorize(symOf(a)), lu.Factorize(general.Dense())))
		for name, s := range map[string]struct {
			a     *full
			solve func(dst, b *mat.Dense) error
			vec   func(dst *gonummat.VecDense, b gonummat.Vector) error
		}{
			"Cholesky": {a, ch.SolveTo, ch.SolveVecTo},
			"LDLT":     {a, f.SolveTo, f.SolveVecTo},
			"LU":       {general, lu.SolveTo, func(dst *gonummat.VecDense, b gonummat.Vector) error { return lu.SolveVecTo(dst, false, b) }},
			"LU, trans": {general.T(), lu.SolveTransTo,
				func(dst *gonummat.VecDense, b gonummat.Vector) error { return lu.SolveVecTo(dst, true, b) }},
		} {
			var x, one mat.Dense
			testutil.NoError(t, s.solve(&x, b.Dense()))
			checkSolution(t, name, s.a, testmat.Of(&x), b)
			dense := b.Dense()
			column := dense.ColView(1)
			testutil.NoError(t, s.solve(&one, mat.NewDense(n, 1, gonummat.Col(nil, 0, column))))
			var fresh gonummat.VecDense
			in := column.(*gonummat.VecDense)
			testutil.NoError(t, errors.Join(s.vec(&fresh, in), s.vec(in, in)))
			if want := one.RawMatrix().Data; !slices.Equal(gonummat.Col(nil, 0, &fresh), want) || !slices.Equal(gonummat.Col(nil, 0, in), want) {
				t.Errorf("%s: SolveVecTo differs from SolveTo", name)
			}
			testutil.MustPanic(t, gonummat.ErrShape, func() { _ = s.vec(&fresh, gonummat.NewVecDense(n+1, nil)) })
		}
		testutil.MustPanic(t, gonummat.ErrTriangle, func() { ch.UTo(gonummat.NewTriDense(n, gonummat.Lower, nil)) })
		testutil.MustPanic(t, gonummat.ErrShape, func() { f.DTo(mat.NewSymPacked(n+1, nil)) })
		testutil.MustPanic(t, pivotsLength, func() { lu.RowPivots(make([]int, n+1)) })
	})
}
