package main

import (
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"blskernel"
)

// TestRun runs the whole at small orders: both implementations agree in the analysis and in every
// operation.
func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(&out, "7, 40", 1, "pure"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"the analysis of analysis.go", "times as fast"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("there is no %q in\n%s", want, out.String())
		}
	}
	if got := strings.Count(out.String(), "\n"); got != 3+2*len(operations) {
		t.Errorf("%d lines\n%s", got, out.String())
	}
	for _, orders := range []string{"", "1", "x", "7,"} {
		if err := run(&out, orders, 1, "pure"); err == nil {
			t.Errorf("orders %q are accepted", orders)
		}
	}
	if err := run(&out, "7", 1, "nonsense"); err == nil {
		t.Error("an unknown backend is accepted")
	}
}

// counting counts the products that gonum asks for.
type counting struct {
	blskernel.Backend
	products int
}

func (c *counting) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, out []float64, ldc int) {
	c.products++
	c.Backend.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, out, ldc)
}

// TestSwitch sees that gonum's products run on the backend after useKernels, and not after useGonum.
func TestSwitch(t *testing.T) {
	pure, err := blskernel.Lookup("pure")
	if err != nil {
		t.Fatal(err)
	}
	c := &counting{Backend: pure}
	a := random(5, 5, rand.New(rand.NewPCG(1, 1)))
	var p mat.Dense
	useKernels(c)
	defer useGonum()
	p.Mul(a, a)
	if c.products != 1 {
		t.Errorf("%d products on the backend", c.products)
	}
	useGonum()
	p.Mul(a, a)
	if c.products != 1 {
		t.Error("gonum's own products run on the backend")
	}
}

func TestSame(t *testing.T) {
	a := mat.NewDense(1, 2, []float64{1, 2})
	if err := same(a, mat.NewDense(1, 2, []float64{1, 2 + 1e-12})); err != nil {
		t.Error(err)
	}
	if err := same(a, mat.NewDense(1, 2, []float64{1, 2 + 1e-6})); err == nil {
		t.Error("a difference of 1e-6 is not seen")
	}
}
