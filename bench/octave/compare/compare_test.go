package main

import (
	"bytes"
	"context"
	"io"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

func TestMatrixFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.bin")
	want := mat.NewDense(2, 3, []float64{1, -2, 0.1, 4e300, 5e-324, 6})
	if err := writeMatrix(path, want); err != nil {
		t.Fatal(err)
	}
	got, err := readMatrix(path, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.RawMatrix().Data, want.RawMatrix().Data) {
		t.Errorf("read %v; want %v", got.RawMatrix().Data, want.RawMatrix().Data)
	}
	if _, err := readMatrix(path, 3, 2); err == nil || !strings.Contains(err.Error(), "want 3×2") {
		t.Errorf("another shape: error %v", err)
	}
	if err := writeMatrix(path, mat.NewDense(1, 1, []float64{math.NaN()})); err != nil {
		t.Fatal(err)
	}
	if _, err := readMatrix(path, 1, 1); err == nil {
		t.Error("NaN is no error")
	}
}

func TestOptions(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"", ""},
		{"-methods gram,original -rounds 1", ""},
		{"-methods gramm", `no method "gramm"`},
		{"-initial 999", "at least k = 1000"},
		{"-batch 0", "-batch 0"},
		{"-rounds 0", "-rounds 0"},
		{"more", `unexpected argument "more"`},
	} {
		_, err := parse(strings.Fields(test.args), io.Discard)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%q: error %v; want %q", test.args, err, test.want)
		}
	}
}

// TestOctave runs all methods on both sides. By the same formulas on the same data the weights agree to what rounding
// can do: either side solves with AᵀA + lambda I, whose rounding errors, c eps ‖A‖² with c of the order of the square
// root of the number of samples, at most 22 here, are magnified by κ² = (σ₁² + lambda)/(σₖ² + lambda); updates keep that.
// 100 is twice that for the two sides, and as much again for what follows the factorization.
func TestOctave(t *testing.T) {
	if _, err := exec.LookPath("octave-cli"); err != nil {
		t.Skip("octave-cli is not installed")
	}
	o, err := parse(strings.Fields("-initial 300 -batch 80 -updates 2 -groups 2 -nodes 5 -enhancement 40 -rounds 1 -scripts .."), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	e, err := newExperiment(o)
	if err != nil {
		t.Fatal(err)
	}
	e.rest = 0
	tol := 100 * 0x1p-52 * squaredCondition(t, e.a[0])
	if !(tol < 1e-4) {
		t.Fatalf("the features are too ill-conditioned for a comparison: tolerance %.1g", tol)
	}
	folder := t.TempDir()
	if err := e.export(folder); err != nil {
		t.Fatal(err)
	}
	p, err := startOctave(t.Context(), o, folder)
	if err != nil {
		t.Fatal(err)
	}
	defer p.stop()
	rows, err := e.compare(t.Context(), p, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 4*3 {
		t.Fatalf("%d rows; want 4 methods of 3 steps", len(rows))
	}
	for _, r := range rows {
		if r.method == "features" {
			if d := math.Abs(r.octaveAccuracy - r.oursAccuracy); !(d <= 10) {
				t.Errorf("features, step %d: accuracies %.1f and %.1f%%", r.step, r.octaveAccuracy, r.oursAccuracy)
			}
			continue
		}
		if !(r.difference <= tol) {
			t.Errorf("%s, step %d: weights differ by %.1g; want at most %.1g", r.method, r.step, r.difference, tol)
		}
	}
	var table bytes.Buffer
	if err := printTable(&table, rows); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(table.String(), "\n"); got != 1+4*(3+1) {
		t.Errorf("%d lines in the table:\n%s", got, table.String())
	}
}

// squaredCondition returns κ² of [A; sqrt(lambda) I].
func squaredCondition(t *testing.T, a *mat.Dense) float64 {
	t.Helper()
	var svd gonum.SVD
	if !svd.Factorize(a, gonum.SVDNone) {
		t.Fatal("no singular values")
	}
	s := svd.Values(nil)
	first, last := s[0], s[len(s)-1]
	return (first*first + lambda) / (last*last + lambda)
}

// TestMissingOctave checks the message where there is none, and that it says what to do.
func TestMissingOctave(t *testing.T) {
	o := options{octave: "no-such-octave", scripts: "..", threads: 1}
	_, err := startOctave(context.Background(), o, t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "install GNU Octave") {
		t.Errorf("error %v", err)
	}
}

func TestMedianOfRatios(t *testing.T) {
	if got := median(ratios([]float64{2, 9, 4, 100}, []float64{1, 3, 4, 1})); got != 2.5 {
		t.Errorf("median %g; want 2.5", got)
	}
	rows := []*row{
		{method: "gram", octave: []float64{1, 2}, ours: []float64{3, 4}},
		{method: "gram", octave: []float64{10, 20}, ours: []float64{30, 40}},
		{method: "original", octave: []float64{7, 7}, ours: []float64{7, 7}},
	}
	octave, ours := totals(rows, "gram")
	if !slices.Equal(octave, []float64{11, 22}) || !slices.Equal(ours, []float64{33, 44}) {
		t.Errorf("totals %v and %v", octave, ours)
	}
}
