package lapack

import (
	"errors"
	"math"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/linalg/backend"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/testmat"
	"blskernel/mat"
)

// TestHostilePowersOfTwo multiplies matrices by 2^±500 and right-hand sides by 2^±400: factors,
// solutions, inverses and reciprocal condition numbers are multiplied by what they should be, to the
// bit. For QR the factor is 2^±400: beyond about 2^±450 column norms are not computed from the sum of
// squares, and may round differently.
func TestHostilePowersOfTwo(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, n := range []int{1, 2, 5, 17, 64, 130} {
			want := scaledResults(t, bk, n, 0, 0)
			for _, p := range [][2]int{{-500, 400}, {-500, -400}, {500, 400}, {500, -400}} {
				for name, got := range scaledResults(t, bk, n, p[0], p[1]) {
					if !testmat.SameBits(got, want[name]) {
						t.Errorf("n=%d, 2^%d: %s has other bits", n, p[0], name)
					}
				}
			}
		}
	})
}

// scaledResults returns what the routines make of matrices times 2^m and right-hand sides times 2^rhs,
// divided by the powers of two that should be in it.
func scaledResults(t *testing.T, bk blskernel.Backend, n, m, rhs int) map[string][]float64 {
	t.Helper()
	rng := testutil.Rand(uint64(302 + n))
	matrices := []*full{
		testmat.Spectral(rng, n, func(i int) float64 { return 1 + float64(i%9) }),
		testmat.Sym(n, func(i, j int) float64 { return rng.NormFloat64() }), testmat.Random(rng, n, n),
	}
	tall, right := testmat.Random(rng, 2*n+1, n), testmat.Random(rng, 2*n+1, 3)
	out := map[string][]float64{}
	keep := func(name string, e int, x *full, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("n=%d, 2^%d, %s: %v", n, m, name, err)
		}
		out[name] = x.Times(-e).X
	}
	var x mat.Dense
	for k, f := range factorizations(t, bk) {
		err := f.factorize(matrices[k].Times(m), false)
		keep(f.name+", product of factors", m, f.rebuild(false), err)
		keep(f.name+".RCond", 0, testmat.Vector(f.RCond()), nil)
		x.Reset()
		b := testmat.From(n, 3, right.X...).Times(rhs).Dense()
		err = f.SolveTo(&x, b)
		keep(f.name+".SolveTo", rhs-m, testmat.Of(&x), err)
		bounds, err := f.refine(&x, matrices[k].Times(m), b)
		keep(f.name+".Refine", 0, testmat.Vector(append(bounds.Backward, bounds.Forward...)...), err)
		inverse, err := f.inverse(false)
		keep(f.name+".InverseTo", -m, inverse, err)
	}
	m = max(-400, min(400, m))
	qr := QR{Backend: bk}
	err := qr.Factorize(tall.Times(m).Dense())
	keep("QR.RCond", 0, testmat.Vector(qr.RCond()), err)
	x.Reset()
	qr.RTo(&x)
	keep("R", m, testmat.Of(&x), nil)
	x.Reset()
	err = qr.SolveTo(&x, right.Times(rhs).Dense())
	keep("QR.SolveTo", rhs-m, testmat.Of(&x), err)
	r, z := testmat.New(n, n).Dense(), testmat.New(n, 3).Dense()
	err = AppendRows(bk, r, z, tall.Times(m).Dense(), right.Times(rhs).Dense())
	keep("R of AppendRows", m, testmat.Of(r), err)
	keep("z of AppendRows", rhs, testmat.Of(z), nil)
	err = InvertTriangle(bk, r)
	keep("inverse of R", -m, testmat.Of(r), err)
	return out
}

