package lapack

import (
	"fmt"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// Refine does not overwrite what it reads, also where the storages do not begin at the same place, and
// accepts columns of one matrix side by side.
func TestRefineAliased(t *testing.T) {
	const n = 3
	spd := mat.NewSymPacked(n, []float64{4, 1, 0, 3, 1, 2})
	square := spd.Dense()
	var c Cholesky
	var f LDLT
	var lu LU
	for _, err := range []error{c.Factorize(spd), f.Factorize(spd), lu.Factorize(square)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	refines := map[string]func(x, b *mat.Dense) (ErrorBounds, error){
		"Cholesky": func(x, b *mat.Dense) (ErrorBounds, error) { return c.Refine(x, spd, b) },
		"LDLT":     func(x, b *mat.Dense) (ErrorBounds, error) { return f.Refine(x, spd, b) },
		"LU":       func(x, b *mat.Dense) (ErrorBounds, error) { return lu.Refine(x, square, b) },
	}
	column := func(data []float64) *mat.Dense { return mat.NewDense(n, 1, data) }
	for name, refine := range refines {
		t.Run(name, func(t *testing.T) {
			for shift := 0; shift < n; shift++ {
				data := make([]float64, 2*n)
				low, high := column(data[:n]), column(data[shift:shift+n])
				testutil.MustPanic(t, refineAliased, func() { _, _ = refine(high, low) })
				testutil.MustPanic(t, refineAliased, func() { _, _ = refine(low, high) })
			}
			data := make([]float64, 2*n)
			if _, err := refine(column(data[n:]), column(data[:n])); err != nil {
				t.Error(err)
			}
			both := mat.NewDense(n, 4, nil)
			left, right := both.Slice(0, n, 0, 2).(*mat.Dense), both.Slice(0, n, 2, 4).(*mat.Dense)
			if _, err := refine(right, left); err != nil {
				t.Error(err)
			}
		})
	}
	ap, raw := spd.RawSymPacked().Data, square.RawMatrix().Data
	for shift := range n {
		t.Run(fmt.Sprintf("matrix+%d", shift), func(t *testing.T) {
			b := mat.NewDense(n, 1, nil)
			testutil.MustPanic(t, refineAliased, func() { _, _ = c.Refine(column(ap[shift:shift+n]), spd, b) })
			testutil.MustPanic(t, refineAliased, func() { _, _ = f.Refine(column(ap[shift:shift+n]), spd, b) })
			testutil.MustPanic(t, refineAliased, func() { _, _ = lu.Refine(column(raw[shift:shift+n]), square, b) })
		})
	}
}

// A solution may overwrite its right-hand sides, by the same matrix or another view of the same
// storage, but not a part of them.
func TestSolveOverlap(t *testing.T) {
	var f LU
	if err := f.Factorize(gonummat.NewDense(2, 2, []float64{2, 0, 0, 4})); err != nil {
		t.Fatal(err)
	}
	for _, solve := range []func(dst, b *mat.Dense) error{f.SolveTo, f.SolveRowsTo} {
		data := []float64{2, 4, 8, 16, 32}
		b, same, shifted := gonummat.NewDense(2, 2, data[:4]), gonummat.NewDense(2, 2, data[:4]), gonummat.NewDense(2, 2, data[1:])
		func() {
			defer func() {
				if r := recover(); r != solveAliased {
					t.Errorf("recovered %v", r)
				}
			}()
			_ = solve(shifted, b)
		}()
		if data[4] != 32 || data[1] != 4 {
			t.Errorf("wrote %v", data)
		}
		if err := solve(same, b); err != nil {
			t.Error(err)
		}
	}
}
