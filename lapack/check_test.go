package lapack

import (
	"errors"
	"math"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"
)

// The multipliers of LU by a pivot whose reciprocal overflows or is subnormal are rounded once.
func TestExtremePivots(t *testing.T) {
	bk, err := blskernel.Lookup("pure")
	if err != nil {
		t.Fatal(err)
	}
	const n = 5
	rng := testutil.Rand(92)
	for _, d := range []float64{0x1p-1074, 0x1.fp-1030, 0x1.7p-1023, 0x1.000001p1022, 0x1.9p1023, math.MaxFloat64} {
		for range 20 {
			a := mat.NewDense(n, n, nil)
			a.Set(0, 0, d)
			for i := 1; i < n; i++ {
				a.Set(i, 0, d*(2*rng.Float64()-1))
				a.Set(i, i, 1)
			}
			f := LU{Backend: bk}
			if err := f.Factorize(a); err != nil {
				t.Fatal(err)
			}
			for i := 1; i < n; i++ {
				if got, want := f.lu.Data[i*f.lu.Stride], a.At(i, 0)/d; !(got == want) {
					t.Errorf("pivot %v: multiplier %v, want %v", d, got, want)
				}
			}
		}
	}
}

// A reflection that overflows although R does not, since alpha - beta is larger than the largest
// number, is an error.
func TestReflectionOverflows(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		f := QR{Backend: bk}
		err := f.Factorize(mat.NewDense(2, 1, []float64{0.9 * math.MaxFloat64, 0.3 * math.MaxFloat64}))
		var pivot *PivotError
		if !errors.As(err, &pivot) || !errors.Is(err, ErrNotFinite) || pivot.Index != 0 {
			t.Errorf("error %v", err)
		}
	})
}
