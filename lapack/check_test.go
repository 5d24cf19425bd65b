package lapack

import (
	"errors"
	"math"
	"testing"

	"blskernel"
	"blskernel/mat"
)

// Divisors whose reciprocal overflows or is subnormal, where x(1/d) is infinite or has lost digits, and
// the normal ones next to them.
var (
	extremeDivisors = []float64{0x1p-1074, 0x1.fp-1030, 0x1.7p-1023, 0x1.000001p1022, 0x1.9p1023, math.MaxFloat64}
	normalDivisors  = []float64{0x1p-1022, 0x1.7p-1022, 1, 3, 0x1.9p1021, 0x1p1022}
)

func TestInvertible(t *testing.T) {
	for _, sign := range []float64{1, -1} {
		for _, d := range extremeDivisors {
			if invertible(sign * d) {
				t.Errorf("%v is said to have a normal reciprocal", sign*d)
			}
		}
		for _, d := range normalDivisors {
			if !invertible(sign * d) {
				t.Errorf("%v is said to have no normal reciprocal", sign*d)
			}
		}
	}
	for _, d := range []float64{0, math.NaN(), math.Inf(1), math.Inf(-1)} {
		if invertible(d) {
			t.Errorf("%v is said to have a normal reciprocal", d)
		}
	}
}

// x/d rounded once for extreme divisors, and otherwise by the reciprocal: (1+u)² makes two units in the
// last place at most.
func TestDivide(t *testing.T) {
	rng := newRand(91)
	for _, d := range append(append([]float64{}, extremeDivisors...), normalDivisors...) {
		x := make([]float64, 50)
		for i := range x {
			x[i] = d * (rng.Float64() - 0.5)
		}
		q := append([]float64{}, x...)
		divide(q, d)
		for i, v := range x {
			want := v / d
			tolerance := 0.0
			if invertible(d) {
				tolerance = 2 * math.Abs(want) * 0x1p-52
			}
			if !(math.Abs(q[i]-want) <= tolerance) {
				t.Errorf("%v/%v is %v, want %v", v, d, q[i], want)
			}
		}
	}
}

// The same of the multipliers of LU and of a reflection, which are x/d for a d of that size.
func TestExtremePivots(t *testing.T) {
	bk, err := blskernel.Lookup("pure")
	if err != nil {
		t.Fatal(err)
	}
	const n = 5
	rng := newRand(92)
	for _, d := range extremeDivisors {
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

			x := make([]float64, n-1)
			for i := range x {
				x[i] = d / 8 * (rng.Float64() + 0.5)
			}
			v, alpha := append([]float64{}, x...), d/4
			beta, _ := larfg(bk, alpha, v)
			if by := alpha - beta; by == 0 || invertible(by) {
				continue
			}
			for i := range x {
				// Where beta is subnormal v is made with a beta of more digits.
				off := math.Max(4*eps, 0x1p-1074/math.Abs(alpha-beta))
				if want := x[i] / (alpha - beta); !(math.Abs(v[i]-want) <= off*math.Abs(want)) {
					t.Errorf("alpha %v: element %v of the reflection, want %v", alpha, v[i], want)
				}
			}
		}
	}
}

// A reflection that overflows although R does not, since alpha - beta is larger than the largest
// number, is an error.
func TestReflectionOverflows(t *testing.T) {
	onBackends(t, func(t *testing.T, bk blskernel.Backend) {
		f := QR{Backend: bk}
		err := f.Factorize(mat.NewDense(2, 1, []float64{0.9 * math.MaxFloat64, 0.3 * math.MaxFloat64}))
		var pivot *PivotError
		if !errors.As(err, &pivot) || !errors.Is(err, ErrNotFinite) || pivot.Index != 0 {
			t.Errorf("error %v", err)
		}
	})
}
