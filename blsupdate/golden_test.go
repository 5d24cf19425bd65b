package blsupdate

import (
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"
)

// TestGolden has cases small enough to be worked out by hand in fractions.
func TestGolden(t *testing.T) {
	third := 1.0 / 3
	fifth := 1.0 / 5
	for _, test := range []struct {
		name         string
		a, ax        *mat.Dense
		before       *mat.Dense // A⁺ before
		after        *mat.Dense // A⁺ after
		y, ya        *mat.Dense
		wBefore, wAf *mat.Dense
		rankC        int
	}{
		{
			name:    "full column rank",
			a:       mat.NewDense(3, 2, []float64{1, 0, 0, 1, 1, 1}),
			y:       mat.NewDense(3, 1, []float64{1, 2, 3}),
			ax:      mat.NewDense(1, 2, []float64{1, -1}),
			ya:      mat.NewDense(1, 1, []float64{4}),
			before:  mat.NewDense(2, 3, []float64{2 * third, -third, third, -third, 2 * third, third}),
			wBefore: mat.NewDense(2, 1, []float64{1, 2}),
			after:   mat.NewDense(2, 4, []float64{third, 0, third, third, 0, third, third, -third}),
			wAf:     mat.NewDense(2, 1, []float64{8 * third, third}),
		},
		{
			name:    "C of full column rank",
			a:       mat.NewDense(1, 3, []float64{1, 0, 0}),
			y:       mat.NewDense(1, 1, []float64{2}),
			ax:      mat.NewDense(1, 3, []float64{1, 1, 0}),
			ya:      mat.NewDense(1, 1, []float64{5}),
			before:  mat.NewDense(3, 1, []float64{1, 0, 0}),
			wBefore: mat.NewDense(3, 1, []float64{2, 0, 0}),
			after:   mat.NewDense(3, 2, []float64{1, 0, -1, 1, 0, 0}),
			wAf:     mat.NewDense(3, 1, []float64{2, 3, 0}),
			rankC:   1,
		},
		{
			name:    "C neither zero nor of full column rank",
			a:       mat.NewDense(1, 2, []float64{1, 0}),
			y:       mat.NewDense(1, 1, []float64{5}),
			ax:      mat.NewDense(2, 2, []float64{1, 1, 2, 0}),
			ya:      mat.NewDense(2, 1, []float64{0, 0}),
			before:  mat.NewDense(2, 1, []float64{1, 0}),
			wBefore: mat.NewDense(2, 1, []float64{5, 0}),
			after:   mat.NewDense(2, 3, []float64{fifth, 0, 2 * fifth, -fifth, 1, -2 * fifth}),
			wAf:     mat.NewDense(2, 1, []float64{1, -1}),
			rankC:   1,
		},
	} {
		for _, cfg := range configurations {
			t.Run(test.name+"/"+cfg.String(), func(t *testing.T) {
				backends.On(t, func(t *testing.T, b blskernel.Backend) {
					const tol = 8 * dense.Eps
					u := mustNew(t, cfg.method, test.a, test.y, Options{Form: cfg.form, Solve: cfg.solve, Backend: b})
					if r := relative(u.Pseudoinverse(), test.before); !(r <= tol) {
						t.Errorf("A+ before: error %g", r)
					}
					if r := relative(weights(t, u), test.wBefore); !(r <= tol) {
						t.Errorf("W before: error %g", r)
					}
					must(t, u.AddInputs(test.ax, test.ya))
					if r := relative(u.Pseudoinverse(), test.after); !(r <= tol) {
						t.Errorf("A+ after: error %g", r)
					}
					if r := relative(weights(t, u), test.wAf); !(r <= tol) {
						t.Errorf("W after: error %g", r)
					}
					if got := u.Report().RankC; got != test.rankC {
						t.Errorf("rank of C is %d, want %d", got, test.rankC)
					}
				})
			})
		}
	}
}
