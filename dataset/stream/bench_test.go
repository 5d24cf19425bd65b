package stream

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"testing"

	"blskernel/internal/testutil"
)

// BenchmarkCSV reads a table of 50 columns; decimals=17 is what programs write that keep every bit.
// BenchmarkCSV/parse is the work of one core.
func BenchmarkCSV(b *testing.B) {
	for _, decimals := range []int{6, 17} {
		rng := rand.New(rand.NewPCG(1, 2))
		var text []byte
		for i := range 40_000 * 50 {
			text = append(strconv.AppendFloat(text, rng.NormFloat64(), 'f', decimals, 64), ',')
			if i%50 == 49 {
				text[len(text)-1] = '\n'
			}
		}
		path := write(b, "x.csv", text)
		b.Run(fmt.Sprintf("read/decimals=%d", decimals), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r := mustOpen(b, []string{path}, Options{Targets: []string{"50"}})
				var err error
				for err == nil {
					_, err = r.Next(10_000)
				}
				if err != io.EOF {
					b.Fatal(err)
				}
				r.Close()
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
