package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"blskernel/scaleout/internal/beamfile"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/maruel/natural"
)

func init() {
	register.DoFn3x1[context.Context, []byte, func(*string) bool, error](&badFn{})
}

// writeBad writes a file with the lines of bad in their order, and an empty one where there are none:
// --skip-bad bounds their number in each file of samples.
func writeBad(s beam.Scope, path string, bad beam.PCollection) {
	s = s.Scope("bad rows and files")
	beam.ParDo0(s, &badFn{Path: path}, beam.Impulse(s), beam.SideInput{Input: bad})
}

// A badFn writes the file.
type badFn struct {
	Path string
}

// ProcessElement writes all lines.
func (fn *badFn) ProcessElement(ctx context.Context, _ []byte, bad func(*string) bool) error {
	var lines []string
	for line := ""; bad(&line); {
		lines = append(lines, line)
	}
	// Lines 9 and 10 of a file in this order. What is equal in it, as 1 and 01, has another one, so that all runs have the same.
	slices.SortFunc(lines, func(a, b string) int { return cmp.Or(natural.Compare(a, b), strings.Compare(a, b)) })
	if err := beamfile.Write(ctx, fn.Path, textLines(lines)); err != nil {
		return fmt.Errorf("blskernel-beam: --bad-out %s: %w", fn.Path, err)
	}
	return nil
}

// textLines are written each with a line end.
type textLines []string

// WriteTo writes the lines to w.
func (lines textLines) WriteTo(w io.Writer) (n int64, err error) {
	b := bufio.NewWriter(w)
	for _, line := range lines {
		_, _ = b.WriteString(line) // Flush has the error
		_ = b.WriteByte('\n')
		n += int64(len(line)) + 1
	}
	return n, b.Flush()
}
