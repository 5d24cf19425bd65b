package lapack

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"blskernel"
	"blskernel/internal/lapack"
	"blskernel/internal/testutil"
	"blskernel/mat"
)

func TestGalleryCholesky(t *testing.T) {
	onEach(t, func(t *testing.T, bk blskernel.Backend, ratios ratioTable) {
		for i, m := range symmetricFamilies() {
			if !m.spd {
				continue
			}
			rng := testutil.Rand(uint64(100 + i))
			for _, n := range galleryOrders(i, m.most) {
				f := &Cholesky{Backend: bk}
				a := m.make(rng, n)
				checkGallerySymmetric(t, m.name, f, f.Refine, a, randomFull(rng, n, 1+n%4), ratios)
			}
		}
	})
}

func TestGalleryLDLT(t *testing.T) {
	onEach(t, func(t *testing.T, bk blskernel.Backend, ratios ratioTable) {
		for i, m := range symmetricFamilies() {
			rng := testutil.Rand(uint64(200 + i))
			for _, n := range galleryOrders(i, m.most) {
				f := &LDLT{Backend: bk}
				a, b := m.make(rng, n), randomFull(rng, n, 1+n%4)
				if m.singular {
					if err := f.Factorize(a); errors.Is(err, ErrSingular) {
						continue
					}
				}
				checkGallerySymmetric(t, m.name, f, f.Refine, a, b, ratios)
				if t.Failed() || m.negative == nil {
					continue
				}
				if err := f.Factorize(a); err != nil {
					t.Fatal(err)
				}
				negative := m.negative(n)
				if p, q, z := f.Inertia(); p != n-negative || q != negative || z != 0 {
					t.Errorf("%s: n=%d: inertia (%d, %d, %d), want (%d, %d, 0)", m.name, n, p, q, z, n-negative, negative)
				}
			}
		}
	})
}

// checkGallerySymmetric holds one matrix to all ratios.
func checkGallerySymmetric(t *testing.T, family string, f symmetricFactor, refine func(x *mat.Dense, a *mat.SymPacked, b *mat.Dense) (ErrorBounds, error), a *mat.SymPacked, b *full, ratios ratioTable) {
	t.Helper()
	n, af := a.SymmetricDim(), fullOf(a)
	check := func(kind string, ratio float64) {
		t.Helper()
		ratios.check(t, family, kind, n, ratio, ratioBound)
	}
	if err := f.Factorize(a); err != nil {
		t.Errorf("%s: n=%d: %v", family, n, err)
		return
	}
	if !sameBits(fullOf(a).x, af.x) {
		t.Fatalf("%s: n=%d: Factorize changed its argument", family, n)
	}
	rebuilt := reconstruct(f)
	check("factor", over(af.sub(rebuilt).norm(), float64(n)*eps, af.norm()))
	ratios.check(t, family, "factor-elements", n, elementRatio(af, rebuilt, reconstruct(magnitudesOf(f))), elementBound)

	if n > 0 {
		x, y := solutions(t, fmt.Sprintf("%s: n=%d", family, n), f, b)
		check("solve", residualRatio(af, fullOf(x), b))
		check("solve-rows", residualRatio(af, y, b))
		if _, err := refine(x, a, b.dense()); err != nil {
			t.Errorf("%s: n=%d: Refine: %v", family, n, err)
			return
		}
		check("refined", residualRatio(af, fullOf(x), b))
	}

	var inverse mat.SymPacked
	if err := f.InverseTo(&inverse); err != nil {
		t.Errorf("%s: n=%d: InverseTo: %v", family, n, err)
		return
	}
	inv := fullOf(&inverse)
	check("inverse", inverseRatio(af, inv))
	checkRCondGallery(t, family, f.RCond(), af, inv)

	storage := packedCopy(a)
	if err := f.FactorizeInPlace(storage); err != nil {
		t.Errorf("%s: n=%d: FactorizeInPlace: %v", family, n, err)
		return
	}
	inPlace, err := f.InverseInPlace()
	if err != nil || !sameBits(inPlace.RawSymPacked().Data, inverse.RawSymPacked().Data) {
		t.Errorf("%s: n=%d: InverseInPlace and InverseTo differ: %v", family, n, err)
	} else if n > 0 && &inPlace.RawSymPacked().Data[0] != &storage.RawSymPacked().Data[0] {
		t.Errorf("%s: n=%d: InverseInPlace is not in place", family, n)
	}
	testutil.MustPanic(t, notFactorized, func() { f.RCond() })
}

