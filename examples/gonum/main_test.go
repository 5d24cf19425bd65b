package main

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"blskernel"
)

// TestRun compares the analysis at small orders, and tries wrong arguments.
func TestRun(t *testing.T) {
	for _, n := range []int{1, 7, 40} {
		var out strings.Builder
		if err := run(&out, n, "pure"); err != nil || !strings.Contains(out.String(), "pure") {
			t.Errorf("n = %d: %v, %s", n, err, out.String())
		}
	}
	for _, n := range []int{0, 20001} {
		if err := run(&strings.Builder{}, n, "pure"); err == nil {
			t.Errorf("n = %d is accepted", n)
		}
	}
	if err := run(&strings.Builder{}, 7, "nonsense"); err == nil {
		t.Error("a backend that does not exist is accepted")
	}
}

// A counting backend counts the products that gonum requests.
type counting struct {
	blskernel.Backend
	products int
}

func (c *counting) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, out []float64, ldc int) {
	c.products++
	c.Backend.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, out, ldc)
}

// TestSwitch checks that gonum's products run on the backend after useKernels, but not after useGonum.
func TestSwitch(t *testing.T) {
	pure, err := blskernel.Lookup("pure")
	if err != nil {
		t.Fatal(err)
	}
	c := &counting{Backend: pure}
	a, _ := samples(5)
	var p mat.Dense
	useKernels(c)
	defer useGonum()
	p.Mul(a, a.T())
	if c.products != 1 {
		t.Errorf("%d products on the backend", c.products)
	}
	useGonum()
	p.Mul(a, a.T())
	if c.products != 1 {
		t.Error("gonum's own products run on the backend")
	}
}
