package lapack

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"blskernel"
	"blskernel/internal/block"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// symmetricFactor is what Cholesky and LDLT have in common.
type symmetricFactor interface {
	Factorize(a *mat.SymPacked) error
	FactorizeInPlace(a *mat.SymPacked) error
	SolveTo(dst, b *mat.Dense) error
	SolveRowsTo(dst, b *mat.Dense) error
	InverseTo(dst *mat.SymPacked) error
	InverseInPlace() (*mat.SymPacked, error)
	RCond() float64
	Dim() int
}

// reconstruct returns UᵀU, or Pᵀ Uᵀ D U P.
func reconstruct(f symmetricFactor) *full {
	switch f := f.(type) {
	case *Cholesky:
		u := upperOf(f.n, f.u, false)
		return u.transpose().mul(u)
	case *LDLT:
		u := upperOf(f.n, f.u, true)
		d := newFull(f.n, f.n)
		for i := range f.n {
			d.set(i, i, f.d.D[i])
			if f.d.E[i] != 0 {
				d.set(i, i+1, f.d.E[i])
				d.set(i+1, i, f.d.E[i])
			}
		}
		a := u.transpose().mul(d).mul(u)
		for range 2 {
			for k := f.n - 1; k >= 0; k-- {
				a.swapRows(k, f.swap[k])
			}
			a = a.transpose()
		}
		return a
	}
	panic("unknown factorization")
}

// Every order to 40 in small blocks, and orders about the block sizes in use.
func TestSymmetric(t *testing.T) {
	onEach(t, func(t *testing.T, bk blskernel.Backend, ratios ratioTable) {
		for _, m := range symGallery() {
			rng := testutil.Rand(1)
			for _, s := range sizes() {
				if s.n > 100 && m.name != "random" && m.name != "saddle" && m.name != "spd-1e+10" && s.n != 150 {
					continue
				}
				a, b := m.make(rng, s.n), randomFull(rng, s.n, 1+s.n%5)
				f := LDLT{Backend: bk, symmetric: symmetric{nb: s.nb}}
				checkGallerySymmetric(t, m.name, &f, f.Refine, a, b, ratios)
				if m.spd {
					c := Cholesky{Backend: bk, symmetric: symmetric{nb: s.nb}}
					checkGallerySymmetric(t, m.name, &c, c.Refine, a, b, ratios)
				}
			}
		}
	})
}

func TestLDLTPivots(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(3)
		for _, m := range symGallery() {
			for _, s := range []size{{1, 2}, {2, 2}, {7, 3}, {20, 5}, {60, 0}} {
				a := m.make(rng, s.n)
				f := LDLT{Backend: bk, symmetric: symmetric{nb: s.nb}}
				if err := f.Factorize(a); err != nil {
					t.Errorf("%s: n=%d: %v", m.name, s.n, err)
					continue
				}
				checkBounded(t, m.name, &f)
				for k := range s.n {
					if f.swap[k] < k || f.swap[k] >= s.n {
						t.Fatalf("%s: n=%d: row %d exchanged with %d", m.name, s.n, k, f.swap[k])
					}
					if f.d.E[k] != 0 {
						if !(f.d.D[k]*f.d.D[k+1] < f.d.E[k]*f.d.E[k]) || f.d.E[k+1] != 0 || f.u[block.PackedIndex(s.n, k, k+1)] != 0 {
							t.Errorf("%s: n=%d: bad 2×2 pivot at %d", m.name, s.n, k)
						}
					}
				}
				testInertia(t, m.name, &f, a)
			}
		}
	})
}

// checkBounded tests |u_ij| <= 1/(1-α) = 2.781, which bounded pivoting guarantees but for rounding.
func checkBounded(t *testing.T, name string, f *LDLT) {
	t.Helper()
	for _, v := range f.u {
		if !(math.Abs(v) <= 2.79) {
			t.Errorf("%s: n=%d: element %v of U", name, f.n, v)
			return
		}
	}
}

