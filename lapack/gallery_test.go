package lapack

import (
	"errors"
	"math"
	"testing"

	"blskernel"
	"blskernel/internal/lapack"
	"blskernel/mat"
)

func TestGalleryCholesky(t *testing.T) {
	onEach(t, func(t *testing.T, bk blskernel.Backend, ratios ratioTable) {
		for i, m := range symmetricFamilies() {
			if !m.spd {
				continue
			}
			rng := newRand(uint64(100 + i))
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
			rng := newRand(uint64(200 + i))
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
				negative := m.negative(n)
				if p, q, z := f.Inertia(); p != n-negative || q != negative || z != 0 {
					t.Errorf("%s: n=%d: inertia (%d, %d, %d), want (%d, %d, 0)", m.name, n, p, q, z, n-negative, negative)
				}
			}
		}
	})
}

// checkGallerySymmetric holds one matrix to all ratios; f is left with its factorization.
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

	var x, y mat.Dense
	if err := f.SolveTo(&x, b.dense()); err != nil {
		t.Errorf("%s: n=%d: SolveTo: %v", family, n, err)
		return
	}
	check("solve", residualRatio(af, fullOf(&x), b))
	if err := f.SolveRowsTo(&y, b.transpose().dense()); err != nil {
		t.Errorf("%s: n=%d: SolveRowsTo: %v", family, n, err)
		return
	}
	check("solve-rows", residualRatio(af, fullOf(&y).transpose(), b))
	if _, err := refine(&x, a, b.dense()); err != nil {
		t.Errorf("%s: n=%d: Refine: %v", family, n, err)
		return
	}
	check("refined", residualRatio(af, fullOf(&x), b))

	var inverse mat.SymPacked
	if err := f.InverseTo(&inverse); err != nil {
		t.Errorf("%s: n=%d: InverseTo: %v", family, n, err)
		return
	}
	inv := fullOf(&inverse)
	check("inverse", inverseRatio(af, inv))
	checkRCondGallery(t, family, f.RCond(), af, inv)
}

func TestGalleryLU(t *testing.T) {
	onEach(t, func(t *testing.T, bk blskernel.Backend, ratios ratioTable) {
		for i, m := range generalFamilies() {
			rng := newRand(uint64(300 + i))
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
	d := a.dense()
	if err := f.Factorize(d); err != nil {
		t.Errorf("%s: n=%d: %v", family, n, err)
		return
	}
	if !sameBits(d.RawMatrix().Data, a.x) {
		t.Fatalf("%s: n=%d: Factorize changed its argument", family, n)
	}
	l, u := factorsOf(f)
	rebuilt := rebuiltLU(f, l, u)
	check("factor", over(a.sub(rebuilt).norm(), float64(n)*eps, a.norm()))
	ratios.check(t, family, "factor-elements", n, elementRatio(a, rebuilt, rebuiltLU(f, magnitudes(l), magnitudes(u))), elementBound)

	var x, y mat.Dense
	if err := f.SolveTo(&x, b.dense()); err != nil {
		t.Errorf("%s: n=%d: SolveTo: %v", family, n, err)
		return
	}
	check("solve", residualRatio(a, fullOf(&x), b))
	if err := f.SolveRowsTo(&y, b.transpose().dense()); err != nil {
		t.Errorf("%s: n=%d: SolveRowsTo: %v", family, n, err)
		return
	}
	check("solve-rows", residualRatio(a.transpose(), fullOf(&y).transpose(), b))
	if _, err := f.Refine(&x, d, b.dense()); err != nil {
		t.Errorf("%s: n=%d: Refine: %v", family, n, err)
		return
	}
	check("refined", residualRatio(a, fullOf(&x), b))

	var inverse mat.Dense
	if err := f.InverseTo(&inverse); err != nil {
		t.Errorf("%s: n=%d: InverseTo: %v", family, n, err)
		return
	}
	inv := fullOf(&inverse)
	// Of the two residuals that of X A, or of Xᵀ Aᵀ where the transpose was factored, is the one with a
	// bound: Higham, section 14.3, Method B. It is the one that LAPACK's dget03 tests.
	if f.transposed() {
		check("inverse", inverseRatio(a, inv))
	} else {
		check("inverse", inverseRatio(inv, a))
	}
	checkRCondGallery(t, family, f.RCond(), a, inv)
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
		return &Cholesky{factorized: true, n: f.n, u: abs(f.u)}
	case *LDLT:
		d := lapack.Diagonal{D: abs(f.d.D), E: abs(f.d.E)}
		for k, e := range d.E {
			if e != 0 {
				d.D[k], d.D[k+1] = max(d.D[k], e), max(d.D[k+1], e)
			}
		}
		return &LDLT{factorized: true, n: f.n, u: abs(f.u), d: d, swap: f.swap}
	}
	panic("unknown factorization")
}
