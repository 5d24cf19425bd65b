package lapack

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/internal/backend"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// notNumbers are NaN of every kind, quiet and signaling, of either sign, with the smallest and the
// largest payload, and the infinities.
var notNumbers = []float64{
	math.Float64frombits(0x7ff8000000000001), math.Float64frombits(0xfff8000000000001),
	math.Float64frombits(0x7ff0000000000001), math.Float64frombits(0xfff0000000000001),
	math.Float64frombits(0x7fffffffffffffff), math.Float64frombits(0xffffffffffffffff),
	math.Inf(1), math.Inf(-1),
}

// TestHostileNaN gives each operand of each routine a NaN or an infinity of each kind: the error has
// its place and its value, and nothing is written. (TestNotFinite and TestEliminationNotFinite have
// every place, for one NaN.)
func TestHostileNaN(t *testing.T) {
	const n, c = 9, 2
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(301)
		spd := symSpectrum(rng, n, func(i int) float64 { return 1 + float64(i) })
		square, right := spd.Dense(), randomFull(rng, n, c).dense()
		f, ch, lu, qr := LDLT{Backend: bk}, Cholesky{Backend: bk}, LU{Backend: bk}, QR{Backend: bk}
		fill := func() {
			if err := errors.Join(f.Factorize(spd), ch.Factorize(spd), lu.Factorize(square), qr.Factorize(square)); err != nil {
				t.Fatal(err)
			}
		}
		upper := func(m *mat.Dense) *mat.Dense { // a triangle, without what is below it
			out := gonummat.DenseCopyOf(m)
			for i := range n {
				for j := range i {
					out.Set(i, j, 0)
				}
			}
			return out
		}
		packed := func(m *mat.Dense) *mat.SymPacked { return symFunc(n, m.At) }
		tall := func() (r, z *mat.Dense) { return upper(square), mat.NewDense(n, c, nil) }
		for _, bad := range notNumbers {
			for _, test := range []struct {
				name string
				from *mat.Dense // the operand that is spoiled
				at   [2]int     // where the error says it is, if not where it was put
				run  func(m *mat.Dense) error
			}{
				{"LDLT", square, [2]int{}, func(m *mat.Dense) error { return f.Factorize(packed(m)) }},
				{"LDLT in place", square, [2]int{}, func(m *mat.Dense) error { return f.FactorizeInPlace(packed(m)) }},
				{"Cholesky", square, [2]int{}, func(m *mat.Dense) error { return ch.Factorize(packed(m)) }},
				{"Cholesky in place", square, [2]int{}, func(m *mat.Dense) error { return ch.FactorizeInPlace(packed(m)) }},
				{"LU", square, [2]int{}, lu.Factorize},
				{"LU in place", square, [2]int{}, lu.FactorizeInPlace},
				{"QR", square, [2]int{}, qr.Factorize},
				{"QR in place", square, [2]int{}, qr.FactorizeInPlace},
				{"LDLT.SolveTo", right, [2]int{}, func(m *mat.Dense) error { fill(); return f.SolveTo(m, m) }},
				{"Cholesky.SolveTo", right, [2]int{}, func(m *mat.Dense) error { fill(); return ch.SolveTo(m, m) }},
				{"LU.SolveTo", right, [2]int{}, func(m *mat.Dense) error { fill(); return lu.SolveTo(m, m) }},
				{"QR.SolveTo", right, [2]int{}, func(m *mat.Dense) error { fill(); return qr.SolveTo(new(mat.Dense), m) }},
				{"Cholesky.SolveUTo", right, [2]int{}, func(m *mat.Dense) error { fill(); return ch.SolveUTo(m, m, true) }},
				{"SolveTriangular", right, [2]int{}, func(m *mat.Dense) error { return SolveTriangular(bk, m, upper(square), false) }},
				{"SolveTriangular, R", square, [2]int{}, func(m *mat.Dense) error { return SolveTriangular(bk, gonummat.DenseCopyOf(right), m, false) }},
				{"InvertTriangle", square, [2]int{}, func(m *mat.Dense) error { return InvertTriangle(bk, m) }},
				{"AppendRows, R", square, [2]int{}, func(m *mat.Dense) error {
					_, z := tall()
					return AppendRows(bk, m, z, gonummat.DenseCopyOf(square), gonummat.DenseCopyOf(right))
				}},
				{"AppendRows, rows", square, [2]int{n, 0}, func(m *mat.Dense) error {
					r, z := tall()
					return AppendRows(bk, r, z, m, gonummat.DenseCopyOf(right))
				}},
				{"AppendRows, targets", right, [2]int{n, n}, func(m *mat.Dense) error {
					r, z := tall()
					return AppendRows(bk, r, z, gonummat.DenseCopyOf(square), m)
				}},
				{"MergeTriangles", square, [2]int{n, 0}, func(m *mat.Dense) error {
					r, z := tall()
					return MergeTriangles(bk, r, z, m, gonummat.DenseCopyOf(right))
				}},
			} {
				rows, cols := test.from.Dims()
				for _, at := range [][2]int{{0, 0}, {rows / 2, cols - 1}, {rows - 1, cols - 1}} {
					m := gonummat.DenseCopyOf(test.from)
					m.Set(at[0], at[1], bad)
					before := fullOf(m)
					name := fmt.Sprintf("%s: %v (%x) at %v", test.name, bad, math.Float64bits(bad), at)
					err := test.run(m)
					wantElement(t, name, err, ErrNotFinite, at[0]+test.at[0], at[1]+test.at[1])
					var e *ElementError
					if errors.As(err, &e) && e.Value != bad && !(math.IsNaN(e.Value) && math.IsNaN(bad)) {
						t.Errorf("%s: the value is said to be %v", name, e.Value)
					}
					if !sameBits(before.x, m.RawMatrix().Data) {
						t.Errorf("%s: the operand was changed", name)
					}
				}
			}
			bent := upper(square)
			bent.Set(2, 3, bad)
			if got := RCondTriangle(bk, bent); got != 0 {
				t.Errorf("RCondTriangle of %v: %v", bad, got)
			}
		}
	})
}

