package lapack

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/mat"
)

// check holds the factors, solutions, inverse and condition number of one matrix to all ratios.
func (f *factorization) check(t *testing.T, family string, a, b *full, ratios ratioTable) {
	t.Helper()
	n := a.r
	check := func(kind string, ratio float64) {
		t.Helper()
		ratios.check(t, family, kind, n, ratio, ratioBound)
	}
	if err := f.factorize(a, false); err != nil {
		t.Errorf("%s: n=%d: %v", family, n, err)
		return
	}
	rebuilt := f.rebuild(false)
	check("factor", over(a.sub(rebuilt).norm(), float64(n)*eps, a.norm()))
	ratios.check(t, family, "factor-elements", n, elementRatio(a, rebuilt, f.rebuild(true)), elementBound)

	if n > 0 {
		x, y := solutions(t, fmt.Sprintf("%s: n=%d", family, n), f, b)
		check("solve", residualRatio(a, fullOf(x), b))
		check("solve-rows", residualRatio(a.transpose(), y, b))
		if _, err := f.refine(x, a, b.dense()); err != nil {
			t.Errorf("%s: n=%d: Refine: %v", family, n, err)
			return
		}
		check("refined", residualRatio(a, fullOf(x), b))
	}

	inverse, err := f.inverse(false)
	if err != nil {
		t.Errorf("%s: n=%d: InverseTo: %v", family, n, err)
		return
	}
	// Of the two residuals that of X A, or of Xᵀ Aᵀ where the transpose was factored, is the one
	// with a bound for LU: Higham, section 14.3, Method B. It is the one that LAPACK's dget03
	// tests.
	switch {
	case f.definite:
		check("inverse", choleskyInverseRatio(a, inverse))
	case f.left():
		check("inverse", inverseRatio(inverse, a))
	default:
		check("inverse", inverseRatio(a, inverse))
	}
	checkRCondGallery(t, family, f.RCond(), a, inverse)

	if err := f.factorize(a, true); err != nil {
		t.Errorf("%s: n=%d: FactorizeInPlace: %v", family, n, err)
		return
	}
	inPlace, err := f.inverse(true)
	if err != nil || !sameBits(inPlace.x, inverse.x) {
		t.Errorf("%s: n=%d: InverseInPlace and InverseTo differ: %v", family, n, err)
	}
}

// solutions returns A⁻¹B by SolveTo, and by SolveRowsTo on the transpose of B, both in views with gaps
// and in place, and tests that SolveTo gives the same elsewhere and does not change B.
func solutions(t *testing.T, name string, f *factorization, b *full) (x *mat.Dense, rows *full) {
	t.Helper()
	bd, intact := wide(t, b)
	x = new(mat.Dense)
	if err := f.SolveTo(x, bd); err != nil || !sameBits(fullOf(bd).x, b.x) {
		t.Fatalf("%s: SolveTo: %v, or it changed b", name, err)
	}
	if err := f.SolveTo(bd, bd); err != nil || !sameBits(fullOf(bd).x, fullOf(x).x) {
		t.Errorf("%s: SolveTo in place: %v, or it differs", name, err)
	}
	intact()
	y, intact := wide(t, b.transpose())
	if err := f.SolveRowsTo(y, y); err != nil {
		t.Fatalf("%s: SolveRowsTo: %v", name, err)
	}
	intact()
	return x, fullOf(y).transpose()
}

// The families of the gallery, in the block sizes in use, and the inertia where it is known.
func TestGallery(t *testing.T) {
	onEach(t, func(t *testing.T, bk blskernel.Backend, ratios ratioTable) {
		for k, f := range factorizations(t, bk) {
			families := symmetricFamilies()
			if !f.symmetric {
				families = generalFamilies()
			}
			for i, m := range families {
				if !f.takes(m) {
					continue
				}
				rng := testutil.Rand(uint64(100*(k+1) + i))
				for _, n := range galleryOrders(i, m.most) {
					a, b := m.of(rng, n), randomFull(rng, n, 1+n%4)
					if m.singular && errors.Is(f.factorize(a, false), ErrSingular) {
						continue
					}
					f.check(t, f.name+" "+m.name, a, b, ratios)
					if f.ldlt != nil && m.negative != nil && f.factorize(a, false) == nil {
						checkInertia(t, m.name, f.ldlt, m.negative(n))
					}
				}
			}
		}
	})
}

// checkInertia tests that f counts so many negative eigenvalues, and no zeros.
func checkInertia(t *testing.T, name string, f *LDLT, negative int) {
	t.Helper()
	n := f.Dim()
	if p, q, z := f.Inertia(); p != n-negative || q != negative || z != 0 {
		t.Errorf("%s: n=%d: inertia (%d, %d, %d), want (%d, %d, 0)", name, n, p, q, z, n-negative, negative)
	}
}

// Every order to 40 in small blocks, and orders about the block sizes in use.
func TestBlockSizes(t *testing.T) {
	onEach(t, func(t *testing.T, bk blskernel.Backend, ratios ratioTable) {
		for _, m := range slices.Concat(symGallery(), generalFamilies()) {
			if m.singular {
				continue
			}
			rng := testutil.Rand(1)
			for _, s := range append(sizes(), size{300, 0}, size{300, 40}) {
				large := slices.Contains([]string{"random", "saddle", "spd-1e+10"}, m.name)
				if s.n > 100 && s.n != 150 && !large || s.n == 300 && m.name != "random" {
					continue
				}
				a, b := m.of(rng, s.n), randomFull(rng, s.n, 1+s.n%5)
				for _, f := range blocked(t, bk, s.nb) {
					if f.takes(m) {
						f.check(t, f.name+" "+m.name, a, b, ratios)
					}
				}
			}
		}
	})
}

// elementRatio is max_ij |A - B|_ij/(n eps (|A| + M)_ij), where B is the product of the factors of A
// and M that of their magnitudes. It does not depend on the scale of rows and columns, as norms do:
// Higham, theorems 9.3, 10.3 and 11.3.
func elementRatio(a, b, m *full) float64 {
	worst := 0.0
	for i, v := range a.x {
		worst = max(worst, over(math.Abs(v-b.x[i]), float64(a.r)*eps, math.Abs(v)+m.x[i]))
	}
	return worst
}
