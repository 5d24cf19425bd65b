package block_test

import (
	"testing"

	"blskernel/internal/linalg/block"
	"blskernel/internal/testutil/fuzz"
)

// FuzzPackedMatrix follows a chain of nested blocks of a packed and a dense matrix. It checks the
// elements of the last block and their copies by Copy and CopyTransposed.
func FuzzPackedMatrix(f *testing.F) {
	for n := range byte(12) {
		f.Add([]byte{n, n / 3, n / 2, 1, 0, 1, 2, 1, 3})
		f.Add([]byte{40 + n, n, n, 12, 1, 0, 1, 0, 0, 0, 0, 0, 9 + n, 30})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := fuzz.Choices(data)
		n := 1 + s.Below(60)
		value := func(i, j int) float64 { return float64(1000*i + j) }
		ap := make([]float64, block.PackedLen(n))
		ld := n + s.Below(3)
		full := make([]float64, n*ld)
		for i := range n {
			for j := range n {
				full[i*ld+j] = value(i, j)
				if i <= j {
					ap[block.PackedIndex(n, i, j)] = value(i, j)
				}
			}
		}
		i := s.Below(n)
		j := i + s.Below(n-i)
		p, d := block.Packed(n, ap, i, j), block.Dense(full[i*ld+j:], ld)
		for range 4 {
			// The next block must not begin below the diagonal.
			r, c := s.Below(n-i), s.Below(n-j)
			if i+r > j+c {
				break
			}
			i, j, p, d = i+r, j+c, p.Sub(r, c), d.Sub(r, c)
		}
		rows, cols := 1+s.Below(min(n-i, j-i+1)), 1+s.Below(n-j)
		copied, transposed := make([]float64, rows*cols), make([]float64, rows*cols)
		for _, m := range []block.Matrix{p, d} {
			clear(copied)
			clear(transposed)
			block.Copy(block.Dense(copied, cols), m, rows, cols)
			block.CopyTransposed(block.Dense(transposed, rows), m, rows, cols)
			for r := range rows {
				for c := range cols {
					if got, want := m.X[m.Row(r)+c], value(i+r, j+c); got != want || copied[r*cols+c] != want || transposed[c*rows+r] != want {
						t.Fatalf("n=%d: element (%d,%d) of the block at (%d,%d) is %v, copied %v, want %v", n, r, c, i, j, got, copied[r*cols+c], want)
					}
				}
			}
		}
	})
}
