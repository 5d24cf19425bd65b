package testutil

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestRequired(t *testing.T) {
	t.Setenv(EnvRequire, "openblas,numpy")
	for name, want := range map[string]bool{"openblas": true, "numpy": true, "blas": false, "": false} {
		if Required(name) != want {
			t.Errorf("Required(%q) = %v", name, !want)
		}
	}
	t.Setenv(EnvRequire, "")
	t.Run("skip", func(t *testing.T) {
		SkipOrFail(t, "numpy", "no NumPy")
		t.Error("not skipped")
	})
}

// TestSingularValues checks that the matrices have the requested singular values.
func TestSingularValues(t *testing.T) {
	values := func(m *mat.Dense) []float64 {
		var svd mat.SVD
		if !svd.Factorize(m, mat.SVDNone) {
			t.Fatal("the SVD did not converge")
		}
		return svd.Values(nil)
	}
	near := func(got, want float64) bool { return got-want <= 1e-12 && want-got <= 1e-12 }
	r := Rand(1)
	if v := values(WithCondition(r, 9, 5, 1e4)); !near(v[0], 1) || !near(v[2], 1e-2) || !near(v[4], 1e-4) {
		t.Errorf("singular values %v", v)
	}
	if v := values(WithCondition(r, 3, 1, 1e4)); !near(v[0], 1) {
		t.Errorf("singular value %v of a column", v)
	}
	for rank := range 5 {
		v := values(RandomRank(r, 7, 5, rank))
		if !(v[rank] <= 1e-13) || rank > 0 && !(v[rank-1] >= 1e-3) {
			t.Errorf("rank %d: singular values %v", rank, v)
		}
	}
	if m := RandomView(r, 4, 3); m.RawMatrix().Stride <= 3 {
		t.Errorf("stride %d", m.RawMatrix().Stride)
	}
}
