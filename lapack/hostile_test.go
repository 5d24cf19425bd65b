package lapack

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"blskernel"
	"blskernel/internal/backend"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"
)

// notNumbers are NaN of every kind, quiet and signaling, of either sign, with the smallest and the
// largest payload, and the infinities.
var notNumbers = []float64{
	math.Float64frombits(0x7ff8000000000001), math.Float64frombits(0xfff8000000000001),
	math.Float64frombits(0x7ff0000000000001), math.Float64frombits(0xfff0000000000001),
	math.Float64frombits(0x7fffffffffffffff), math.Float64frombits(0xffffffffffffffff),
	math.Inf(1), math.Inf(-1),
}

// An operand is an argument of a routine that is finite, and where it reads NaN.
type operand struct {
	name string
	good *full
	at   func(i, j int) (r, c int, read bool) // the place that the error names, if the element is read
	run  func(m *mat.Dense) error
}

// operands are those of all routines, for matrices of order n and c right-hand sides.
func operands(t *testing.T, bk blskernel.Backend, n, c int) []operand {
	rng := testutil.Rand(uint64(301 + n))
	spd := symSpectrum(rng, n, func(i int) float64 { return 1 + float64(i%5) })
	right, more := randomFull(rng, n, c), randomFull(rng, n, n)
	same := func(i, j int) (int, int, bool) { return i, j, true }
	upper := func(i, j int) (int, int, bool) { return i, j, i <= j }
	lower := func(i, j int) (int, int, bool) { return i, j, i >= j }
	moved := func(rows, cols int) func(i, j int) (int, int, bool) {
		return func(i, j int) (int, int, bool) { return i + rows, j + cols, true }
	}
	var all []operand
	add := func(name string, good *full, at func(i, j int) (int, int, bool), run func(m *mat.Dense) error) {
		all = append(all, operand{name, good, at, run})
	}
	// solves has a right-hand side as both arguments, and with another result, which stays as it is.
	solves := func(name string, b *full, solve func(dst, b *mat.Dense) error) {
		add(name+" in place", b, same, func(m *mat.Dense) error { return solve(m, m) })
		add(name, b, same, func(m *mat.Dense) error {
			dst := b.dense()
			err := solve(dst, m)
			if err != nil && !sameBits(denseData(dst), b.x) {
				t.Errorf("%s: the result was changed", name)
			}
			return err
		})
	}
	for k, f := range factorizations(t, bk) {
		at := same
		if f.symmetric {
			at = upper
		}
		for _, inPlace := range []bool{false, true} {
			fresh := factorizations(t, bk)[k]
			add(f.name, spd, at, func(m *mat.Dense) error { return fresh.factorize(fullOf(m), inPlace) })
		}
		if err := f.factorize(spd, false); err != nil {
			t.Fatal(err)
		}
		solves(f.name+".SolveTo", right, f.SolveTo)
		solves(f.name+".SolveRowsTo", right.transpose(), f.SolveRowsTo)
		add(f.name+".Refine, A", spd, at, func(m *mat.Dense) error { _, err := f.refine(right.dense(), fullOf(m), right.dense()); return err })
		add(f.name+".Refine, B", right, same, func(m *mat.Dense) error { _, err := f.refine(right.dense(), spd, m); return err })
		add(f.name+".Refine, X", right, same, func(m *mat.Dense) error {
			_, err := f.refine(m, spd, right.dense())
			if err != nil && !strings.HasSuffix(err.Error(), "; the input is X") {
				t.Errorf("message %q", err)
			}
			return err
		})
	}
	qr, ch := QR{Backend: bk}, Cholesky{Backend: bk}
	add("QR", spd, same, (&QR{Backend: bk}).Factorize)
	add("QR in place", spd, same, (&QR{Backend: bk}).FactorizeInPlace)
	if err := errors.Join(qr.Factorize(spd.dense()), ch.Factorize(symOf(spd))); err != nil {
		t.Fatal(err)
	}
	add("QR.SolveTo", right, same, func(m *mat.Dense) error { return qr.SolveTo(new(mat.Dense), m) })
	solves("Cholesky.SolveUTo", right, func(dst, b *mat.Dense) error { return ch.SolveUTo(dst, b, true) })
	solves("Cholesky.SolveURowsTo", right.transpose(), func(dst, b *mat.Dense) error { return ch.SolveURowsTo(dst, b, false) })
	add("Cholesky.SolveUTriangle", spd, lower, ch.SolveUTriangle)
	add("Cholesky.MulUTriangle", spd, upper, ch.MulUTriangle)
	for _, trans := range []bool{false, true} {
		add("SolveTriangular, B", right, same, func(m *mat.Dense) error { return SolveTriangular(bk, m, spd.dense(), trans) })
		add("SolveTriangular, R", spd, upper, func(m *mat.Dense) error { return SolveTriangular(bk, right.dense(), m, trans) })
		rows := right.transpose()
		add("SolveTriangularRows, B", rows, same, func(m *mat.Dense) error { return SolveTriangularRows(bk, m, spd.dense(), trans) })
		add("SolveTriangularRows, R", spd, upper, func(m *mat.Dense) error { return SolveTriangularRows(bk, rows.dense(), m, trans) })
	}
	add("InvertTriangle", spd, upper, func(m *mat.Dense) error { return InvertTriangle(bk, m) })
	for name, do := range map[string]func(bk blskernel.Backend, r, z, b, y *mat.Dense) error{"AppendRows": AppendRows, "MergeTriangles": MergeTriangles} {
		below := moved(n, 0)
		if name == "MergeTriangles" {
			below = func(i, j int) (int, int, bool) { return i + n, j, i <= j }
		}
		add(name+", R", spd, upper, func(m *mat.Dense) error { return do(bk, m, right.dense(), more.dense(), right.dense()) })
		add(name+", z", right, moved(0, n), func(m *mat.Dense) error { return do(bk, spd.dense(), m, more.dense(), right.dense()) })
		add(name+", second matrix", more, below, func(m *mat.Dense) error { return do(bk, spd.dense(), right.dense(), m, right.dense()) })
		add(name+", its right-hand sides", right, moved(n, n), func(m *mat.Dense) error { return do(bk, spd.dense(), right.dense(), more.dense(), m) })
	}
	return all
}

