package stream

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/mat"
)

// TestWhere prints places, and asks a batch without places for one, and for those of rows outside.
func TestWhere(t *testing.T) {
	if got := (Place{Path: "x.npy", Row: 7}).String() + ", " + (Place{Path: "x.csv", Line: 3}).String(); got != "x.npy, row 7, x.csv:3" {
		t.Error(got)
	}
	b := &Batch{X: mat.NewDense(1, 1, nil)}
	if b.Where(0) != (Place{}) {
		t.Error("a place from nowhere")
	}
	for _, i := range []int{-1, 1} {
		testutil.MustPanic(t, panicRow, func() { b.Where(i) })
	}
}

// TestBytesOf checks for each format that what the first half of the samples took is half of the file,
// so that the number of all samples can be estimated, and that reading twice gives the same.
func TestBytesOf(t *testing.T) {
	const rows = 40000
	rng := rand.New(rand.NewPCG(3, 1))
	var text strings.Builder
	elements := make([]byte, 0, 8*rows)
	for range rows {
		v := 1000 + rng.IntN(9000)
		fmt.Fprintf(&text, "%d,%d\n", v, v)
		elements = append(elements, float64s(float64(v), float64(v))...)
	}
	array := append(npyHeader(1, "<f8", false, rows, 2), elements...)
	for _, test := range []struct {
		name   string
		data   []byte
		within float64 // of a half
	}{
		{"x.csv", []byte(text.String()), 0}, {"x.csv.gz", zipped([]byte(text.String())), 0.05},
		{"x.npy", array, 0.001}, {"x.npy.gz", zipped(array), 0.15},
		{"x.npz", npz(t, member{"X.npy", array, 8}), 0.001},
		{"x.idx", idxFile(8, make([]byte, rows), rows, 1), 0.001},
	} {
		path := write(t, test.name, test.data)
		var before int64
		for again := range 3 {
			r := mustOpen(t, []string{path}, Options{})
			if again == 2 {
				_, err := r.Peek(rows / 4)
				testutil.NoError(t, err)
			}
			next(t, r, rows/2)
			done, total := r.Bytes()
			share := float64(done) / float64(total)
			if total != int64(len(test.data)) || !(share >= 0.5-test.within && share <= 0.5+test.within) {
				t.Errorf("%s: %d of %d bytes", test.name, done, total)
			}
			if again > 0 && done != before {
				t.Errorf("%s: %d bytes, and before %d", test.name, done, before)
			}
			before = done
			r.Close()
			if got, _ := r.Bytes(); got != done {
				t.Errorf("%s: %d bytes after Close, %d before", test.name, got, done)
			}
		}
	}
}
