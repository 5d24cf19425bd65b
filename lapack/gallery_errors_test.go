package lapack

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"blskernel"
	"blskernel/internal/backend"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"
)

// Exactly singular matrices that must be refused. Rounding turns most singular matrices into regular
// ones that RCond gives away; a pivot is exactly zero where
//
//   - a row or a column is zero, since zeros stay zeros in every elimination;
//   - the rank is deficient and the elimination exact: every quotient of the elimination and every sum
//     of products, in any order, has few digits.

// exactRank returns factors of exact products L D Lᵀ, or L D Mᵀ, of the given rank: L is unit lower
// triangular with quarters of -1, 0 and 1, so that sums of n products are multiples of 1/16 below n and
// exact, and D has ones, then zeros. No pivot is exchanged with another: the first row and column of
// every such product are at most 1/4 off the diagonal, which has 1, and the Schur complement is one
// again.
func exactRank(rng *rand.Rand, n, rank int) (l, d *full) {
	l, d = identity(n), newFull(n, n)
	for i := range n {
		for j := range i {
			l.set(i, j, float64(rng.IntN(3)-1)/4)
		}
		if i < rank {
			d.set(i, i, 1)
		}
	}
	return l, d
}

var singularOrders = []int{1, 2, 3, 5, 16, 17, 33, 64, 65, 97, 129, 200, 257}

func TestExactlySingular(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(71)
		for _, n := range singularOrders {
			for _, rank := range []int{0, 1, n / 3, n / 2, n - 1} {
				if rank < 0 || rank >= n {
					continue
				}
				name := fmt.Sprintf("n=%d: rank %d", n, rank)
				l, d := exactRank(rng, n, rank)
				sym := l.mul(d).mul(l.transpose())
				s := symOf(sym)
				before := packedCopy(s).RawSymPacked().Data
				f, c, lu := LDLT{Backend: bk}, Cholesky{Backend: bk}, LU{Backend: bk}
				for _, err := range []error{f.Factorize(s), f.FactorizeInPlace(packedCopy(s))} {
					wantZeroPivot(t, "LDLT: "+name, err, ErrSingular, rank, rank)
				}
				for _, err := range []error{c.Factorize(s), c.FactorizeInPlace(packedCopy(s))} {
					wantZeroPivot(t, "Cholesky: "+name, err, ErrNotPositiveDefinite, rank, rank)
				}
				if !sameBits(before, s.RawSymPacked().Data) {
					t.Errorf("%s: Factorize changed its argument", name)
				}
				// A second factor, so that the elimination of the transpose is as
				// exact.
				m, _ := exactRank(rng, n, rank)
				general := l.mul(d).mul(m.transpose())
				for _, err := range []error{lu.Factorize(general.dense()), lu.FactorizeInPlace(general.dense())} {
					wantZeroPivot(t, "LU: "+name, err, ErrSingular, rank, rank)
				}
				testutil.MustPanic(t, notFactorized, func() { f.RCond() })
				testutil.MustPanic(t, notFactorized, func() { c.RCond() })
				testutil.MustPanic(t, notFactorized, func() { lu.RCond() })
			}
			for _, p := range []int{0, n / 2, n - 1} {
				// A row of zeros sinks to the last place of LU and a column of zeros
				// stays in its own, or, if the transpose is factored, the other way
				// round.
				name := fmt.Sprintf("n=%d: zero row or column %d", n, p)
				row, column := randomFull(rng, n, n), randomFull(rng, n, n)
				for k := range n {
					row.set(p, k, 0)
					column.set(k, p, 0)
				}
				if _, transposed := backend.ColumnMajor(bk); transposed {
					row, column = column, row
				}
				lu := LU{Backend: bk}
				wantZeroPivot(t, "LU: "+name, lu.Factorize(row.dense()), ErrSingular, n-1, n-1)
				wantZeroPivot(t, "LU: "+name, lu.Factorize(column.dense()), ErrSingular, p, p)
				// Symmetric exchanges move row p further down, or leave it.
				a := symFunc(n, func(i, j int) float64 { return rng.NormFloat64() })
				spd := symSpectrum(rng, n, func(i int) float64 { return 1 + float64(i%5) })
				for k := range n {
					a.SetSym(p, k, 0)
					spd.SetSym(p, k, 0)
				}
				f, c := LDLT{Backend: bk}, Cholesky{Backend: bk}
				wantZeroPivot(t, "LDLT: "+name, f.Factorize(a), ErrSingular, p, n-1)
				wantZeroPivot(t, "Cholesky: "+name, c.Factorize(spd), ErrNotPositiveDefinite, p, p)
			}
			// All elements are powers of two, of rank one, at every scale.
			for _, scale := range []float64{1, 0x1p490, 0x1p-490} {
				if n == 1 {
					continue
				}
				power := make([]float64, n)
				for i := range power {
					power[i] = math.Ldexp(float64(1-2*rng.IntN(2)), rng.IntN(9)-4)
				}
				a := symFunc(n, func(i, j int) float64 { return scale * power[i] * power[j] })
				name := fmt.Sprintf("n=%d: powers of two, scale %g", n, scale)
				wantZeroPivot(t, "LDLT: "+name, (&LDLT{Backend: bk}).Factorize(a), ErrSingular, 1, 1)
				wantZeroPivot(t, "LU: "+name, (&LU{Backend: bk}).Factorize(a.Dense()), ErrSingular, 1, 1)
				for i := range power {
					power[i] = math.Abs(power[i])
				}
				// The root of an odd power of two is rounded.
				a = symFunc(n, func(i, j int) float64 { return scale * power[i] * power[j] })
				wantZeroPivot(t, "Cholesky: "+name, (&Cholesky{Backend: bk}).Factorize(a), ErrNotPositiveDefinite, 1, 1)
			}
		}
	})
}