// TestHostileSubnormal factors matrices of subnormal numbers that have exact factors of few bits. A CPU
// that treated subnormal numbers as zero, or flushed results to zero, would find them singular. The
// sums are of at most n products of 3 and 4 bits, and multiples of the quarters of L, so all that is
// computed is a multiple of 2^-1074 and below 2^53 of them.
func TestHostileSubnormal(t *testing.T) {
	const power = -1072 // and half of it for the factor of Cholesky
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, n := range []int{1, 2, 3, 8, 33, 70} {
			rng := testutil.Rand(uint64(303 + n))
			l, _ := exactRank(rng, n, n)
			u := testmat.Func(n, n, func(i, j int) float64 {
				return testmat.Unless(i > j) * (float64(rng.IntN(5)-2)*testmat.Unless(i == j) + 4*testmat.Unless(i != j))
			})
			ch := Cholesky{Backend: bk}
			testutil.NoError(t, ch.Factorize(symOf(u.T().Mul(u).Times(power))))
			if got := factorOf(ch.UTo); !slices.Equal(got.X, u.Times(power/2).X) {
				t.Errorf("n=%d: the Cholesky factor of subnormal numbers is not exact", n)
			}

			d := LDLT{Backend: bk}
			diagonal := testmat.Sym(n, func(i, j int) float64 { return float64(i+1) * testmat.Alternate(i) * testmat.Unless(i != j) })
			testutil.NoError(t, d.Factorize(symOf(diagonal.Times(-1074))))
			checkInertia(t, "subnormal", &d, n/2)

			// A X = B for an X of small integers.
			x := testmat.Func(n, 2, func(_, _ int) float64 { return float64(rng.IntN(7) - 3) })
			lu, got := LU{Backend: bk}, new(mat.Dense)
			err := lu.Factorize(l.Mul(u).Times(power).Dense())
			if err == nil {
				err = lu.SolveTo(got, l.Mul(u).Mul(x).Times(power).Dense())
			}
			_, library := backend.ColumnMajor(bk)
			switch {
			case library && (errors.Is(err, ErrNotFinite) || errors.Is(err, ErrOverflow)):
				// OpenBLAS multiplies by reciprocals of the pivots, which are infinite.
			case err != nil:
				t.Errorf("n=%d: LU: %v", n, err)
			case !slices.Equal(testmat.Of(got).X, x.X):
				t.Errorf("n=%d: the solution of a system of subnormal numbers is not exact", n)
			}
		}
	})
}

// TestHostileZeros has zeros of both signs: factors and solutions are equal, and a pivot of -0 is zero.
func TestHostileZeros(t *testing.T) {
	negative := math.Copysign(0, -1)
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, n := range []int{1, 3, 20, 65} {
			rng := testutil.Rand(uint64(304 + n))
			plain := testmat.Sym(n, func(i, j int) float64 {
				if i == j {
					return float64(2 * n)
				}
				return rng.NormFloat64() * float64(rng.IntN(2))
			})
			// Every zero is positive, or every one negative, and so is all of the last row
			// and column.
			signed := func(zero float64, size int) *full {
				return testmat.Func(n, n, func(i, j int) float64 {
					if v := plain.At(i, j); v != 0 && max(i, j) < size {
						return v
					}
					return zero
				})
			}
			other, last := signed(negative, n), signed(negative, n-1)
			plain = signed(0, n)
			b := testmat.Random(rng, n, 2).Dense()
			solution := func(name string, factorize func(a *full) error, solve func(dst, b *mat.Dense) error) {
				t.Helper()
				var want, got mat.Dense
				testutil.NoError(t, errors.Join(factorize(plain), solve(&want, b), factorize(other), solve(&got, b)))
				if !slices.Equal(testmat.Of(&got).X, testmat.Of(&want).X) {
					t.Errorf("n=%d: the sign of zeros changes the solution by %s", n, name)
				}
			}
			for _, f := range factorizations(t, bk) {
				solution(f.name, func(a *full) error { return f.factorize(a, false) }, f.SolveTo)
				first := n - 1
				if f.ldlt != nil {
					first = 0
				}
				wantPivotIn(t, f.name, f.factorize(last, false), f.singular, first, n-1, 0)
			}
			qr := QR{Backend: bk}
			solution("QR", func(a *full) error { return qr.Factorize(a.Dense()) }, qr.SolveTo)
		}
	})
}
