package factor

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/linalg/block"
	"blskernel/internal/testutil"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
)

// TestInterchange checks interchanges of rows and columns, and their inverses, for small matrices and
// ones that threads share. Elements outside must not change. NotFinite must find a NaN anywhere.
func TestInterchange(t *testing.T) {
	defer blskernel.SetThreads(0)
	bk, rng := On(nil), testutil.Rand(71)
	for _, threads := range []int{1, 3} {
		blskernel.SetThreads(threads)
		for _, n := range []int{1, 2, 9, 80} {
			for _, c := range []int{1, 2, 7, 8, 9, 63, 64, 65, 255, 256, 257, 700, 1031} {
				swap := make([]int, n)
				for k := range swap {
					swap[k] = k + rng.IntN(n-k)
				}
				interchanged(t, fmt.Sprintf("threads=%d n=%d c=%d rows", threads, n, c), testutil.RandomView(rng, n, c), false, swap,
					func(x block.Matrix, back bool) { Laswp(bk, c, x, swap, back) })
				d := testutil.RandomView(rng, c, n)
				name := fmt.Sprintf("threads=%d n=%d c=%d columns", threads, n, c)
				interchanged(t, name, d, true, swap, func(x block.Matrix, back bool) { Lapmt(bk, c, x, swap, back) })
				x := block.Dense(d.RawMatrix().Data, d.RawMatrix().Stride)
				if e := NotFinite(bk, blas.All, c, n, x); e != nil {
					t.Errorf("%s: not finite: %v", name, e)
				}
				i, j := rng.IntN(c), rng.IntN(n)
				d.Set(i, j, math.NaN())
				if e := NotFinite(bk, blas.All, c, n, x); e == nil || e.Row != i || e.Col != j {
					t.Errorf("%s: NaN at (%d, %d): %v", name, i, j, e)
				}
			}
		}
	}
}

// interchanged tests do, which exchanges rows or columns of d.
func interchanged(t *testing.T, name string, d *mat.Dense, columns bool, swap []int, do func(x block.Matrix, back bool)) {
	t.Helper()
	raw := d.RawMatrix()
	before, want, from := mat.DenseCopyOf(d), new(mat.Dense), make([]int, len(swap))
	for k := range from {
		from[k] = k
	}
	for k, s := range swap {
		from[k], from[s] = from[s], from[k]
	}
	want.Apply(func(i, j int, _ float64) float64 {
		if columns {
			return before.At(i, from[j])
		}
		return before.At(from[i], j)
	}, before)
	storage := slices.Clone(raw.Data)
	x := block.Dense(raw.Data, raw.Stride)
	do(x, false)
	if !mat.Equal(d, want) {
		t.Errorf("%s: wrong", name)
	}
	do(x, true)
	if !mat.Equal(d, before) || !slices.Equal(raw.Data, storage) {
		t.Errorf("%s: wrong on the way back", name)
	}
}

// TestSortPermute compares Sort and Permute with sorted pairs, for equal numbers, ±0 and a long cycle.
func TestSortPermute(t *testing.T) {
	rng := testutil.Rand(28)
	for n := range 40 {
		for kind := range 3 {
			s := make([]float64, n)
			for i := range s {
				switch kind {
				case 0:
					s[i] = rng.NormFloat64()
				case 1:
					s[i] = math.Copysign(float64(rng.IntN(3)), rng.NormFloat64())
				default:
					s[i] = float64((i + 1) % n)
				}
			}
			before := slices.Clone(s)
			order := Sort(s)
			rows := make([]float64, 2*n)
			for i, v := range before {
				rows[2*i], rows[2*i+1] = v, float64(i)
			}
			Permute(order, block.Dense(rows, 2), 2)
			for i, v := range s {
				from := order[i]
				if math.Float64bits(v) != math.Float64bits(before[from]) || math.Float64bits(rows[2*i]) != math.Float64bits(v) || rows[2*i+1] != float64(from) {
					t.Fatalf("n=%d: %v is not element %d of %v, or row %v", n, v, from, before, rows[2*i:2*i+2])
				}
				if i > 0 && !(s[i-1] < v || s[i-1] == v && order[i-1] < from) {
					t.Fatalf("n=%d: %v is not sorted, or not stable: %v", n, s, order)
				}
			}
		}
	}
}