// TestHostileNaN gives each operand of each routine a NaN or an infinity, of each kind and in every place
// of small ones, and another one at the end: the error has the place and the value of the first, and
// nothing is written. What a routine does not read may be anything.
func TestHostileNaN(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, n := range []int{1, 2, 5, 17, 65, 130} {
			rng := testutil.Rand(uint64(n))
			for _, o := range operands(t, bk, n, min(n, 3)) {
				kinds := notNumbers
				if n > 5 {
					kinds = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}
				}
				for k, bad := range kinds {
					for i, at := range positions(rng, o.good.r, o.good.c) {
						if n == 5 && (i+k)%3 > 0 || n > 5 && i%len(kinds) != k {
							continue // every place, and every kind, but not all pairs
						}
						o.check(t, n, bad, at[0], at[1])
					}
				}
			}
		}
	})
}

func (o operand) check(t *testing.T, n int, bad float64, i, j int) {
	t.Helper()
	m := o.good.dense()
	m.Set(i, j, bad)
	r, c, read := o.at(i, j)
	if read {
		m.Set(o.good.r-1, o.good.c-1, bad)
	}
	before := fullOf(m)
	name := fmt.Sprintf("n=%d: %s: %v (%x) at (%d, %d)", n, o.name, bad, math.Float64bits(bad), i, j)
	err := o.run(m)
	if !read {
		if err != nil {
			t.Errorf("%s, which is not read: %v", name, err)
		}
		return
	}
	wantElement(t, name, err, ErrNotFinite, r, c)
	var e *ElementError
	if errors.As(err, &e) && e.Value != bad && !(math.IsNaN(e.Value) && math.IsNaN(bad)) {
		t.Errorf("%s: the value is said to be %v", name, e.Value)
	}
	if !sameBits(before.x, denseData(m)) {
		t.Errorf("%s: the operand was changed", name)
	}
}

// positions returns every element of an r×c matrix if it is small; else the corners, elements about the
// middle, and random ones.
func positions(rng *rand.Rand, r, c int) (all [][2]int) {
	if r*c <= 36 {
		for i := range r * c {
			all = append(all, [2]int{i / c, i % c})
		}
		return all
	}
	all = [][2]int{{0, 0}, {0, c - 1}, {r - 1, 0}, {r - 1, c - 1}, {r / 2, c / 2}, {r / 2, min(c/2+1, c-1)}, {r / 2, max(c/2-1, 0)}}
	for range 5 {
		all = append(all, [2]int{rng.IntN(r), rng.IntN(c)})
	}
	return all
}

