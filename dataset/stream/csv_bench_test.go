package stream

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"testing"

	"blskernel/internal/testutil"
)

// benchText has rows lines: numbers of the given format under names n0, n1, ..., a word and a label.
func benchText(rows, numbers int, format func(float64) string) []byte {
	var b bytes.Buffer
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range numbers {
		fmt.Fprintf(&b, "n%d,", i)
	}
	b.WriteString("word,label\n")
	for range rows {
		for range numbers {
			b.WriteString(format(rng.NormFloat64()) + ",")
		}
		fmt.Fprintf(&b, "word%d,class%d\n", rng.IntN(8), rng.IntN(3))
	}
	return b.Bytes()
}

func BenchmarkCSV(b *testing.B) {
	short := func(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }
	quoted := func(v float64) string { return `"` + short(v) + `"` }
	levels := Column{Levels: []string{"word0", "word1", "word2", "word3", "word4", "word5", "word6", "word7"}}
	for _, c := range []struct {
		name    string
		numbers int
		format  func(float64) string
		opt     Options
	}{
		{"numbers", 20, short, Options{Exclude: []string{"word", "label"}}},
		{"targets", 20, short, Options{Exclude: []string{"word", "label"}, Targets: []string{"1-4"}}},
		{"bad", 20, short, Options{Exclude: []string{"word", "label"}, Weight: "5", Bad: func(*Error) error { return nil }}},
		{"long", 20, func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }, Options{Exclude: []string{"word", "label"}}},
		{"labels", 3, short, Options{Exclude: []string{"word"}, Targets: []string{"label"}, Classes: true}},
		{"words", 3, short, Options{Targets: []string{"label"}, Classes: true, Columns: Columns{{}, {}, {}, levels}}},
		{"quoted", 20, quoted, Options{Exclude: []string{"word", "label"}}},
	} {
		text := benchText(200000/(c.numbers+2), c.numbers, c.format)
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				c.opt.Stdin = bytes.NewReader(text)
				r, err := Open(context.Background(), []string{"-"}, c.opt)
				testutil.NoError(b, err)
				if _, err := drain(r, 1000); err != io.EOF {
					b.Fatal(err)
				}
				testutil.NoError(b, r.Close())
			}
		})
	}
	text := benchText(10000, 20, short)
	b.Run("describe", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			r, err := Open(context.Background(), []string{"-"}, Options{Targets: []string{"label"}, Classes: true, Stdin: bytes.NewReader(text)})
			testutil.NoError(b, err)
			if _, err := r.Describe(1 << 20); err != nil {
				b.Fatal(err)
			}
			testutil.NoError(b, r.Close())
		}
	})
}