// wantZeroPivot tests that err is a *PivotError of the given kind for a zero pivot in first..last.
func wantZeroPivot(t *testing.T, name string, err, kind error, first, last int) {
	t.Helper()
	var p *PivotError
	if !errors.As(err, &p) || !errors.Is(err, kind) || p.Index < first || p.Index > last || p.Pivot != 0 {
		t.Errorf("%s: error %v, want %v and a zero pivot in %d..%d", name, err, kind, first, last)
	}
}

// within runs f and fails the test, with the stacks of all goroutines, if it takes more than a minute:
// a search for a pivot that never ends would else end the whole run by its timeout.
func within(t *testing.T, name string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		stacks := make([]byte, 1<<16)
		t.Fatalf("%s: still running after a minute\n%s", name, stacks[:runtime.Stack(stacks, true)])
	}
}

// positions returns every element of an n×n matrix if n is small; else the corners, elements about the
// middle, and random ones.
func positions(rng *rand.Rand, n int) [][2]int {
	var all [][2]int
	if n <= 6 {
		for i := range n {
			for j := range n {
				all = append(all, [2]int{i, j})
			}
		}
		return all
	}
	all = [][2]int{{0, 0}, {0, n - 1}, {n - 1, 0}, {n - 1, n - 1}, {n / 2, n / 2}, {n / 2, n/2 + 1}, {n / 2, n/2 - 1}}
	for range 5 {
		all = append(all, [2]int{rng.IntN(n), rng.IntN(n)})
	}
	return all
}

