package mat

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
)

// numbered returns the packed matrix whose element (i, j), i <= j, is 100 i + j.
func numbered(n int) *SymPacked {
	s := NewSymPacked(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(j, i, float64(100*i+j))
		}
	}
	return s
}

func TestSymPackedConversions(t *testing.T) {
	for n := range 9 {
		s := numbered(n)
		if raw := s.RawSymPacked(); raw.N != n || raw.Uplo != blas.Upper || !slices.IsSorted(raw.Data) || len(raw.Data) != n*(n+1)/2 {
			t.Fatalf("n=%d: raw matrix %v", n, raw) // element (i, j), i <= j, is 100i+j
		}
		dense, sym := s.Dense(), s.SymDense()
		var fromDense, fromPacked SymPacked
		fromDense.CopySym(sym)
		fromPacked.CopySym(s)
		for i := range n {
			for j := range n {
				for what, m := range map[string]mat.Matrix{
					"Dense": dense, "SymDense": sym, "T": s.T(), "copy of SymDense": &fromDense, "copy of SymPacked": &fromPacked,
				} {
					if m.At(i, j) != s.At(i, j) {
						t.Errorf("n=%d: %s has %v at (%d,%d), want %v", n, what, m.At(i, j), i, j, s.At(i, j))
					}
				}
			}
		}
		if n > 0 {
			fromPacked.SetSym(0, 0, -1)
			if s.At(0, 0) == -1 {
				t.Errorf("n=%d: CopySym shares storage", n)
			}
		}
	}
}

func TestSymPackedStorage(t *testing.T) {
	data := []float64{1, 2, 3}
	s := NewSymPacked(2, data)
	s.SetSym(1, 0, 7)
	s.AddDiagonal(10)
	if want := []float64{11, 7, 13}; data[0] != want[0] || data[1] != want[1] || data[2] != want[2] {
		t.Errorf("storage is %v, want %v", data, want)
	}
	s.Reset()
	if !s.IsEmpty() || s.SymmetricDim() != 0 {
		t.Error("not empty after Reset")
	}
	s.CopySym(numbered(1))
	if &s.RawSymPacked().Data[0] != &data[0] {
		t.Error("Reset gives the storage away")
	}
}