// Sparse matrices whose elements differ by 12 orders of magnitude make U large under partial
// pivoting, and the residual of the inverse with it; not so here.
func TestLDLTBoundedPivots(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(7)
		const trials = 10000
		tested := 0
		for range trials {
			n := 3 + rng.IntN(8)
			a := symFunc(n, func(i, j int) float64 {
				if rng.IntN(3) == 0 {
					return 0
				}
				return rng.NormFloat64() * math.Pow(10, -12*rng.Float64())
			})
			f := LDLT{Backend: bk, symmetric: symmetric{nb: 4}}
			if err := f.Factorize(a); errors.Is(err, ErrSingular) {
				continue // a zero row, or two rows with one common element
			} else if err != nil {
				t.Fatal(err)
			}
			tested++
			checkBounded(t, "sparse", &f)
			var inv mat.SymPacked
			if err := f.InverseTo(&inv); err != nil {
				t.Fatal(err)
			}
			checkInverse(t, "sparse", fullOf(a), fullOf(&inv))
		}
		if tested < trials*3/4 {
			t.Errorf("only %d of %d matrices were regular", tested, trials)
		}
	})
}

// testInertia compares with the signs of the eigenvalues, where these are clear of the backward error.
func testInertia(t *testing.T, name string, f *LDLT, a *mat.SymPacked) {
	t.Helper()
	af := fullOf(a)
	n := af.r
	scale := af.norm()
	unit := mat.NewSymPacked(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			unit.SetSym(i, j, a.At(i, j)/scale)
		}
	}
	var eig gonummat.EigenSym
	if !eig.Factorize(unit.SymDense(), false) {
		t.Fatalf("%s: no eigenvalues", name)
	}
	wantPos, wantNeg := 0, 0
	for _, v := range eig.Values(nil) {
		if math.Abs(v) < ratioBound*float64(n)*eps {
			return
		}
		if v > 0 {
			wantPos++
		} else {
			wantNeg++
		}
	}
	if pos, neg, zero := f.Inertia(); pos != wantPos || neg != wantNeg || zero != 0 {
		t.Errorf("%s: n=%d: inertia (%d, %d, %d), want (%d, %d, 0)", name, n, pos, neg, zero, wantPos, wantNeg)
	}
}

func TestSymmetricGolden(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		// [4 2; 2 3] = UᵀU with U = [2 1; 0 √2], inverse [3 -2; -2 4]/8.
		c := Cholesky{Backend: bk}
		if err := c.Factorize(mat.NewSymPacked(2, []float64{4, 2, 3})); err != nil {
			t.Fatal(err)
		}
		if c.u[0] != 2 || c.u[1] != 1 || c.u[2] != math.Sqrt2 {
			t.Errorf("U = %v", c.u)
		}
		x, err := c.InverseInPlace()
		for i, want := range []float64{0.375, -0.25, 0.5} {
			if got := x.RawSymPacked().Data[i]; err != nil || !(math.Abs(got-want) <= 2*eps) {
				t.Errorf("inverse[%d] = %v, want %v", i, got, want)
			}
		}
		// [0 1; 1 0] needs a 2×2 pivot and is its own inverse, exactly.
		f := LDLT{Backend: bk}
		if err := f.Factorize(mat.NewSymPacked(2, []float64{0, 1, 0})); err != nil {
			t.Fatal(err)
		}
		if p, n, z := f.Inertia(); p != 1 || n != 1 || z != 0 {
			t.Errorf("inertia (%d, %d, %d)", p, n, z)
		}
		if f.RCond() != 1 {
			t.Errorf("RCond = %v", f.RCond())
		}
		if x, err := f.InverseInPlace(); err != nil || !sameBits(x.RawSymPacked().Data, []float64{0, 1, 0}) {
			t.Errorf("inverse %v, %v", x, err)
		}
		// [1 2; 2 1]: |1| < α*2, so a 2×2 pivot; inverse [-1 2; 2 -1]/3.
		if err := f.Factorize(mat.NewSymPacked(2, []float64{1, 2, 1})); err != nil {
			t.Fatal(err)
		}
		if f.d.E[0] != 2 {
			t.Errorf("D = %v", f.d)
		}
		x, err = f.InverseInPlace()
		for i, want := range []float64{-1. / 3, 2. / 3, -1. / 3} {
			if got := x.RawSymPacked().Data[i]; err != nil || !(math.Abs(got-want) <= 2*eps) {
				t.Errorf("inverse[%d] = %v, want %v", i, got, want)
			}
		}
	})
}

