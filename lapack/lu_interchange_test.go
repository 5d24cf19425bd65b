package lapack

import (
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/mat"
)

// On the pure backend no digit depends on the number of threads. The order is above every block size,
// and large enough for the work to be shared.
func TestLUThreads(t *testing.T) {
	bk, err := blskernel.Lookup("pure")
	if err != nil {
		t.Fatal(err)
	}
	defer blskernel.SetThreads(0)
	const n = 333
	a := randomFull(testutil.Rand(72), n, n)
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
		got := [][]float64{f.lu.Data, fullOf(&x).x, fullOf(&y).x, fullOf(&inv).x, {f.RCond()}}
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
