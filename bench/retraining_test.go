package bench

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/testutil"
	"blskernel/lapack"
	"blskernel/mat"
)

const eps = 0x1p-52

// TestRidgePseudoinverse substitutes P and W into their equations. With G = AᵀA + lambda I, the
// solution by Cholesky has a residual of at most c k eps ‖G‖‖P‖, whatever the condition. See Higham,
// Accuracy and Stability of Numerical Algorithms, theorem 10.4, where c is about 8. G itself has an
// error of l eps ‖A‖². All norms are Frobenius norms.
func TestRidgePseudoinverse(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, name := range blskernel.Names() {
		b, err := blskernel.Lookup(name)
		testutil.NoError(t, err)
		for _, d := range []struct {
			l, k, c int
			lambda  float64
		}{{1, 1, 1, 0}, {40, 7, 3, 0}, {65, 64, 1, 1e-3}, {200, 65, 10, 0x1p-30}, {30, 60, 2, 1e-2}, {1100, 20, 5, 1}} {
			a, y := testutil.Random(r, d.l, d.k), testutil.Random(r, d.l, d.c)
			before := mat.NewDense(d.l, d.k, nil)
			before.Copy(a)
			counter := blsupdate.NewCounter(b)
			p, w, err := ridgePseudoinverse(counter, a, y, d.lambda)
			if err != nil {
				t.Fatalf("%s, %+v: %v", name, d, err)
			}
			l, k, c := float64(d.l), float64(d.k), float64(d.c)
			if want := 3*l*k*k + k*k*k/3 + 2*l*k*c; !(math.Abs(counter.Flops()-want) <= 1e-12*want) {
				t.Errorf("%s, %+v: %v flops; want %v", name, d, counter.Flops(), want)
			}
			var gram, left, diff, product mat.Dense
			gram.Mul(a.T(), a)
			for i := range d.k {
				gram.Set(i, i, gram.At(i, i)+d.lambda)
			}
			left.Mul(p, &gram)
			diff.Sub(&left, a)
			if tol := 8 * (k + l) * eps * gram.Norm(2) * p.Norm(2); !(diff.Norm(2) <= tol) {
				t.Errorf("%s, %+v: P G differs from A by %v; want at most %v", name, d, diff.Norm(2), tol)
			}
			product.Mul(p.T(), y)
			diff.Reset()
			diff.Sub(&product, w)
			if tol := 2 * l * eps * p.Norm(2) * y.Norm(2); !(diff.Norm(2) <= tol) {
				t.Errorf("%s, %+v: W differs from PᵀY by %v; want at most %v", name, d, diff.Norm(2), tol)
			}
			if !slices.Equal(a.RawMatrix().Data, before.RawMatrix().Data) {
				t.Errorf("%s, %+v: A has been changed", name, d)
			}
		}
	}
}

// TestTimePseudoinverse times an A with a zero column: no Cholesky factor without a ridge, as by says.
func TestTimePseudoinverse(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	a, y := testutil.Random(r, 50, 6), testutil.Random(r, 50, 2)
	for i := range 50 {
		a.Set(i, 5, 0)
	}
	var pivot *lapack.PivotError
	if _, _, err := ridgePseudoinverse(blskernel.Default(), a, y, 0); !errors.As(err, &pivot) {
		t.Errorf("a singular matrix: %v", err)
	}
	for _, tc := range []struct {
		lambda float64
		by     string
	}{{0, "svd"}, {1e-3, "cholesky"}} {
		by, seconds, flops, err := timePseudoinverse(a, y, blsupdate.Options{Lambda: tc.lambda})
		if err != nil || by != tc.by || !(seconds > 0 && flops > 0) {
			t.Errorf("lambda = %v: by %s, %v s, %v flops, %v; want %s", tc.lambda, by, seconds, flops, err, tc.by)
		}
	}
	a.Set(3, 3, math.NaN())
	if _, _, _, err := timePseudoinverse(a, y, blsupdate.Options{Lambda: 1}); err == nil {
		t.Error("no error for NaN")
	}
}

func TestVariants(t *testing.T) {
	for _, v := range []Variant{
		{Method: blsupdate.Original}, {Method: blsupdate.Improved, Form: blsupdate.Paper}, {Method: blsupdate.Improved, Form: blsupdate.Large, Solve: true},
		{Method: blsupdate.Improved, Solve: true}, {Method: blsupdate.RidgeInverse, Form: blsupdate.Small},
	} {
		if got, err := ParseVariant(v.String()); got != v || err != nil {
			t.Errorf("%v is read as %v, %v", v, got, err)
		}
		cost := Cost{Method: v.Method.String(), Form: v.Form.String(), Solve: v.Solve}
		if got := cost.Variant(); got != v.String() {
			t.Errorf("the cost of %v is of %s", v, got)
		}
	}
	if got := (Variant{blsupdate.Improved, blsupdate.Compressed, true}).String(); got != "improved/compressed/solve" {
		t.Errorf("the name is %q", got)
	}
	for _, bad := range []string{"", "best", "improved/", "improved/tiny", "gram/solve/x"} {
		if v, err := ParseVariant(bad); err == nil {
			t.Errorf("%q is read as %v", bad, v)
		}
	}
}
