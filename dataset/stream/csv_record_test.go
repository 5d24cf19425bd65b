package stream

import (
	"io"
	"strings"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faults"
)

// endless is a reader that repeats one byte without end.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

// TestLongRecords reads records on either side of the bounds of bytes and cells, from sources that take
// no memory, and data without end, which every format refuses.
func TestLongRecords(t *testing.T) {
	testutil.NotUnderRace(t, "it counts bytes")
	testutil.NotEmulated(t, "texts of 16 MB")
	wide := strings.Repeat("1,", maxCells-1) + "1\n"
	cell := strings.Repeat(" ", maxRecord-2)
	packed := func(text string, n int) string { return string(zipped([]byte(strings.Repeat(text, n)))) }
	text := func(parts ...any) io.Reader {
		var all []io.Reader
		for _, part := range parts {
			if s, ok := part.(string); ok {
				part = strings.NewReader(s)
			}
			all = append(all, part.(io.Reader))
		}
		return io.MultiReader(all...)
	}
	for _, test := range []struct {
		in   io.Reader
		size int    // that is read
		each uint64 // bytes may be allocated for each of them
		says string // empty for no error
		n    int    // numbers, without an error
	}{
		{text(endless('1')), maxRecord, 16, ":1: the line is longer than", 0},
		{text("1\n2\n\"", endless('\n')), maxRecord, 16, ":3: a quotation mark is not closed", 0},
		{text("1\n", cell, "2\n3\n"), maxRecord, 16, "", 3},
		{text("1\n", cell, cell, "2\n"), maxRecord, 16, ":2: the line is longer than", 0},
		{text(packed(",", 1<<24-1)), 1 << 24, 16, ":1: the line has at least 1048576 separators", 0},
		{text(packed(",1", 1<<22)), 1 << 23, 16, ":1: the line has at least 1048576 separators", 0},
		{text("1\n", io.LimitReader(endless(','), 1<<23), "\n"), 1 << 23, 16, ":2: the line has 8388609 cells, but", 0},
		{text("1\n\"2\"\n\"\"", io.LimitReader(endless(','), 1<<23), "\n"), 1 << 23, 16, ":3: the line has at least 1048576 separators", 0},
		{text(wide), len(wide), 256, "", maxCells},
		{text("1,", wide), len(wide), 256, ":1: the line has at least", 0},
		{text(strings.Replace(wide, ",", ",x", 1), wide[:len(wide)-3], "\n"), 2 * len(wide), 256, ":2: the line has 1048575 cells", 0}, // the first of which has names
	} {
		faults.Bounded(t, test.size, test.each, 2<<20, func() {
			all, err := loadEach(t, "-", Options{Stdin: test.in, Format: CSV})
			if test.says != "" {
				wantFault(t, test.says, err, test.says)
			} else if err != nil || len(all.x) != test.n {
				t.Errorf("%d numbers, want %d; %v", len(all.x), test.n, err)
			}
		})
	}
	for format, says := range map[Format]string{NPY: "not a .npy file", IDX: "neither an idx file"} {
		faults.Bounded(t, maxRecord, 16, 2<<20, func() {
			_, err := Open(t.Context(), []string{"-"}, Options{Format: format, Stdin: endless('7')})
			wantFault(t, format.String(), err, says)
		})
	}
}
