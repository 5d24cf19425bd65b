package lapack

import (
	"fmt"
	"math"
	"testing"

	"blskernel"
	"blskernel/mat"
)

// Interchanges of one after another row or column, on matrices that are cut into strips and shared by
// goroutines, and small ones.
func TestInterchange(t *testing.T) {
	bk, err := blskernel.Lookup("pure")
	if err != nil {
		t.Fatal(err)
	}
	defer blskernel.SetThreads(0)
	rng := newRand(71)
	for _, threads := range []int{1, 3} {
		blskernel.SetThreads(threads)
		for _, n := range []int{1, 2, 9, 80} {
			for _, c := range []int{1, 2, 7, 8, 9, 63, 64, 65, 255, 256, 257, 700, 1031} {
				swap := make([]int, n)
				for k := range swap {
					swap[k] = k + rng.IntN(n-k)
				}
				name := fmt.Sprintf("threads=%d n=%d c=%d", threads, n, c)
				x := randomFull(rng, n, c)
				want := &full{n, c, append([]float64(nil), x.x...)}
				for k, s := range swap {
					for j := range c {
						want.x[k*c+j], want.x[s*c+j] = want.x[s*c+j], want.x[k*c+j]
					}
				}
				d, intact := wide(t, x)
				raw := d.RawMatrix()
				interchangeRows(bk, c, raw.Data, raw.Stride, swap)
				if !sameBits(fullOf(d).x, want.x) {
					t.Errorf("%s: rows", name)
				}
				interchangeRowsBack(bk, c, raw.Data, raw.Stride, swap)
				if !sameBits(fullOf(d).x, x.x) {
					t.Errorf("%s: rows back", name)
				}
				intact()

				d, intact = wide(t, x.transpose())
				raw = d.RawMatrix()
				permuteColumns(bk, c, raw.Data, raw.Stride, interchanged(swap, false))
				if !finiteRows(bk, raw) {
					t.Errorf("%s: not finite", name)
				}
				if !sameBits(fullOf(d).x, want.transpose().x) {
					t.Errorf("%s: columns", name)
				}
				permuteColumns(bk, c, raw.Data, raw.Stride, interchanged(swap, true))
				if !sameBits(fullOf(d).x, x.transpose().x) {
					t.Errorf("%s: columns back", name)
				}
				d.Set(rng.IntN(c), rng.IntN(n), math.NaN())
				if finiteRows(bk, raw) {
					t.Errorf("%s: a NaN was not seen", name)
				}
				intact()
			}
		}
	}
}

// On the pure backend no digit depends on the number of threads. The order is above every block size,
// and large enough for the work to be shared.
func TestLUThreads(t *testing.T) {
	bk, err := blskernel.Lookup("pure")
	if err != nil {
		t.Fatal(err)
	}
	defer blskernel.SetThreads(0)
	const n = 333
	a := randomFull(newRand(72), n, n)
	var want [][]float64
	for _, threads := range []int{1, 2, 3} {
		blskernel.SetThreads(threads)
		f := LU{Backend: bk}
		if err := f.Factorize(a.dense()); err != nil {
			t.Fatal(err)
		}
		var x, y, inv mat.Dense
		if err := f.SolveTo(&x, a.transpose().dense()); err != nil {
			t.Fatal(err)
		}
		if err := f.SolveRowsTo(&y, a.transpose().dense()); err != nil {
			t.Fatal(err)
		}
		if err := f.InverseTo(&inv); err != nil {
			t.Fatal(err)
		}
		got := [][]float64{f.lu.Data, fullOf(&x).x, fullOf(&y).x, fullOf(&inv).x, {f.RCond(), f.GrowthFactor()}}
		if want == nil {
			want = got
		}
		for i := range got {
			if !sameBits(got[i], want[i]) {
				t.Errorf("threads=%d: result %d is not that of one thread", threads, i)
			}
		}
	}
}
