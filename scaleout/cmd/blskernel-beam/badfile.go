package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"blskernel/scaleout/internal/beamfile"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
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
	slices.SortFunc(lines, func(a, b string) int { return cmp.Or(compareNumbers(a, b), strings.Compare(a, b)) })
	var text bytes.Buffer
	for _, line := range lines {
		text.WriteString(line)
		text.WriteByte('\n')
	}
	if err := beamfile.Write(ctx, fn.Path, &text); err != nil {
		return fmt.Errorf("blskernel-beam: --bad-out %s: %w", fn.Path, err)
	}
	return nil
}

// compareNumbers compares texts as cmp.Compare does, but for the numbers in them, which count by their
// size: line 10 of a file comes behind its line 9.
func compareNumbers(a, b string) int {
	for a != "" && b != "" {
		m, n := digits(a), digits(b)
		if m == 0 || n == 0 {
			if a[0] != b[0] {
				return cmp.Compare(a[0], b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		x, y := strings.TrimLeft(a[:m], "0"), strings.TrimLeft(b[:n], "0")
		if order := cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y)); order != 0 {
			return order
		}
		a, b = a[m:], b[n:]
	}
	return cmp.Compare(len(a), len(b))
}

// digits returns the number of digits that a text begins with.
func digits(text string) int { return len(text) - len(strings.TrimLeft(text, "0123456789")) }
