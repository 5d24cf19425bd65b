package lapack

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"

	gonummat "gonum.org/v1/gonum/mat"
)

// boundaries are orders about multiples of the block sizes, present and likely.
var boundaries = []int{63, 64, 65, 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 300, 385}

// galleryOrders returns the orders at which the family of the given index is tested, at most most (0:
// no limit). All of them take minutes, and are there with BLSKERNEL_LONG=1; else every family meets
// orders of all sizes, and every order some of the families, a third of them with -short.
func galleryOrders(family, most int) []int {
	var orders []int
	add := func(n int) {
		if most == 0 || n <= most {
			orders = append(orders, n)
		}
	}
	all, every := testutil.Long(), 37
	if testing.Short() {
		every *= 3
	}
	for n := 1; n <= 200; n++ {
		if all || n <= 10 || (n+11*family)%every == 0 {
			add(n)
		}
	}
	for i, n := range boundaries {
		if all && n > 200 || !all && (i+5*family)%len(boundaries) == 0 {
			add(n)
		}
	}
	return orders
}

// A ratioTable keeps the largest ratio of each kind, by family.
type ratioTable map[string]map[string]float64

// elementBound is the bound on elementRatio: the theorems have n u for the elimination, or a small
// multiple of it for LDLT, and the product that the test computes has n u again, or 2n u if it is of
// three matrices.
const elementBound = 5

// check notes a ratio and reports one that is not at most bound.
func (r ratioTable) check(t *testing.T, family, kind string, n int, ratio, bound float64) {
	t.Helper()
	if !(ratio <= bound) {
		t.Errorf("%s: n=%d: %s is %.3g", family, n, kind, ratio)
	}
	if r[family] == nil {
		r[family] = map[string]float64{}
	}
	r[family][kind] = max(r[family][kind], ratio)
}

// log writes the table, for go test -v.
func (r ratioTable) log(t *testing.T) {
	t.Helper()
	var families []string
	for family := range r {
		families = append(families, family)
	}
	sort.Strings(families)
	for _, family := range families {
		var kinds []string
		for kind, ratio := range r[family] {
			kinds = append(kinds, fmt.Sprintf("%s %.3f", kind, ratio))
		}
		sort.Strings(kinds)
		t.Logf("%-36s %s", family, strings.Join(kinds, ", "))
	}
}

// residualRatio is max_j ‖(B - A X)_j‖/(n ‖A‖ ‖X_j‖ eps).
func residualRatio(a, x, b *full) float64 {
	res, worst := b.sub(a.mul(x)), 0.0
	for j := range b.c {
		worst = max(worst, over(res.column(j).norm(), float64(a.r)*eps, a.norm(), x.column(j).norm()))
	}
	return worst
}

// inverseRatio is ‖I - A X‖/(n ‖A‖ ‖X‖ eps).
func inverseRatio(a, x *full) float64 {
	return over(identity(a.r).sub(a.mul(x)).norm(), float64(a.r)*eps, a.norm(), x.norm())
}

// choleskyInverseRatio is inverseRatio in the Frobenius norm. By U⁻¹U⁻ᵀ the error of A X is
// within a multiple of |Uᵀ||U||U⁻¹||U⁻ᵀ| (Higham, section 14.3), whose 1-norm may be
// several times ‖A‖₁‖X‖₁: 3.8 for the Hilbert matrix with a ridge at n = 129, where the
// ratio in the 1-norm is 36, in the ∞-norm 1.9, and in this one, which does not tell A X from X A,
// 2.7.
func choleskyInverseRatio(a, x *full) float64 {
	if a.r == 0 {
		return 0
	}
	frobenius := func(m *full) float64 { return gonummat.Norm(m.dense(), 2) }
	return over(frobenius(identity(a.r).sub(a.mul(x))), float64(a.r)*eps, frobenius(a), frobenius(x))
}

// checkRCondGallery tests RCond where the computed inverse is right to a few digits: from the true
// value, but for rounding, to ten times as much (see checkRCond); and elsewhere that it is small.
func checkRCondGallery(t *testing.T, name string, got float64, a, inv *full) {
	t.Helper()
	if want := 1 / a.norm() / inv.norm(); want > 1e-11 {
		checkRCond(t, name, got, a, inv)
	} else if !(got >= 0) || !(got < 1e-9) {
		t.Errorf("%s: RCond = %.3g of a matrix with %.3g", name, got, want)
	}
}

// onEach runs a test of the gallery on every backend, with a table of its ratios.
func onEach(t *testing.T, f func(t *testing.T, bk blskernel.Backend, ratios ratioTable)) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		ratios := ratioTable{}
		f(t, bk, ratios)
		ratios.log(t)
	})
}
