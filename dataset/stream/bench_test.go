package stream

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"blskernel/internal/testutil"
)

// tableText returns a text of numbers: rows lines of cols cells with the number of digits given after
// the point.
func tableText(rows, cols, decimals int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	var out bytes.Buffer
	for range rows {
		for col := range cols {
			out.WriteString(strconv.FormatFloat(rng.NormFloat64(), 'f', decimals, 64))
			if col+1 < cols {
				out.WriteByte(',')
			}
		}
		out.WriteByte('\n')
	}
	return out.Bytes()
}

// readThrough reads a file in batches of 10,000 samples.
func readThrough(b *testing.B, path string, opt Options) {
	b.Helper()
	r, err := Open(b.Context(), []string{path}, opt)
	testutil.NoError(b, err)
	for err == nil {
		_, err = r.Next(10000)
	}
	if err != io.EOF {
		b.Fatal(err)
	}
	r.Close()
}

// BenchmarkCSV reads a table of 50 columns; decimals=17 is what programs write that keep every bit.
// BenchmarkCSV/parse is the work of one core.
func BenchmarkCSV(b *testing.B) {
	for _, decimals := range []int{6, 17} {
		text := tableText(40000, 50, decimals)
		path := write(b, "x.csv", text)
		b.Run(fmt.Sprintf("read/decimals=%d", decimals), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				readThrough(b, path, Options{Targets: []string{"50"}})
			}
		})
		b.Run(fmt.Sprintf("parse/decimals=%d", decimals), func(b *testing.B) {
			q := request{targets: []string{"50"}}
			layout, _, err := readLayout("x", text, true, 1, &q, &Options{}, nil)
			testutil.NoError(b, err)
			c := &csvChunk{text: text[:1<<20]}
			c.text = c.text[:new(recordEnds).last(c.text)]
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				if layout.parse(c); c.err != nil {
					b.Fatal(c.err)
				}
			}
		})
	}
}

// BenchmarkTable parses a table of 20 columns, on one core: of numbers, with a missing cell in each
// line, and with a quarter of words.
func BenchmarkTable(b *testing.B) {
	for kind, rest := range map[string][]string{"numbers": {"1.5,2.5,3.5,4.5,5.5\n"}, "missing": {"1.5,2.5,3.5,4.5,NA\n"},
		"words": {"red,S,a,b,yes\n", "green,L,a,c,no\n"}} {
		var text []byte
		for i, line := range bytes.Split(bytes.TrimSpace(tableText(5000, 15, 6)), []byte("\n")) {
			text = fmt.Appendf(text, "%s,%s", line, rest[i%len(rest)])
		}
		b.Run("kind="+kind, func(b *testing.B) {
			opt := Options{Stdin: bytes.NewReader(text), Header: HeaderAbsent, Missing: MissingMean}
			r, err := Open(b.Context(), []string{"-"}, opt)
			testutil.NoError(b, err)
			if opt.Columns, err = r.Describe(1000); err != nil {
				b.Fatal(err)
			}
			r.Close()
			layout, _, err := readLayout("x", text, true, 1, &request{}, &opt, nil)
			testutil.NoError(b, err)
			c := &csvChunk{text: text}
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				layout.parse(c)
				x := opt.Columns.finish(slices.Clone(c.samples.x), c.rows, nil)
				if len(x) != c.rows*opt.Columns.Inputs() || c.rows != 5000 {
					b.Fatal(len(x), c.rows)
				}
			}
		})
	}
}

// BenchmarkNPY reads 10 million numbers.
func BenchmarkNPY(b *testing.B) {
	const rows, cols = 100000, 100
	data := append(npyHeader(1, "<f8", false, rows, cols), make([]byte, 8*rows*cols)...)
	path := write(b, "x.npy", data)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		readThrough(b, path, Options{})
	}
}
