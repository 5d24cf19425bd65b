package eigen

import (
	"testing"

	"blskernel"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"

	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/testlapack"
)

// A hessenberg has Gehrd and Orghr as gonum's tests call them.
type hessenberg struct {
	gonum.Implementation
	bk factor.Backend
}

func (h hessenberg) Dgehrd(n, ilo, ihi int, a []float64, lda int, tau, work []float64, lwork int) {
	if lwork == -1 {
		work[0] = float64(max(1, n))
	} else if n > 0 {
		Gehrd(h.bk, n, ilo, ihi, block.Dense(a, lda), tau)
	}
}

func (h hessenberg) Dorghr(n, ilo, ihi int, a []float64, lda int, tau, work []float64, lwork int) {
	if lwork == -1 {
		work[0] = float64(max(1, n))
	} else if n > 0 {
		Orghr(h.bk, n, ilo, ihi, block.Dense(a, lda), tau)
	}
}

// TestHessenberg runs gonum's tests of dgehrd and dorghr, whose orders are around blocks of 32 columns.
func TestHessenberg(t *testing.T) {
	testutil.NotUnderRace(t, "computing in one goroutine")
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		testlapack.DgehrdTest(t, hessenberg{bk: factor.On(bk)})
		testlapack.DorghrTest(t, hessenberg{bk: factor.On(bk)})
	})
}
