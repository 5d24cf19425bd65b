package mat

import (
	"math"
	"slices"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/internal/testutil/fuzz"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
)

// FuzzSymPacked compares a packed matrix and its conversions with gonum's SymDense, element by element,
// after a sequence of operations, some of them with indices out of range.
func FuzzSymPacked(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 5})
	for n := range byte(12) {
		f.Add(append([]byte{n}, fuzz.Random(testutil.Rand(uint64(n)), 40*int(n))...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c := &cut{data}
		n := c.Below(12)
		s := NewSymPacked(n, nil)
		if n == 0 {
			testutil.MustPanic(t, mat.ErrRowAccess, func() { s.At(0, 0) })
			return
		}
		full := mat.NewSymDense(n, nil)
		for len(c.Choices) > 3 {
			i, j, v := c.Below(n+2)-1, c.Below(n+2)-1, float64(c.Below(256))
			got := testutil.PanicValue(func() { s.SetSym(i, j, v) })
			if want := testutil.PanicValue(func() { full.SetSym(i, j, v) }); got != want {
				t.Fatalf("SetSym(%d, %d) of order %d: panics with %v, gonum with %v", i, j, n, got, want)
			}
			got = testutil.PanicValue(func() { s.At(i, j) })
			if want := testutil.PanicValue(func() { full.At(i, j) }); got != want {
				t.Fatalf("At(%d, %d) of order %d: panics with %v, gonum with %v", i, j, n, got, want)
			}
			if c.Below(4) == 0 {
				s.AddDiagonal(v)
				for k := range n {
					full.SetSym(k, k, full.At(k, k)+v)
				}
			}
		}
		var rows []float64
		for i := range n {
			for j := i; j < n; j++ {
				rows = append(rows, full.At(i, j))
			}
		}
		if raw := s.RawSymPacked(); raw.N != n || raw.Uplo != blas.Upper || !slices.Equal(raw.Data, rows) {
			t.Fatalf("raw matrix %v, want %v", raw, rows)
		}
		var fromDense, fromPacked SymPacked
		fromDense.CopySym(full)
		fromPacked.CopySym(s)
		s.SetSym(0, 0, -1) // which must not change the copies
		if fromPacked.At(0, 0) == -1 {
			t.Fatal("CopySym shares storage")
		}
		s.SetSym(0, 0, full.At(0, 0))
		for what, m := range map[string]mat.Matrix{
			"SymPacked": s, "Dense": s.Dense(), "SymDense": s.SymDense(), "T": s.T(), "copy of SymDense": &fromDense, "copy of SymPacked": &fromPacked,
		} {
			if !mat.Equal(m, full) || math.IsNaN(mat.Sum(m)) {
				t.Fatalf("%s: %v, want %v", what, mat.Formatted(m), mat.Formatted(full))
			}
		}
	})
}

func TestSymPackedStorage(t *testing.T) {
	data := []float64{1, 2, 3}
	s := NewSymPacked(2, data)
	s.SetSym(1, 0, 7)
	s.AddDiagonal(10)
	if want := []float64{11, 7, 13}; !slices.Equal(data, want) {
		t.Errorf("storage is %v, want %v", data, want)
	}
	s.Reset()
	if !s.IsEmpty() || s.SymmetricDim() != 0 {
		t.Error("not empty after Reset")
	}
	s.CopySym(NewSymPacked(1, []float64{5}))
	if &s.RawSymPacked().Data[0] != &data[0] {
		t.Error("CopySym after Reset does not reuse the storage")
	}
}
