package stream

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/mat"
)

// TestWhere prints places, and asks for places in a batch without them and of rows outside.
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

// TestSplit splits batches with bad rows among them in every way, and looks for each row with its
// values, its place and its number on the side where it belongs.
func TestSplit(t *testing.T) {
	var text strings.Builder
	text.WriteString("x,kind,w\n")
	for line := 2; line < 14; line++ {
		x := fmt.Sprint(line)
		if line%4 == 0 {
			x = "bad"
		}
		fmt.Fprintf(&text, "%s,k%d,%d\n", x, line, 2*line)
	}
	path := write(t, "x.csv", []byte(text.String()))
	opt := Options{Targets: []string{"kind"}, Classes: true, Weight: "w", Keep: []string{"kind", "x"}, Bad: func(*Error) error { return nil }}
	for mask := range 1 << 5 {
		r := mustOpen(t, []string{path}, opt)
		seen := 0
		for {
			b, err := r.Next(5)
			if err == io.EOF {
				break
			}
			testutil.NoError(t, err)
			held := func(i int) bool { return mask>>i&1 != 0 }
			rest, aside := b.Split(held)
			at := map[bool]int{}
			for i := range b.X.RawMatrix().Rows {
				side := map[bool]*Batch{false: rest, true: aside}[held(i)]
				j := at[held(i)]
				at[held(i)]++
				line := int(b.X.At(i, 0))
				if side.X.At(j, 0) != float64(line) || side.Labels[j] != fmt.Sprint("k", line) || side.Weights[j] != float64(2*line) || side.Kept[2*j] != side.Labels[j] || side.Kept[2*j+1] != fmt.Sprint(line) ||
					side.Where(j) != (Place{Path: path, Line: int64(line)}) || side.Number(j) != int64(line-1) {
					t.Fatalf("mask %b: row %d is %v %q %v at %v, number %d", mask, i, side.X.At(j, 0), side.Labels[j], side.Weights[j], side.Where(j), side.Number(j))
				}
			}
			for aside, side := range map[bool]*Batch{false: rest, true: aside} {
				if side == nil && at[aside] > 0 || side != nil && side.X.RawMatrix().Rows != at[aside] {
					t.Fatalf("mask %b: %d rows on a side", mask, at[aside])
				}
			}
			seen += b.X.RawMatrix().Rows
		}
		r.Close()
		if seen != 9 {
			t.Fatalf("%d rows", seen)
		}
	}
}
