package golden_test

import (
	"fmt"
	"testing"

	"blskernel"
	"blskernel/internal/golden"
	"blskernel/lapack"

	gonumlapack "gonum.org/v1/gonum/lapack"
)

func TestGoldenSVD(t *testing.T) {
	each(t, "svd", func(r recorder, b blskernel.Backend) {
		impl := lapack.Implementation{Backend: b}
		for _, n := range orders {
			s := golden.Source(n)
			for _, m := range []int{n, n + 3, 2*n + 40} {
				if m > 400 {
					continue // long in emulation
				}
				for _, shape := range [][2]int{{m, n}, {n, m}}[:1+min(m-n, 1)] {
					rows, cols := shape[0], shape[1]
					a := dense(&s, rows, cols).RawMatrix()
					u, vt, values := make([]float64, rows*n), make([]float64, n*cols), make([]float64, n)
					work := make([]float64, 3*n+m+5*n)
					if !impl.Dgesvd(gonumlapack.SVDStore, gonumlapack.SVDStore, rows, cols, a.Data, a.Stride, values, u, n, vt, cols, work, len(work)) {
						r.Fatalf("%dx%d: no convergence", rows, cols)
					}
					r.add(fmt.Sprintf("SVD %dx%d", rows, cols), ruleLapack, values, u, vt)
					a = dense(&s, rows, cols).RawMatrix()
					impl.Dgesvd(gonumlapack.SVDNone, gonumlapack.SVDNone, rows, cols, a.Data, a.Stride, values, nil, 1, nil, 1, work, len(work))
					r.add(fmt.Sprintf("singular values %dx%d", rows, cols), ruleLapack, values)
				}
			}
		}
	})
}
