package main

import (
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"blskernel"
)

// fakePython is a program that is no Python: it answers every operation by the seconds that its name
// has, or by NaN.
func fakePython(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "python")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestRun runs the whole at small orders, with NumPy and without: both implementations agree in the
// analysis and in every operation. NumPy's column is empty for what it has not, or where it is not.
func TestRun(t *testing.T) {
	numpy := fakePython(t, `echo NumPy 0
while read name n; do case $name in GSVD) echo nan;; *) echo 0.25;; esac; done`)
	for _, tc := range []struct{ python, says, operations string }{
		{numpy, "NumPy 0", strings.Join(names(), ",")},
		{fakePython(t, "echo no module >&2"), "NumPy is not measured: ", "GSVD"},
		{filepath.Join(t.TempDir(), "nowhere"), "NumPy is not measured: ", "Mul,GSVD"},
	} {
		var out strings.Builder
		s := settings{orders: "7, 40", rounds: 2, backend: "pure", python: tc.python, operations: tc.operations}
		if err := s.run(&out); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if !strings.HasPrefix(lines[1], tc.says) || len(lines) != 6+2*strings.Count(tc.operations, ",") {
			t.Fatalf("%d lines\n%s", len(lines), out.String())
		}
		for _, line := range lines[4:] {
			if timed := strings.Count(line, " 250 ") == 1; timed != (tc.python == numpy && !strings.Contains(line, "GSVD")) {
				t.Errorf("NumPy, says %q: %s", tc.says, line)
			}
		}
	}
}

// TestNumPy runs NumPy's operations where it is installed, and sees that none is called by another
// name.
func TestNumPy(t *testing.T) {
	p, err := startNumPy("python3")
	if err != nil {
		p, err = startNumPy("/usr/bin/python3")
	}
	if err != nil && (errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "No module named 'numpy'")) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer p.stop()
	var missing []string
	for _, op := range operations {
		seconds, err := p.seconds(op, 20)
		if err != nil || seconds < 0 {
			t.Errorf("%s: %v, %v", op.name, seconds, err)
		}
		if seconds != seconds {
			missing = append(missing, op.name)
		}
	}
	want := []string{"analysis", "GSVD"}
	if !strings.Contains(p.version, "SciPy") {
		want = []string{"analysis", "LU", "GSVD", "Exp"}
	}
	if !slices.Equal(missing, want) {
		t.Errorf("%s has no %v; want %v", p.version, missing, want)
	}
}

// TestSettings has flags that are wrong, and a NumPy that ends.
func TestSettings(t *testing.T) {
	good := settings{orders: "7", operations: "Mul,SVD", rounds: 1, backend: "pure", python: fakePython(t, "echo NumPy 0; read x; echo 1")}
	for _, change := range []func(s *settings){
		func(s *settings) { s.orders = "" }, func(s *settings) { s.orders = "1" }, func(s *settings) { s.orders = "7,x" },
		func(s *settings) { s.rounds = 0 }, func(s *settings) { s.operations = "Mul,mul" },
		func(s *settings) { s.backend = "nonsense" }, func(*settings) {},
	} {
		s := good
		change(&s)
		var out strings.Builder
		if err := s.run(&out); err == nil {
			t.Errorf("%+v is accepted", s)
		}
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

// TestSame has values that differ, and a difference that is NaN.
func TestSame(t *testing.T) {
	a := vector([]float64{1, 2})
	if err := same(a, vector([]float64{1, 2 + 1e-12})); err != nil {
		t.Error(err)
	}
	for _, v := range []float64{2 + 1e-6, math.NaN()} {
		if err := same(a, vector([]float64{1, v})); err == nil {
			t.Errorf("%v is taken for 2", v)
		}
	}
}