func TestSymmetricErrors(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, n := range []int{1, 2, 5, 16, 17, 40, 140} {
			for _, p := range []int{0, n / 2, n - 1} {
				// Cholesky: a negative, then a zero pivot at p, with small coupling
				// before it.
				for _, v := range []float64{-1, 0} {
					a := symFunc(n, func(i, j int) float64 {
						if i == j {
							return 1
						}
						return 0
					})
					a.SetSym(p, p, v)
					for _, nb := range []int{0, 3} {
						c := Cholesky{Backend: bk, symmetric: symmetric{nb: nb}}
						err := c.Factorize(a)
						wantPivot(t, fmt.Sprintf("Cholesky n=%d", n), err, ErrNotPositiveDefinite, p)
						var pe *PivotError
						if errors.As(err, &pe) && pe.Pivot != v {
							t.Errorf("pivot %v, want %v", pe.Pivot, v)
						}
						testutil.MustPanic(t, notFactorized, func() { c.RCond() })
					}
				}
			}
		}
		// An inverse that overflows.
		tiny := mat.NewSymPacked(1, []float64{1e-310})
		var f LDLT
		f.Backend = bk
		if err := f.Factorize(tiny); err != nil {
			t.Fatal(err)
		}
		wantElement(t, "overflow", f.InverseTo(&mat.SymPacked{}), ErrSingular, 0, 0)
		wantElement(t, "overflow", f.SolveTo(&mat.Dense{}, mat.NewDense(1, 1, []float64{1})), ErrSingular, 0, 0)
		if _, err := f.InverseInPlace(); !errors.Is(err, ErrSingular) {
			t.Errorf("error %v", err)
		}
		testutil.MustPanic(t, notFactorized, func() { f.RCond() })
		// An elimination that overflows: 1e308 - 1e308*(1e308/-1e308).
		big := mat.NewSymPacked(2, []float64{-1e308, 1e308, 1e308})
		wantPivot(t, "overflow", f.Factorize(big), ErrNotFinite, 1)
	})
}

// Row panels: more rows than one panel, against SolveTo of the transpose.
func TestSolveRowsPanels(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(5)
		const n, m = 23, 2*rowPanel + 7
		b := randomFull(rng, m, n)
		spd := symSpectrum(rng, n, func(i int) float64 { return 1 + float64(i) })
		general := randomFull(rng, n, n)
		var c Cholesky
		var f LDLT
		var lu LU
		c.Backend, f.Backend, lu.Backend = bk, bk, bk
		if err := errors.Join(c.Factorize(spd), f.Factorize(spd), lu.Factorize(general.dense())); err != nil {
			t.Fatal(err)
		}
		for name, s := range map[string]struct {
			solve func(dst, b *mat.Dense) error
			a     *full
		}{"Cholesky": {c.SolveRowsTo, fullOf(spd)}, "LDLT": {f.SolveRowsTo, fullOf(spd)}, "LU": {lu.SolveRowsTo, general.transpose()}} {
			x, intact := wide(t, b)
			if err := s.solve(x, x); err != nil {
				t.Fatal(err)
			}
			intact()
			checkSolution(t, name, s.a, fullOf(x).transpose(), b.transpose())
		}
	})
}
