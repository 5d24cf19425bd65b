package dense

import (
	"fmt"
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

// TestSVD checks A = U diag(values) Vᵀ, the orthogonality of the columns whose values are not zero,
// and the values against gonum's, in units of max(m, n, 8) eps ‖A‖.
func TestSVD(t *testing.T) {
	b := blskernel.Default()
	for _, shape := range [][2]int{{1, 1}, {1, 5}, {2, 2}, {7, 7}, {40, 9}, {9, 40}, {60, 60}, {130, 129}} {
		m, n := shape[0], shape[1]
		small := min(m, n)
		r := testutil.Rand(uint64(100*m + n))
		matrices := map[string]*mat.Dense{
			"random": testutil.Random(r, m, n), "zero": mat.NewDense(m, n, nil), "rank": testutil.RandomRank(r, m, n, (small+1)/2),
			"huge": testutil.Random(r, m, n), "tiny": testutil.Random(r, m, n), "graded": testutil.Random(r, m, n), "ones": mat.NewDense(m, n, nil),
		}
		matrices["huge"].Scale(0x1p1000, matrices["huge"])
		matrices["tiny"].Scale(0x1p-1010, matrices["tiny"])
		for i := range m {
			Scale(math.Ldexp(1, -20*i), matrices["graded"].RawRowView(i))
			matrices["ones"].Set(i, i%n, 1)
			for j := range n {
				matrices["ones"].Set(i, j, 1)
			}
		}
		for name, a := range matrices {
			t.Run(fmt.Sprintf("%s/%dx%d", name, m, n), func(t *testing.T) {
				given := Copy(a)
				values, u, v, err := SVD(b, a)
				if err != nil {
					t.Fatal(err)
				}
				if !gonummat.Equal(a, given) {
					t.Error("SVD has changed A")
				}
				var reference gonummat.SVD
				if !reference.Factorize(a, gonummat.SVDNone) {
					t.Fatal("gonum does not converge")
				}
				want := reference.Values(nil)
				tolerance := float64(max(m, n, 8)) * Eps * (want[0] + 0x1p-1070)
				rank := small
				for i, w := range want {
					if !(math.Abs(values[i]-w) <= tolerance) || i > 0 && values[i] > values[i-1] {
						t.Errorf("value %d is %g, want %g", i, values[i], w)
					}
					if values[i] == 0 {
						rank = min(rank, i)
					}
				}
				us := Copy(u)
				for i := range m {
					Multiply(us.RawRowView(i), values)
				}
				product := mat.NewDense(m, n, nil)
				Gemm(b, blas.NoTrans, blas.Trans, 1, us, v, 0, product)
				product.Sub(product, a)
				if d := LargestOf(product.RawMatrix().Data); !(d <= 4*tolerance) {
					t.Errorf("A - U S V' is %g", d)
				}
				if rank == 0 {
					return
				}
				for _, q := range []*mat.Dense{u, v} {
					q = q.Slice(0, Rows(q), 0, rank).(*mat.Dense)
					gram := mat.NewDense(rank, rank, nil)
					Gemm(b, blas.Trans, blas.NoTrans, 1, q, q, 0, gram)
					gram.Sub(gram, ScaledIdentity(rank, 1))
					if d := LargestOf(gram.RawMatrix().Data); !(d <= 4*float64(max(m, n))*Eps) {
						t.Errorf("columns are orthogonal to %g", d)
					}
				}
			})
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