// NaN and infinities are found wherever they are, the first of several by rows, before anything is
// written.
func TestNotFinite(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(72)
		for _, n := range []int{1, 2, 3, 4, 5, 6, 17, 64, 65, 129, 200} {
			spd := symSpectrum(rng, n, func(i int) float64 { return 1 + float64(i%5) })
			f, c, lu, qr := LDLT{Backend: bk}, Cholesky{Backend: bk}, LU{Backend: bk}, QR{Backend: bk}
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				for _, p := range positions(rng, n) {
					i, j := p[0], p[1]
					name := fmt.Sprintf("n=%d: %v at (%d, %d)", n, bad, i, j)
					a := packedCopy(spd)
					a.SetSym(i, j, bad)
					a.SetSym(n-1, n-1, a.At(n-1, n-1)*bad) // a second one, not before the first
					d := spd.Dense()
					d.Set(i, j, bad)
					d.Set(n-1, n-1, d.At(n-1, n-1)*bad)
					before, beforeD := packedCopy(a).RawSymPacked().Data, fullOf(d).x
					within(t, name, func() {
						for _, err := range []error{f.Factorize(a), f.FactorizeInPlace(a), c.Factorize(a), c.FactorizeInPlace(a)} {
							wantElement(t, name, err, ErrNotFinite, min(i, j), max(i, j))
						}
						for _, err := range []error{lu.Factorize(d), lu.FactorizeInPlace(d), qr.Factorize(d), qr.FactorizeInPlace(d)} {
							wantElement(t, name, err, ErrNotFinite, i, j)
						}
					})
					if !sameBits(before, a.RawSymPacked().Data) || !sameBits(beforeD, fullOf(d).x) {
						t.Errorf("%s: the matrix was changed", name)
					}
					testutil.MustPanic(t, notFactorized, func() { f.RCond() })
					testutil.MustPanic(t, notFactorized, func() { c.RCond() })
					testutil.MustPanic(t, notFactorized, func() { lu.RCond() })
					testutil.MustPanic(t, notFactorized, func() { qr.RCond() })
				}
			}
			if err := errors.Join(f.Factorize(spd), c.Factorize(spd), lu.Factorize(spd.Dense())); err != nil {
				t.Fatal(err)
			}
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				for _, p := range positions(rng, n) {
					i, j := p[0], p[1]
					name := fmt.Sprintf("n=%d: right-hand side: %v at (%d, %d)", n, bad, i, j)
					b := randomFull(rng, n, n)
					b.set(i, j, bad)
					bd, dst := b.dense(), randomFull(rng, n, n)
					out := dst.dense()
					within(t, name, func() {
						for _, solve := range []func(dst, b *mat.Dense) error{f.SolveTo, c.SolveTo, lu.SolveTo, f.SolveRowsTo, c.SolveRowsTo, lu.SolveRowsTo} {
							wantElement(t, name, solve(out, bd), ErrNotFinite, i, j)
							wantElement(t, name, solve(bd, bd), ErrNotFinite, i, j)
						}
					})
					if !sameBits(b.x, bd.RawMatrix().Data) || !sameBits(dst.x, out.RawMatrix().Data) {
						t.Errorf("%s: b or dst was changed", name)
					}
				}
			}
		}
	})
}

// Eliminations that overflow on the way end, and with the error that says so. The elements are
// random signs of nearly the largest number, whose Schur complements are zero or overflow.
func TestOverflow(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(73)
		overflows := 0
		for _, n := range []int{1, 2, 3, 4, 5, 8, 16, 17, 33, 65, 100, 129, 200} {
			for range 4 {
				a := symFunc(n, func(i, j int) float64 { return math.Copysign(1.7e308, rng.Float64()-0.5) })
				name := fmt.Sprintf("n=%d", n)
				within(t, name, func() {
					f, c, lu := LDLT{Backend: bk}, Cholesky{Backend: bk}, LU{Backend: bk}
					for kind, err := range map[string]error{"LDLT": f.Factorize(a), "Cholesky": c.Factorize(a), "LU": lu.Factorize(a.Dense())} {
						var p *PivotError
						switch {
						case err == nil:
						case !errors.As(err, &p) || p.Index < 0 || p.Index >= n:
							t.Errorf("%s: %s: error %v", kind, name, err)
						case errors.Is(err, ErrNotFinite):
							overflows++
						case kind == "Cholesky" && errors.Is(err, ErrNotPositiveDefinite):
						case n > 8 || !errors.Is(err, ErrSingular): // equal rows
							t.Errorf("%s: %s: error %v", kind, name, err)
						}
						if err == nil && n > 16 {
							t.Errorf("%s: %s: no overflow", kind, name)
						}
					}
				})
			}
		}
		if overflows < 50 {
			t.Errorf("only %d eliminations overflowed", overflows)
		}
	})
}
