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

// Eigenvalues that are only rounding errors count as zero, at any scale of the matrix.
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
					if pivot := new(PivotError); errors.As(err, &pivot) && bk.Name() != "pure" {
						continue // by chance a pivot is exactly zero
					}
					if p, q, z := f.Inertia(); err != nil || p != r || q != 2 || z != n-r-2 {
						t.Errorf("n=%d, 2^%d: inertia (%d, %d, %d), want (%d, 2, %d); %v", n, exponent, p, q, z, r, n-r-2, err)
					}
				}
			}
		}
	})
}

// The second of two equal rows leaves only rounding errors, from which no element may grow.
func TestRepeatedRows(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(40)
		for trial := range 400 {
			n := 2 + trial%5
			b := testmat.Random(rng, n, n)
			a := testmat.Sym(2*n, func(i, j int) float64 { return b.At(min(i%n, j%n), max(i%n, j%n)) })
			for _, f := range factorizations(t, bk) {
				if f.ldlt == nil || errors.Is(f.factorize(a, false), ErrSingular) {
					continue
				}
				testutil.NoError(t, f.factorize(a, false))
				checkPivots(t, "repeated rows", f.ldlt)
				if r := elementRatio(a, f.rebuild(false), f.rebuild(true)); !(r <= 30) {
					t.Errorf("n=%d: backward error %g n eps", 2*n, r)
				}
			}
		}
	})
}

// A vector of any type is solved like a matrix of one column, and a transposed system like a system
// with the transpose.
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
