package lapack

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/linalg/block"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/testmat"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// boundaries lists orders around multiples of the block sizes, present and likely.
var boundaries = []int{63, 64, 65, 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 300, 385}

// gallerySizes returns the sizes at which the family of the given index is tested, at most m.MaxOrder:
// random matrices have the block sizes, every family meets orders of all sizes, and every order some of
// the families, in long tests a tenth of them, and all to order 40.
func gallerySizes(index int, m testmat.Family) (all []size) {
	if m.Name == "random" {
		all = append(sizes(), size{300, 0}, size{300, 40})
	}
	add := func(s size, chosen bool) {
		if chosen && (m.MaxOrder == 0 || s.n <= m.MaxOrder) {
			all = append(all, s)
		}
	}
	for n := 1; n <= 200; n++ {
		add(size{n, 2 + n%7}, n <= 10 || n <= 40 && ((n+index)%9 == 0 || testutil.Long()))
		add(size{n, 0}, n <= 10 || (n+11*index)%111 == 0 || testutil.Long() && (n <= 40 || (n+index)%10 == 0))
	}
	for i, n := range boundaries {
		add(size{n, 0}, testutil.Long() && n > 200 || (i+5*index)%len(boundaries) == 0)
	}
	return all
}

// TestGallery tests the factors, solutions, inverses and condition numbers of all families by LAPACK's
// ratios, in small blocks and in the blocks in use, and the inertia if it is known.
func TestGallery(t *testing.T) {
	testutil.NotUnderRace(t, "computing in one goroutine")
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for i, m := range slices.Concat(testmat.Symmetric(), testmat.Unsymmetric()) {
			rng := testutil.Rand(uint64(i))
			for _, s := range gallerySizes(i, m) {
				a, b := m.Of(rng, s.n), testmat.Random(rng, s.n, 1+s.n%5)
				for _, f := range blocked(t, bk, s.nb) {
					if !f.takes(m) || m.Singular && errors.Is(f.factorize(a, false), ErrSingular) {
						continue
					}
					f.check(t, fmt.Sprintf("%s %s: n=%d nb=%d", f.name, m.Name, s.n, s.nb), a, b)
					if f.ldlt != nil && m.Negative != nil && f.factorize(a, false) == nil {
						checkInertia(t, m.Name, f.ldlt, m.Negative(s.n))
					}
				}
			}
		}
	})
}

// check tests the factors, solutions, inverse and condition number of one matrix by all ratios.
func (f *factorization) check(t *testing.T, name string, a, b *full) {
	t.Helper()
	n := a.R
	if err := f.factorize(a, false); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if f.ldlt != nil {
		checkPivots(t, name, f.ldlt)
	}
	rebuilt := f.rebuild(false)
	checkRatio(t, name+": factor", testmat.Over(a.Sub(rebuilt).Norm(), float64(n)*eps, a.Norm()))
	// The theorems have n u for the elimination, or a small multiple of it for LDLT, and the
	// product that the test computes has n u again, or 2n u if it is of three matrices.
	if ratio := elementRatio(a, rebuilt, f.rebuild(true)); !(ratio <= 5) {
		t.Errorf("%s: elements of the factors: %.3g", name, ratio)
	}

	if n > 0 {
		x, y := solutions(t, name, f, b)
		checkRatio(t, name+": solve", testmat.ResidualRatio(a, testmat.Of(x), b))
		checkRatio(t, name+": solve-rows", testmat.ResidualRatio(a.T(), y, b))
		if _, err := f.refine(x, a, b.Dense()); err != nil {
			t.Errorf("%s: Refine: %v", name, err)
			return
		}
		checkRatio(t, name+": refined", testmat.ResidualRatio(a, testmat.Of(x), b))
	}

	inverse, err := f.inverse(false)
	if !withResult(err) {
		t.Errorf("%s: InverseTo: %v", name, err)
		return
	}
	// The residual of X A, or of Xᵀ Aᵀ if the transpose was factored, is the one with a bound for
	// LU: Higham, section 14.3, Method B. It is the one that LAPACK's dget03 tests.
	switch {
	case f.definite:
		checkRatio(t, name+": inverse", choleskyInverseRatio(a, inverse))
	case f.left():
		checkInverse(t, name, inverse, a)
	default:
		checkInverse(t, name, a, inverse)
	}
	checkRCond(t, name, f.RCond(), a, inverse)

	if err := f.factorize(a, true); err != nil {
		t.Errorf("%s: FactorizeInPlace: %v", name, err)
		return
	}
	inPlace, err := f.inverse(true)
	if !withResult(err) || !testmat.SameBits(inPlace.X, inverse.X) {
		t.Errorf("%s: InverseInPlace and InverseTo differ: %v", name, err)
	}
}

