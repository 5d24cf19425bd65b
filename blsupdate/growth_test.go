package blsupdate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/long"
	"blskernel/mat"
)

// TestGrowth measures how the error of W grows with the condition number, method by method, against
// 400-bit arithmetic: 100 samples of 40 nodes, then batches of 20, 20 and 60. It holds every error to
// the bounds of variant.accuracy. With -v it prints the table of docs/numerics.md; BLSKERNEL_LONG=1
// takes five seeds instead of one.
func TestGrowth(t *testing.T) {
	const k = 40
	cuts := []int{100, 120, 140, 200}
	seeds := 1
	if long.Asked() {
		seeds = 5
	}
	columns := []variant{
		{Original, Auto, false}, {Improved, Small, false}, {Improved, Large, false}, {Improved, Compressed, false},
		{RidgeInverse, Small, false}, {RidgeInverse, Large, false}, {InverseCholesky, Small, false}, {InverseCholesky, Large, false}, {Gram, Auto, false}, {QR, Auto, false},
	}
	var table strings.Builder
	fmt.Fprint(&table, "| cond(A) | lambda | κ |")
	for _, v := range columns {
		fmt.Fprintf(&table, " %v %v |", v.method, v.form)
	}
	fmt.Fprintf(&table, "\n|%s\n", strings.Repeat("---|", 3+len(columns)))
	for _, cond := range []float64{1e2, 1e4, 1e6, 1e8, 1e10} {
		for _, lambda := range []float64{0, 0x1p-30, 1e-6, 1e-3} {
			var kappa float64
			errs := make([]float64, len(columns)) // -1 for a refusal
			for seed := range uint64(seeds) {
				r := rand.New(rand.NewPCG(50, seed))
				a, y := testutil.WithCondition(r, cuts[3], k, cond), signs(r, cuts[3], 1)
				// Every state of an update has an error, so the largest condition
				// number counts.
				for _, l := range cuts {
					kappa = max(kappa, kappaOf(rowsBetween(a, 0, l), lambda))
				}
				want := highPrecision(a, y, lambda)
				for i, v := range columns {
					if lambda > 0 && !v.ridgeSolver() {
						continue
					}
					w, err := learn(v, a, y, lambda, cuts)
					if err != nil {
						if kappa < 1e6 {
							t.Errorf("%v: cond=%g lambda=%g: %v", v, cond, lambda, err)
						}
						errs[i] = -1
						continue
					}
					got := relative(w, want)
					if bound := v.accuracy(cuts[3], kappa); !(got <= bound) {
						t.Errorf("%v: cond=%g lambda=%g: error %.2g, bound %.2g", v, cond, lambda, got, bound)
					}
					if errs[i] >= 0 {
						errs[i] = max(errs[i], got)
					}
				}
			}
			fmt.Fprintf(&table, "| %.0e | %.1g | %.1g |", cond, lambda, kappa)
			for i, v := range columns {
				switch {
				case lambda > 0 && !v.ridgeSolver():
					fmt.Fprint(&table, " |")
				case errs[i] < 0:
					fmt.Fprint(&table, " refused |")
				default:
					fmt.Fprintf(&table, " %.0e |", errs[i])
				}
			}
			fmt.Fprintln(&table)
		}
	}
	t.Logf("largest error of W in %d problems a row:\n%s", seeds, table.String())
}

// signs returns random elements of ±1.
func signs(r *rand.Rand, rows, cols int) *mat.Dense {
	m := testutil.Random(r, rows, cols)
	m.Apply(func(_, _ int, x float64) float64 { return math.Copysign(1, x) }, m)
	return m
}

// learn starts from the rows before the first cut and adds those between the others.
func learn(v variant, a, y *mat.Dense, lambda float64, cuts []int) (*mat.Dense, error) {
	u, err := New(v.method, rowsBetween(a, 0, cuts[0]), rowsBetween(y, 0, cuts[0]),
		Options{Lambda: lambda, Form: v.form, Solve: v.solve, Backend: blskernel.Default()})
	if err != nil {
		return nil, err
	}
	for i := 1; i < len(cuts); i++ {
		if err := u.AddInputs(rowsBetween(a, cuts[i-1], cuts[i]), rowsBetween(y, cuts[i-1], cuts[i])); err != nil {
			return nil, err
		}
	}
	return u.Weights()
}