// TestHostilePowersOfTwo multiplies matrices by 2^±500 and right-hand sides by 2^±400: factors,
// solutions, inverses and reciprocal condition numbers are multiplied by what they should be, to the
// bit. For QR it is 2^±400: beyond about 2^±450 norms of columns are found in another way than by the
// sum of squares, which may round the other way.
func TestHostilePowersOfTwo(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, n := range []int{1, 2, 5, 17, 64, 130} {
			rng := testutil.Rand(uint64(302 + n))
			spd := symSpectrum(rng, n, func(i int) float64 { return 1 + float64(i%9) })
			sym := symFunc(n, func(i, j int) float64 { return rng.NormFloat64() })
			general, tall, right := randomFull(rng, n, n), randomFull(rng, 2*n+1, n), randomFull(rng, 2*n+1, 3)
			results := func(matrix, rhs int) map[string][]float64 {
				power := func(a *full, e int) *mat.Dense {
					m := a.dense()
					m.Apply(func(_, _ int, v float64) float64 { return math.Ldexp(v, e) }, m)
					return m
				}
				out := map[string][]float64{}
				// keep stores what is to be multiplied by 2^-e.
				keep := func(name string, e int, x []float64, err error) {
					t.Helper()
					if err != nil {
						t.Fatalf("n=%d, 2^%d, %s: %v", n, matrix, name, err)
					}
					y := make([]float64, len(x))
					for i, v := range x {
						y[i] = math.Ldexp(v, -e)
					}
					out[name] = y
				}
				b := power(&full{n, 3, right.x[:3*n]}, rhs)
				f, ch, lu, qr := LDLT{Backend: bk}, Cholesky{Backend: bk}, LU{Backend: bk}, QR{Backend: bk}
				var x mat.Dense
				var inverse mat.SymPacked
				solve := func(name string, to func(dst, b *mat.Dense) error) {
					x.Reset()
					err := to(&x, b)
					keep(name, rhs-matrix, fullOf(&x).x, err)
				}
				packedPower := func(a *mat.SymPacked) *mat.SymPacked {
					return symFunc(n, func(i, j int) float64 { return math.Ldexp(a.At(i, j), matrix) })
				}
				keep("Cholesky", 0, nil, ch.Factorize(packedPower(spd)))
				keep("U", matrix/2, ch.u, nil)
				keep("Cholesky.RCond", 0, []float64{ch.RCond()}, nil)
				solve("Cholesky.SolveTo", ch.SolveTo)
				keep("Cholesky.InverseTo", -matrix, nil, ch.InverseTo(&inverse))
				keep("Cholesky inverse", -matrix, inverse.RawSymPacked().Data, nil)
				inverse.Reset()
				keep("LDLT", 0, nil, f.Factorize(packedPower(sym)))
				keep("LDLT.RCond", 0, []float64{f.RCond()}, nil)
				solve("LDLT.SolveTo", f.SolveTo)
				keep("LDLT.InverseTo", -matrix, nil, f.InverseTo(&inverse))
				keep("LDLT inverse", -matrix, inverse.RawSymPacked().Data, nil)
				keep("LU", 0, nil, lu.Factorize(power(general, matrix)))
				keep("LU.RCond", 0, []float64{lu.RCond()}, nil)
				solve("LU.SolveTo", lu.SolveTo)
				x.Reset()
				keep("LU.InverseTo", 0, nil, lu.InverseTo(&x))
				keep("LU inverse", -matrix, fullOf(&x).x, nil)
				matrix = max(-400, min(400, matrix))
				keep("QR", 0, nil, qr.Factorize(power(tall, matrix)))
				keep("QR.RCond", 0, []float64{qr.RCond()}, nil)
				x.Reset()
				qr.RTo(&x)
				keep("R", matrix, fullOf(&x).x, nil)
				b = power(right, rhs)
				solve("QR.SolveTo", qr.SolveTo)
				r, z := power(newFull(n, n), 0), power(newFull(n, 3), 0)
				keep("AppendRows", 0, nil, AppendRows(bk, r, z, power(tall, matrix), power(right, rhs)))
				keep("R of AppendRows", matrix, fullOf(r).x, nil)
				keep("z of AppendRows", rhs, fullOf(z).x, nil)
				keep("InvertTriangle", 0, nil, InvertTriangle(bk, r))
				keep("inverse of R", -matrix, fullOf(r).x, nil)
				return out
			}
			want := results(0, 0)
			for _, p := range [][2]int{{-500, 400}, {-500, -400}, {500, 400}, {500, -400}} {
				for name, got := range results(p[0], p[1]) {
					if !sameBits(got, want[name]) {
						t.Errorf("n=%d, 2^%d: %s has other bits", n, p[0], name)
					}
				}
			}
		}
	})
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
			tiny := func(a *full, e int) *full {
				out := newFull(a.r, a.c)
				for i, v := range a.x {
					out.x[i] = math.Ldexp(v, e)
				}
				return out
			}
			ch := Cholesky{Backend: bk}
			if err := ch.Factorize(symOf(tiny(u.transpose().mul(u), power))); err != nil {
				t.Fatalf("n=%d: Cholesky: %v", n, err)
			}
			if got := upperOf(n, ch.u, false); !sameValues(got.x, tiny(u, power/2).x) {
				t.Errorf("n=%d: the Cholesky factor of subnormal numbers is not exact", n)
			}

			d := LDLT{Backend: bk}
			diagonal := symFunc(n, func(i, j int) float64 {
				if i == j {
					return math.Ldexp(float64(i+1), -1074) * float64(1-2*(i%2))
				}
				return 0
			})
			if err := d.Factorize(diagonal); err != nil {
				t.Fatalf("n=%d: LDLT: %v", n, err)
			}
			if positive, negative, zero := d.Inertia(); positive != (n+1)/2 || negative != n/2 || zero != 0 {
				t.Errorf("n=%d: the inertia of a subnormal diagonal is %d, %d, %d", n, positive, negative, zero)
			}

			// A X = B for an X of small integers.
			x := newFull(n, 2)
			for i := range x.x {
				x.x[i] = float64(rng.IntN(7) - 3)
			}
			lu, got := LU{Backend: bk}, new(mat.Dense)
			err := lu.Factorize(tiny(l.mul(u), power).dense())
			if err == nil {
				err = lu.SolveTo(got, tiny(l.mul(u).mul(x), power).dense())
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
func sameValues(a, b []float64) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

// TestHostileZeros has zeros of both signs: factors and solutions are equal, and a pivot of -0 is zero.
func TestHostileZeros(t *testing.T) {
	negative := math.Copysign(0, -1)
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, n := range []int{1, 3, 20, 65} {
			rng := testutil.Rand(uint64(304 + n))
			plain, other := newFull(n, n), newFull(n, n)
			for i := range n {
				for j := i; j < n; j++ {
					v, w := rng.NormFloat64(), 0.0
					if w = v; i != j && rng.IntN(2) == 0 {
						v, w = 0, negative
					}
					if i == j {
						v, w = float64(2*n), float64(2*n)
					}
					plain.set(i, j, v)
					plain.set(j, i, v)
					other.set(i, j, w)
					other.set(j, i, w)
				}
			}
			b := randomFull(rng, n, 2).dense()
			solution := func(a *full) [][]float64 {
				f, c, lu, qr := LDLT{Backend: bk}, Cholesky{Backend: bk}, LU{Backend: bk}, QR{Backend: bk}
				if err := errors.Join(f.Factorize(symOf(a)), c.Factorize(symOf(a)), lu.Factorize(a.dense()), qr.Factorize(a.dense())); err != nil {
					t.Fatal(err)
				}
				var all [][]float64
				for _, solve := range []func(dst, b *mat.Dense) error{f.SolveTo, c.SolveTo, lu.SolveTo, qr.SolveTo} {
					var x mat.Dense
					if err := solve(&x, b); err != nil {
						t.Fatal(err)
					}
					all = append(all, fullOf(&x).x)
				}
				return all
			}
			want := solution(plain)
			for i, got := range solution(other) {
				if !sameValues(got, want[i]) {
					t.Errorf("n=%d: the sign of zeros changes solution %d", n, i)
				}
			}
			for i := range n { // the last row and column
				other.set(i, n-1, negative)
				other.set(n-1, i, negative)
			}
			wantZeroPivot(t, "LDLT", (&LDLT{Backend: bk}).Factorize(symOf(other)), ErrSingular, 0, n-1)
			wantZeroPivot(t, "Cholesky", (&Cholesky{Backend: bk}).Factorize(symOf(other)), ErrNotPositiveDefinite, n-1, n-1)
			wantZeroPivot(t, "LU", (&LU{Backend: bk}).Factorize(other.dense()), ErrSingular, n-1, n-1)
		}
	})
}
