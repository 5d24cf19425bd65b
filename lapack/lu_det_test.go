package lapack

import (
	"math"
	"testing"

	"blskernel"
	"blskernel/internal/backend"
	"blskernel/mat"
)

// The bound is that of TestLogDet.
func TestLULogDet(t *testing.T) {
	onBackends(t, func(t *testing.T, bk blskernel.Backend) {
		rng := newRand(62)
		for name, generate := range generalGallery() {
			for _, n := range []int{1, 2, 3, 6, 15} {
				a := generate(rng, n)
				f := LU{Backend: bk}
				if err := f.Factorize(a.dense()); err != nil {
					t.Fatal(err)
				}
				wantLog, wantSign := bigLogDet(a)
				tol := ratioBound*float64(n*n)*eps/f.RCond() + 2*(4*float64(n)+math.Abs(wantLog))*eps
				log, sign := f.LogDet()
				if !(math.Abs(log-wantLog) <= tol) || (tol < 1 && sign != wantSign) {
					t.Errorf("%s: n=%d: log|det| = %v, sign %v, want %v, %v", name, n, log, sign, wantLog, wantSign)
				}
			}
		}
		// Permutations, scaled so that the determinant is far from what a number holds.
		for _, n := range []int{0, 1, 2, 3, 65, 200} {
			for _, s := range []float64{1, 0x1p900, -0x1p900, 0x1p-1000} {
				a, parity := newFull(n, n), 1.0
				order := rng.Perm(n)
				for i, j := range order {
					a.set(i, j, s)
					parity *= math.Copysign(1, s)
					for _, before := range order[:i] {
						if before > j {
							parity = -parity
						}
					}
				}
				f := LU{Backend: bk}
				if err := f.Factorize(a.dense()); err != nil {
					t.Fatal(err)
				}
				_, e := math.Frexp(s)
				want := float64(n*(e-1)) * math.Ln2
				tol := 2 * (4*float64(n) + math.Abs(want)) * eps
				if log, sign := f.LogDet(); !(math.Abs(log-want) <= tol) || sign != parity {
					t.Errorf("n=%d, elements %g: log|det| = %v, sign %v, want %v, %v", n, s, log, sign, want, parity)
				}
			}
		}
	})
	mustPanic(t, notFactorized, func() { new(LU).LogDet() })
}

// The matrix of Higham, section 9.4, with which partial pivoting attains the bound: ones on the
// diagonal and in the last column, -1 below the diagonal. It is its own kind's worst by rows only: of
// the transpose the elements do not grow.
func TestGrowthFactor(t *testing.T) {
	onBackends(t, func(t *testing.T, bk blskernel.Backend) {
		for _, n := range []int{1, 2, 10, 70} {
			a := newFull(n, n)
			for i := range n {
				for j := range i {
					a.set(i, j, -1)
				}
				a.set(i, i, 1)
				a.set(i, n-1, 1)
			}
			if _, transposed := backend.ColumnMajor(bk); transposed {
				a = a.transpose()
			}
			f := LU{Backend: bk}
			if err := f.Factorize(a.dense()); err != nil {
				t.Fatal(err)
			}
			if got, want := f.GrowthFactor(), math.Ldexp(1, n-1); got != want {
				t.Errorf("n=%d: growth factor %v, want %v", n, got, want)
			}
		}
		f := LU{Backend: bk}
		if err := f.Factorize(&mat.Dense{}); err != nil || f.GrowthFactor() != 1 {
			t.Errorf("n=0: growth factor %v, error %v", f.GrowthFactor(), err)
		}
	})
	mustPanic(t, notFactorized, func() { new(LU).GrowthFactor() })
}
