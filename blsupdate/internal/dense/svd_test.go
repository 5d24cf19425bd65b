package dense

import (
	"math"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack/gonum"
	gonummat "gonum.org/v1/gonum/mat"
)

// TestSVD checks A = U diag(values) Vᵀ and the orthogonality of the columns of U and V, and compares
// the values with gonum's, in units of max(m, n, 8) eps ‖A‖. Package lapack tests the routine on
// matrices of every kind.
func TestSVD(t *testing.T) {
	b := blskernel.Default()
	for _, shape := range [][2]int{{1, 1}, {1, 5}, {2, 2}, {7, 7}, {40, 9}, {9, 40}, {60, 60}, {130, 129}} {
		m, n := shape[0], shape[1]
		a := testutil.Random(testutil.Rand(uint64(100*m+n)), m, n)
		given := Copy(a)
		values, u, v, err := SVD(b, a)
		testutil.NoError(t, err)
		if !gonummat.Equal(a, given) {
			t.Errorf("%v: SVD has changed A", shape)
		}
		var reference gonummat.SVD
		if !reference.Factorize(a, gonummat.SVDNone) {
			t.Fatal("gonum does not converge")
		}
		want := reference.Values(nil)
		tolerance := float64(max(m, n, 8)) * Eps * want[0]
		for i, w := range want {
			if !(math.Abs(values[i]-w) <= tolerance) || i > 0 && values[i] > values[i-1] {
				t.Errorf("%v: value %d is %g, want %g", shape, i, values[i], w)
			}
		}
		us, product := Copy(u), mat.NewDense(m, n, nil)
		for i := range m {
			Multiply(us.RawRowView(i), values)
		}
		Gemm(b, blas.NoTrans, blas.Trans, 1, us, v, 0, product)
		product.Sub(product, a)
		if d := LargestOf(product.RawMatrix().Data); !(d <= 4*tolerance) {
			t.Errorf("%v: A - U S V' is %g", shape, d)
		}
		for _, q := range []*mat.Dense{u, v} {
			gram := mat.NewDense(min(m, n), min(m, n), nil)
			Gemm(b, blas.Trans, blas.NoTrans, 1, q, q, 0, gram)
			gram.Sub(gram, ScaledIdentity(min(m, n), 1))
			if d := LargestOf(gram.RawMatrix().Data); !(d <= 4*float64(max(m, n))*Eps) {
				t.Errorf("%v: columns are orthogonal to %g", shape, d)
			}
		}
	}
}

// TestLeadingColumns compares the pivots with those of gonum's Dgeqp3, and checks a matrix whose rank
// is lower than what is asked for.
func TestLeadingColumns(t *testing.T) {
	r := testutil.Rand(8)
	for _, shape := range [][2]int{{1, 1}, {5, 3}, {3, 5}, {40, 40}, {90, 30}} {
		m, n := shape[0], shape[1]
		c := testutil.Random(r, m, n)
		rank := min(m, n)
		got := LeadingColumns(blskernel.Default(), c, rank)
		want, tau, work := slices.Repeat([]int{-1}, n), make([]float64, rank), make([]float64, 3*n+100)
		gonum.Implementation{}.Dgeqp3(m, n, Compact(c), n, want, tau, work, len(work))
		if !slices.Equal(got, want[:rank]) {
			t.Errorf("%d×%d: pivots %v, gonum's are %v", m, n, got, want[:rank])
		}
	}
	if got := LeadingColumns(blskernel.Default(), mat.NewDense(3, 4, nil), 3); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("pivots of zeros are %v", got)
	}
}
