package stream

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"blskernel/internal/testutil"
)

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
	opt := Options{Targets: []string{"kind"}, Classes: true, Weight: "w", Bad: func(*Error) error { return nil }}
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
				if side.X.At(j, 0) != float64(line) || side.Labels[j] != fmt.Sprint("k", line) || side.Weights[j] != float64(2*line) ||
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
