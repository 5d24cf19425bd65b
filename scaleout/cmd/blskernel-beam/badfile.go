package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"blskernel/internal/atomicfile"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
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
	slices.Sort(lines)
	if err := fn.write(ctx, lines); err != nil {
		return fmt.Errorf("blskernel-beam: --bad-out %s: %w", fn.Path, err)
	}
	return nil
}

func (fn *badFn) write(ctx context.Context, lines []string) error {
	if local(fn.Path) {
		if err := os.MkdirAll(filepath.Dir(fn.Path), 0o755); err != nil {
			return err
		}
		file, err := atomicfile.Create(fn.Path)
		if err != nil {
			return err
		}
		defer file.Abort()
		if err := writeLines(file, lines); err != nil {
			return err
		}
		return file.Commit()
	}
	system, err := filesystem.New(ctx, fn.Path)
	if err != nil {
		return err
	}
	defer system.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := system.OpenWrite(ctx, fn.Path)
	if err != nil {
		return err
	}
	if err := writeLines(w, lines); err != nil {
		cancel() // so that the object is not completed
		return errors.Join(err, w.Close())
	}
	return w.Close()
}

// writeLines writes lines to w.
func writeLines(w io.Writer, lines []string) error {
	b := bufio.NewWriter(w)
	for _, line := range lines {
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return b.Flush()
}
