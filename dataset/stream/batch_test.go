package stream

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/mat"
)

// TestWhereArrays checks the places of the samples of two arrays in a row, of a batch without places,
// and of rows outside.
func TestWhereArrays(t *testing.T) {
	array := append(npyHeader(1, "|u1", false, 5, 2), "abcdefghij"...)
	targets := append(npyHeader(1, "|u1", false, 5), "abcde"...)
	a, z := write(t, "a.npy", array), write(t, "z.npz", npz(t, member{"X.npy", array, 8}, member{"y.npy", targets, 8}))
	for _, test := range []struct {
		paths []string
		opt   Options
	}{
		{[]string{a, z}, Options{}}, {[]string{z, z}, Options{Targets: []string{"y"}}}, {[]string{a}, Options{TargetPath: write(t, "y.npy", targets)}},
	} {
		r := mustOpen(t, test.paths, test.opt)
		_, err := r.Next(2)
		testutil.NoError(t, err)
		b, err := r.Next(100)
		testutil.NoError(t, err)
		for i := range b.X.RawMatrix().Rows {
			want := Place{Path: test.paths[(i+2)/5], Row: int64((i+2)%5 + 1)}
			if got := b.Where(i); got != want {
				t.Errorf("sample %d is at %v, want %v", i, got, want)
			}
		}
	}
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
				if _, err := r.Peek(rows / 4); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := r.Next(rows / 2); err != nil {
				t.Fatal(err)
			}
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
