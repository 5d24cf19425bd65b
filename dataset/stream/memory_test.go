package stream

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faults"
)

// TestHostileMemory reads the data that allocates the most for its length: samples and batches of a few
// bytes, blank lines, which give each sample a place of its own, labels that all differ, gaps in
// columns of words, and short samples that are all bad, each with an error.
func TestHostileMemory(t *testing.T) {
	testutil.NotUnderRace(t, "append(s, make([]byte, n)...) allocates twice in code for it")
	const n = 1 << 13
	var labels strings.Builder
	for i := range 2 * n {
		fmt.Fprintf(&labels, "1,%x\n", i)
	}
	gaps := strings.Repeat(strings.Repeat(",", 64)+"\n", 6000)
	for i := range MaxLevels {
		gaps = strings.Repeat(fmt.Sprint("w", i, ","), 64) + "\n" + gaps
	}
	fills := Options{Missing: MissingMean, Header: HeaderAbsent}
	nan := []byte{0, 0x7e} // of 16 bits
	classes := Options{Targets: []string{"2"}, Classes: true}
	bad := 0
	leaveOut := Options{Bad: func(*Error) error { bad++; return nil }}
	for _, test := range []struct {
		name string
		data []byte
		opt  Options
	}{
		{"one digit", []byte(strings.Repeat("1\n", 8*n)), Options{}},
		{"blank lines", []byte(strings.Repeat("1,2\n\n", 4*n)), Options{}},
		{"blank lines and quotation marks", []byte(strings.Repeat("1\n\"1\"\n\n\n\n\n\n\n", 2*n) + "1"), Options{Missing: MissingMean, Columns: Columns{{Fill: []float64{0}}}}},
		{"names of columns", []byte(strings.Repeat("a,", 16*n) + "a\n"), Options{}},
		{"wide", []byte(strings.Repeat(strings.Repeat("1,", 1023)+"1\n", n>>7)), Options{}},
		{"labels", []byte(labels.String()), classes},
		{"one byte", append(npyHeader(1, "|u1", false, 16*n), make([]byte, 16*n)...), Options{}},
		{"pixels", idxFile(8, make([]byte, 16*n), n>>6, 32, 32), Options{}},
		{"one digit for a label", append(npyHeader(1, "|u1", false, 8*n, 2), make([]byte, 16*n)...), classes},
		{"gaps in words", []byte(gaps), fills},
		{"wide words", []byte("$1" + strings.Repeat(",x", n)), fills}, // Survey reads them twice

		{"one letter", []byte("1\n" + strings.Repeat("x\n", n)), leaveOut},
		{"one mark", []byte("1\n" + strings.Repeat("\"\"\n", n)), leaveOut},
		{"one cell too many", []byte("1\n" + strings.Repeat(",\n", n)), leaveOut},
		{"marks in pairs", []byte("1\n" + strings.Repeat("2\"\"\n", n)), leaveOut},
		{"many cells", []byte("1\n" + strings.Repeat(strings.Repeat("\"\",", 1000)+"\n", n>>10)), leaveOut},
		{"halves", append(npyHeader(1, "<f2", false, n+1), append([]byte{0, 0}, bytes.Repeat(nan, n)...)...), leaveOut},
		{"wide halves", append(npyHeader(1, "<f2", false, 2, n), bytes.Repeat(nan, 2*n)...), leaveOut},
	} {
		for _, rows := range []int{1, 7, 1000, 1 << 20} {
			if test.opt.Bad != nil && rows > 1 && rows < 1<<20 {
				continue
			}
			batches := 0
			bad = 0
			var columns Columns
			got := faults.Allocated(func() {
				test.opt.Stdin = bytes.NewReader(test.data)
				r := mustOpen(t, []string{"-"}, test.opt)
				if test.opt.Header == HeaderAbsent {
					r, columns = described(t, string(test.data), test.opt)
				}
				var err error
				for ; err == nil; batches++ {
					_, err = r.Next(rows)
				}
				if err != io.EOF {
					t.Errorf("%s: %v", test.name, err)
				}
			})
			most := 288*len(test.data) + 512*batches + 64*columns.Inputs()*bytes.Count(test.data, []byte("\n")) + 6<<10*len(columns) + 2<<20
			if test.opt.Bad != nil {
				most = 256*len(test.data) + 8<<10*bad + 512 + 2<<20
			}
			if got > uint64(most) || (bad > 0) != (test.opt.Bad != nil) {
				t.Errorf("%s by %d: %d bytes allocated for %d and %d bad samples, at most %d may be", test.name, rows, got, len(test.data), bad, most)
			}
		}
	}
}