// solutions returns A⁻¹B by SolveTo, and by SolveRowsTo on the transpose of B, both in views with gaps
// and in place, and tests that SolveTo gives the same elsewhere and does not change B.
func solutions(t *testing.T, name string, f interface {
	SolveTo(dst, b *mat.Dense) error
	SolveRowsTo(dst, b *mat.Dense) error
}, b *full) (x *mat.Dense, rows *full) {
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

func TestGalleryLU(t *testing.T) {
	onEach(t, func(t *testing.T, bk blskernel.Backend, ratios ratioTable) {
		for i, m := range generalFamilies() {
			rng := testutil.Rand(uint64(300 + i))
			for _, n := range galleryOrders(i, 0) {
				f := &LU{Backend: bk}
				a, b := m.generate(rng, n), randomFull(rng, n, 1+n%4)
				if m.singular {
					if err := f.Factorize(a.dense()); errors.Is(err, ErrSingular) {
						continue
					}
				}
				checkGalleryLU(t, m.name, f, a, b, ratios)
			}
		}
	})
}

func checkGalleryLU(t *testing.T, family string, f *LU, a, b *full, ratios ratioTable) {
	t.Helper()
	n := a.r
	check := func(kind string, ratio float64) {
		t.Helper()
		ratios.check(t, family, kind, n, ratio, ratioBound)
	}
	d, intact := wide(t, a)
	if err := f.Factorize(d); err != nil {
		t.Errorf("%s: n=%d: %v", family, n, err)
		return
	}
	if !sameBits(fullOf(d).x, a.x) {
		t.Fatalf("%s: n=%d: Factorize changed its argument", family, n)
	}
	l, u := factorsOf(f)
	for _, v := range l.x {
		if !(math.Abs(v) <= 1) {
			t.Fatalf("%s: |L| = %v", family, v)
		}
	}
	rebuilt := rebuiltLU(f, l, u)
	check("factor", over(a.sub(rebuilt).norm(), float64(n)*eps, a.norm()))
	ratios.check(t, family, "factor-elements", n, elementRatio(a, rebuilt, rebuiltLU(f, magnitudes(l), magnitudes(u))), elementBound)

	if n > 0 {
		x, y := solutions(t, fmt.Sprintf("%s: n=%d", family, n), f, b)
		check("solve", residualRatio(a, fullOf(x), b))
		check("solve-rows", residualRatio(a.transpose(), y, b))
		if _, err := f.Refine(x, d, b.dense()); err != nil {
			t.Errorf("%s: n=%d: Refine: %v", family, n, err)
			return
		}
		check("refined", residualRatio(a, fullOf(x), b))
	}

	var inverse mat.Dense
	if err := f.InverseTo(&inverse); err != nil {
		t.Errorf("%s: n=%d: InverseTo: %v", family, n, err)
		return
	}
	inv := fullOf(&inverse)
	// Of the two residuals that of X A, or of Xᵀ Aᵀ where the transpose was factored, is the one
	// with a bound: Higham, section 14.3, Method B. It is the one that LAPACK's dget03 tests.
	if f.transposed() {
		check("inverse", inverseRatio(a, inv))
	} else {
		check("inverse", inverseRatio(inv, a))
	}
	checkRCondGallery(t, family, f.RCond(), a, inv)

	if err := f.FactorizeInPlace(d); err != nil {
		t.Errorf("%s: n=%d: FactorizeInPlace: %v", family, n, err)
		return
	}
	inPlace, err := f.InverseInPlace()
	intact()
	if err != nil || !sameBits(fullOf(inPlace).x, inv.x) {
		t.Errorf("%s: n=%d: InverseInPlace and InverseTo differ: %v", family, n, err)
	} else if n > 0 && &inPlace.RawMatrix().Data[0] != &d.RawMatrix().Data[0] {
		t.Errorf("%s: n=%d: InverseInPlace is not in place", family, n)
	}
	testutil.MustPanic(t, notFactorized, func() { f.RCond() })
}

// rebuiltLU returns PᵀLU, or its transpose if that is what f factored, with the permutation of f.
func rebuiltLU(f *LU, l, u *full) *full {
	a := l.mul(u)
	for k := len(f.swap) - 1; k >= 0; k-- {
		a.swapRows(k, f.swap[k])
	}
	if f.transposed() {
		return a.transpose()
	}
	return a
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

// magnitudesOf returns a factorization whose factors are the magnitudes of those of f. A 2×2 block of D
// counts with its largest element in all places, since its rows are mixed where it is made diagonal for
// an update.
func magnitudesOf(f symmetricFactor) symmetricFactor {
	abs := func(x []float64) []float64 {
		y := append([]float64(nil), x...)
		for i, v := range y {
			y[i] = math.Abs(v)
		}
		return y
	}
	switch f := f.(type) {
	case *Cholesky:
		return &Cholesky{symmetric: symmetric{n: f.n, u: abs(f.u)}}
	case *LDLT:
		d := lapack.Diagonal{D: abs(f.d.D), E: abs(f.d.E)}
		for k, e := range d.E {
			if e != 0 {
				d.D[k], d.D[k+1] = max(d.D[k], e), max(d.D[k+1], e)
			}
		}
		return &LDLT{symmetric: symmetric{n: f.n, u: abs(f.u), d: &d, swap: f.swap}}
	}
	panic("unknown factorization")
}
