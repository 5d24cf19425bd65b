package blsupdate

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/cholesky"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"
)

// hugeCells overwrites some cells of x by numbers of 1e24 to 1e36.
func hugeCells(r *rand.Rand, x *mat.Dense, cells int) {
	rows, cols := x.Dims()
	for range cells {
		x.Set(r.IntN(rows), r.IntN(cols), math.Pow(10, 24+12*r.Float64()))
	}
}

// TestInverseCholeskyBounds adds rows as large as 1e36 to a model with a small ridge, where I + SᵀS has
// nothing left of the I: what has been computed of F is then no F any more and may be larger than the
// old one, which no addition makes of it. That is an error and the state is what it was, or the bound
// that is kept of F is one; what is kept can be written and read.
func TestInverseCholeskyBounds(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		refused := 0
		for _, form := range []Form{Small, Large, Auto} {
			for seed := range uint64(40) {
				r := rand.New(rand.NewPCG(seed, 91))
				k, q, lambda := 30, 20, 0x1p-30
				if seed%4 == 3 {
					k, lambda = 10, 1.0
				}
				u := started(t, InverseCholesky, testutil.Random(r, 60, k), testutil.Random(r, 60, 2), Options{Lambda: lambda, Form: form, Backend: b})
				start := driverOf(u).state.(*cholesky.State).Most * 1.05
				for range 4 {
					ax, ya := testutil.Random(r, q, k), testutil.Random(r, q, 2)
					if seed%4 == 3 {
						ax.Scale(1e17, ax)
					} else {
						hugeCells(r, ax, 5)
					}
					before := digest(u)
					err := u.AddInputs(ax, ya)
					var condition *ConditionError
					switch {
					case err == nil:
					case !errors.As(err, &condition) && !errors.Is(err, ErrOverflow):
						t.Fatal(err)
					case digest(u) != before:
						t.Fatalf("%v, seed %d: the state has changed (%v)", form, seed, err)
					default:
						refused++
					}
					s := driverOf(u).state.(*cholesky.State)
					if got, bound := dense.Norm(s.L.RawMatrix().Data), s.Most; !(got <= bound*(1+1e-14) && bound <= start) {
						t.Errorf("%v, seed %d: the norm of F is %g, its bound %g, and at the start it was %g", form, seed, got, bound, start)
					}
					data := encoded(t, u)
					if !bytes.Equal(encoded(t, decoded(t, data, b)), data) {
						t.Fatalf("%v, seed %d: read as something else", form, seed)
					}
				}
			}
		}
		if refused == 0 {
			t.Error("nothing was refused")
		}
	})
}
