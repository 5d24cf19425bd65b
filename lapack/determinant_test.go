package lapack

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/linalg/backend"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/bigfloat"
	"blskernel/internal/testutil/testmat"
)

// bigLogDet returns log|det A| and the sign of det A by elimination in 600 bits.
func bigLogDet(a *full) (log, sign float64) {
	_, det := bigfloat.Solve(a, testmat.New(a.R, 0))
	var m big.Float
	e := det.MantExp(&m)
	v, _ := m.Float64()
	return math.Log(math.Abs(v)) + float64(e)*math.Ln2, float64(det.Sign())
}

// The determinant is exact for an A + E with ‖E‖ <= c n u ‖A‖, c = 30 as for the factors, and log det(A
// + E) - log det A = trace(A⁻¹E) to first order, at most n ‖A⁻¹‖ ‖E‖. The rest is rounding.
func TestLogDet(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(61)
		for _, m := range slices.Concat(testmat.Symmetric(), testmat.Unsymmetric()) {
			for _, order := range []int{1, 2, 3, 6, 12} {
				a := m.Of(rng, order)
				wantLog, wantSign := bigLogDet(a)
				for _, f := range factorizations(t, bk) {
					if !f.takes(m) {
						continue
					}
					if err := f.factorize(a, false); m.Singular && errors.Is(err, ErrSingular) {
						continue
					} else if err != nil {
						t.Fatal(err)
					}
					n := float64(order)
					tol := ratioBound*n*n*eps/f.RCond() + 2*(4*n+math.Abs(wantLog))*eps
					if log, sign := f.LogDet(); !(math.Abs(log-wantLog) <= tol) || tol < 1 && sign != wantSign {
						t.Errorf("%s: %s: n=%d: log|det| = %v, sign %v, want %v, %v",
							f.name, m.Name, order, log, sign, wantLog, wantSign)
					}
				}
			}
		}
	})
}

// Determinants that overflow or underflow by far, from 1×1 and 2×2 pivots, are known to the last
// digits: first with one factor of each kind, then with many.
func TestLogDetScaled(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(62)
		for _, n := range []int{0, 1, 2, 3, 4, 63, 64, 129, 200} {
			for _, s := range []float64{1, 1e150, 1e-150, 1e300, 1e-300, 0x1p-1060} {
				fraction, exponent := math.Frexp(s) // math.Log is wrong for subnormal numbers on amd64
				want := float64(n) * (math.Log(fraction) + float64(exponent)*math.Ln2)
				tol := 2 * (4*float64(n) + math.Abs(want)) * eps
				diagonal := testmat.Sym(n, func(i, j int) float64 { return s * testmat.Unless(i != j) })
				exchange := testmat.Sym(n, func(i, j int) float64 { return s * testmat.Unless(i+j != n-1) })
				// A permutation with random signs.
				order, parity := rng.Perm(n), 1.0
				permuted := testmat.New(n, n)
				for i, j := range order {
					sign := testmat.Alternate(rng.IntN(2))
					permuted.Set(i, j, s*sign)
					parity *= sign
					for _, before := range order[:i] {
						parity *= testmat.Alternate(int(testmat.Unless(before <= j)))
					}
				}
				for _, f := range factorizations(t, bk) {
					if _, library := backend.ColumnMajor(bk); library && !f.symmetric && s < 0x1p-1022 {
						// OpenBLAS multiplies by reciprocals of the pivots,
						// which are infinite.
						continue
					}
					check := func(a *full, wantSign float64) {
						t.Helper()
						testutil.NoError(t, f.factorize(a, false))
						if log, sign := f.LogDet(); !(math.Abs(log-want) <= tol) || sign != wantSign {
							t.Errorf("%s: n=%d, elements %g: log|det| = %v, sign %v, want %v, %v",
								f.name, n, s, log, sign, want, wantSign)
						}
					}
					check(diagonal, 1)
					if !f.definite {
						check(exchange, testmat.Alternate(n/2))
					}
					if !f.symmetric {
						check(permuted, parity)
					}
				}
			}
		}
	})
}