// TestHostilePowersOfTwo multiplies matrices by 2^±500 and right-hand sides by 2^±400: factors,
// solutions, inverses and reciprocal condition numbers are multiplied by what they should be, to the
// bit. For QR it is 2^±400: beyond about 2^±450 norms of columns are found in another way than by the
// sum of squares, which may round the other way.
func TestHostilePowersOfTwo(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, n := range []int{1, 2, 5, 17, 64, 130} {
			want := scaledResults(t, bk, n, 0, 0)
			for _, p := range [][2]int{{-500, 400}, {-500, -400}, {500, 400}, {500, -400}} {
				for name, got := range scaledResults(t, bk, n, p[0], p[1]) {
					if !sameBits(got, want[name]) {
						t.Errorf("n=%d, 2^%d: %s has other bits", n, p[0], name)
					}
				}
			}
		}
	})
}

// times returns a times 2^e.
func (a *full) times(e int) *full {
	b := newFull(a.r, a.c)
	for i, v := range a.x {
		b.x[i] = math.Ldexp(v, e)
	}
	return b
}

// scaledResults returns what the routines make of matrices times 2^m and right-hand sides times 2^rhs,
// divided by the powers of two that should be in it.
func scaledResults(t *testing.T, bk blskernel.Backend, n, m, rhs int) map[string][]float64 {
	t.Helper()
	rng := testutil.Rand(uint64(302 + n))
	matrices := []*full{
		symSpectrum(rng, n, func(i int) float64 { return 1 + float64(i%9) }),
		symFunc(n, func(i, j int) float64 { return rng.NormFloat64() }), randomFull(rng, n, n),
	}
	tall, right := randomFull(rng, 2*n+1, n), randomFull(rng, 2*n+1, 3)
	out := map[string][]float64{}
	keep := func(name string, e int, x *full, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("n=%d, 2^%d, %s: %v", n, m, name, err)
		}
		out[name] = x.times(-e).x
	}
	var x mat.Dense
	for k, f := range factorizations(t, bk) {
		err := f.factorize(matrices[k].times(m), false)
		keep(f.name+", product of factors", m, f.rebuild(false), err)
		keep(f.name+".RCond", 0, numbers(f.RCond()), nil)
		x.Reset()
		b := (&full{n, 3, right.x[:3*n]}).times(rhs).dense()
		err = f.SolveTo(&x, b)
		keep(f.name+".SolveTo", rhs-m, fullOf(&x), err)
		bounds, err := f.refine(&x, matrices[k].times(m), b)
		keep(f.name+".Refine", 0, numbers(append(bounds.Backward, bounds.Forward...)...), err)
		inverse, err := f.inverse(false)
		keep(f.name+".InverseTo", -m, inverse, err)
	}
	m = max(-400, min(400, m))
	qr := QR{Backend: bk}
	err := qr.Factorize(tall.times(m).dense())
	keep("QR.RCond", 0, numbers(qr.RCond()), err)
	x.Reset()
	qr.RTo(&x)
	keep("R", m, fullOf(&x), nil)
	x.Reset()
	err = qr.SolveTo(&x, right.times(rhs).dense())
	keep("QR.SolveTo", rhs-m, fullOf(&x), err)
	r, z := newFull(n, n).dense(), newFull(n, 3).dense()
	err = AppendRows(bk, r, z, tall.times(m).dense(), right.times(rhs).dense())
	keep("R of AppendRows", m, fullOf(r), err)
	keep("z of AppendRows", rhs, fullOf(z), nil)
	err = InvertTriangle(bk, r)
	keep("inverse of R", -m, fullOf(r), err)
	return out
}

// exactTriangle returns a unit lower triangle of elements 0, ±1/2, so that elimination with it
// exchanges no rows, and an upper one of small integers with a diagonal of ±4.
func exactTriangle(rng *rand.Rand, n int) (l, u *full) {
	l, u = identity(n), newFull(n, n)
	for i := range n {
		for j := range i {
			l.set(i, j, float64(rng.IntN(3)-1)/2)
		}
		u.set(i, i, 4)
		for j := i + 1; j < n; j++ {
			u.set(i, j, float64(rng.IntN(5)-2))
		}
	}
	return l, u
}