// solutions returns A⁻¹B from SolveTo, and from SolveRowsTo for the transpose of B, both in views with
// gaps and in place, and tests that SolveTo gives the same elsewhere and does not change B.
func solutions(t *testing.T, name string, f *factorization, b *full) (x *mat.Dense, rows *full) {
	t.Helper()
	bd, intact := f.right(b)
	x = new(mat.Dense)
	if err := f.SolveTo(x, bd); !withResult(err) || !testmat.SameBits(testmat.Of(bd).X, b.X) {
		t.Fatalf("%s: SolveTo: %v, or it changed b", name, err)
	}
	if err := f.SolveTo(bd, bd); !withResult(err) || !testmat.SameBits(testmat.Of(bd).X, testmat.Of(x).X) {
		t.Errorf("%s: SolveTo in place: %v, or it differs", name, err)
	}
	intact()
	y, intact := f.right(b.T())
	if err := f.SolveRowsTo(y, y); !withResult(err) {
		t.Fatalf("%s: SolveRowsTo: %v", name, err)
	}
	intact()
	return x, testmat.Of(y).T()
}

// elementRatio is max_ij |A - B|_ij/(n eps (|A| + M)_ij), where B is the product of the factors of A
// and M the product of their magnitudes. It does not depend on the scale of rows and columns, as norms
// do: Higham, theorems 9.3, 10.3 and 11.3.
func elementRatio(a, b, m *full) float64 {
	worst := 0.0
	for i, v := range a.X {
		worst = max(worst, testmat.Over(math.Abs(v-b.X[i]), float64(a.R)*eps, math.Abs(v)+m.X[i]))
	}
	return worst
}

// choleskyInverseRatio is InverseRatio in the Frobenius norm. By U⁻¹U⁻ᵀ the error of A X is within a
// multiple of |Uᵀ||U||U⁻¹||U⁻ᵀ| (Higham, section 14.3), whose 1-norm may be several times ‖A‖₁‖X‖₁: 3.8
// for the Hilbert matrix with a ridge at n = 129, where the ratio in the 1-norm is 36, in the ∞-norm
// 1.9, and in this one, which does not tell A X from X A, 2.7.
func choleskyInverseRatio(a, x *full) float64 {
	if a.R == 0 {
		return 0
	}
	frobenius := func(m *full) float64 { return gonummat.Norm(m.Dense(), 2) }
	return testmat.Over(frobenius(testmat.Identity(a.R).Sub(a.Mul(x))), float64(a.R)*eps, frobenius(a), frobenius(x))
}

// checkPivots tests that U is bounded, |u_ij| <= 1/(1-α) = 2.781 but for rounding, as bounded pivoting
// guarantees, that rows are exchanged with later ones, and that pivots of order 2 are indefinite.
func checkPivots(t *testing.T, name string, f *LDLT) {
	t.Helper()
	for _, v := range f.u {
		if !(math.Abs(v) <= 2.79) {
			t.Fatalf("%s: n=%d: element %v of U", name, f.n, v)
		}
	}
	for k := range f.n {
		if f.swap[k] < k || f.swap[k] >= f.n {
			t.Fatalf("%s: n=%d: row %d exchanged with %d", name, f.n, k, f.swap[k])
		}
		if f.d.E[k] != 0 && (!(f.d.D[k]/f.d.E[k]*(f.d.D[k+1]/f.d.E[k]) < 1) || f.d.E[k+1] != 0 || f.u[block.PackedIndex(f.n, k, k+1)] != 0) {
			t.Fatalf("%s: n=%d: bad 2×2 pivot at %d", name, f.n, k)
		}
	}
}

// checkInertia tests that f counts the given number of negative eigenvalues, and zeros only if A is
// singular to working precision: an element of U is below 2.79, so that a pivot of n eps ‖A‖ changes A
// by less than 10n² eps ‖A‖.
func checkInertia(t *testing.T, name string, f *LDLT, negative int) {
	t.Helper()
	n := f.Dim()
	p, q, z := f.Inertia()
	if p > n-negative || q > negative || p+q+z != n || z > 0 && !(f.RCond() <= 10*float64(n*n)*eps) {
		t.Errorf("%s: n=%d: inertia (%d, %d, %d), want (%d, %d, 0)", name, n, p, q, z, n-negative, negative)
	}
}
