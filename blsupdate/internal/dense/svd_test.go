package dense

import (
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/mat"

	"gonum.org/v1/gonum/lapack/gonum"
)

// TestLeadingColumns compares the pivots with those of gonum's Dgeqp3, and checks a matrix whose rank
// is below the requested one.
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