// TestHostileSubnormal factors matrices of subnormal numbers which have exact factors of few bits. A
// CPU that took subnormal numbers for zero, or made zeros of them, would find them singular. The sums
// are of at most n products of 3 and 4 bits, so all that is computed is a multiple of 2^-1074 and below
// 2^53 of them.
func TestHostileSubnormal(t *testing.T) {
	const power = -1072 // and half of it for the factor of Cholesky
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, n := range []int{1, 2, 3, 8, 33, 70} {
			rng := testutil.Rand(uint64(303 + n))
			l, u := exactTriangle(rng, n)
			ch := Cholesky{Backend: bk}
			if err := ch.Factorize(symOf(u.transpose().mul(u).times(power))); err != nil {
				t.Fatalf("n=%d: Cholesky: %v", n, err)
			}
			if got := upperOf(n, ch.u, false); !sameValues(got.x, u.times(power/2).x) {
				t.Errorf("n=%d: the Cholesky factor of subnormal numbers is not exact", n)
			}

			d := LDLT{Backend: bk}
			diagonal := symFunc(n, func(i, j int) float64 { return float64(i+1) * alternate(i) * unless(i != j) })
			if err := d.Factorize(symOf(diagonal.times(-1074))); err != nil {
				t.Fatalf("n=%d: LDLT: %v", n, err)
			}
			checkInertia(t, "subnormal", &d, n/2)

			// A X = B for an X of small integers.
			x := newFull(n, 2)
			for i := range x.x {
				x.x[i] = float64(rng.IntN(7) - 3)
			}
			lu, got := LU{Backend: bk}, new(mat.Dense)
			err := lu.Factorize(l.mul(u).times(power).dense())
			if err == nil {
				err = lu.SolveTo(got, l.mul(u).mul(x).times(power).dense())
			}
			_, library := backend.ColumnMajor(bk)
			switch {
			case library && (errors.Is(err, ErrNotFinite) || errors.Is(err, ErrSingular)):
				// OpenBLAS multiplies by reciprocals of the pivots, which are infinite.
			case err != nil:
				t.Errorf("n=%d: LU: %v", n, err)
			case !sameValues(fullOf(got).x, x.x):
				t.Errorf("n=%d: the solution of a system of subnormal numbers is not exact", n)
			}
		}
	})
}

// TestHostileReflections: Q is orthogonal where columns of A are subnormal numbers, whose length has
// few digits.
func TestHostileReflections(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, k := range []int{1, 2, 6, 40} {
			const l = 90
			rng := testutil.Rand(uint64(305 + k))
			a := randomFull(rng, l, k)
			for i := range l {
				a.set(i, k/2, math.Ldexp(float64(i%2), -1074))
			}
			f, q := QR{Backend: bk}, new(mat.Dense)
			if err := f.Factorize(a.dense()); err != nil {
				t.Fatal(err)
			}
			f.QTo(q)
			m := fullOf(q)
			if r := m.transpose().mul(m).sub(identity(k)).norm(); !(r <= ratioBound*l*eps) {
				t.Errorf("k=%d: Q'Q is off by %g from the identity", k, r)
			}
		}
	})
}

// sameValues tells whether a and b are equal, zeros of either sign included.
func sameValues(a, b []float64) bool { return slices.Equal(a, b) }

// TestHostileZeros has zeros of both signs: factors and solutions are equal, and a pivot of -0 is zero.
func TestHostileZeros(t *testing.T) {
	negative := math.Copysign(0, -1)
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, n := range []int{1, 3, 20, 65} {
			rng := testutil.Rand(uint64(304 + n))
			plain := symFunc(n, func(i, j int) float64 {
				if i == j {
					return float64(2 * n)
				}
				return rng.NormFloat64() * float64(rng.IntN(2))
			})
			other, last := newFull(n, n), newFull(n, n)
			for i, v := range plain.x {
				if other.x[i] = v; v == 0 {
					plain.x[i], other.x[i] = 0, negative
				}
				if last.x[i] = other.x[i]; i/n == n-1 || i%n == n-1 {
					last.x[i] = negative
				}
			}
			b := randomFull(rng, n, 2).dense()
			solution := func(name string, factorize func(a *full) error, solve func(dst, b *mat.Dense) error) {
				t.Helper()
				var want, got mat.Dense
				if err := errors.Join(factorize(plain), solve(&want, b), factorize(other), solve(&got, b)); err != nil {
					t.Fatal(err)
				}
				if !sameValues(fullOf(&got).x, fullOf(&want).x) {
					t.Errorf("n=%d: the sign of zeros changes the solution by %s", n, name)
				}
			}
			for _, f := range factorizations(t, bk) {
				solution(f.name, func(a *full) error { return f.factorize(a, false) }, f.SolveTo)
				first := n - 1
				if f.ldlt != nil {
					first = 0
				}
				wantZeroPivot(t, f.name, f.factorize(last, false), f.singular, first, n-1)
			}
			qr := QR{Backend: bk}
			solution("QR", func(a *full) error { return qr.Factorize(a.dense()) }, qr.SolveTo)
		}
	})
}
