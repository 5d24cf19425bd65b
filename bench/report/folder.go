package report

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"blskernel/internal/atomicfile"
	"blskernel/internal/vfs"
)

// A Written is a file that WriteFolder wrote.
type Written struct {
	Path  string
	Bytes int64
}

// WriteFolder writes index.html, README.md and plots/NAME.svg for each plot. It makes the folders,
// replaces files of the same names and leaves others alone. It writes temporary files first and renames
// them at the end: an error before that, or the end of ctx, leaves the old files.
//
//	errors: those of the files, wrapped; context.Cause of ctx.
func (p *Page) WriteFolder(ctx context.Context, fsys vfs.FS, dir string) (written []Written, err error) {
	plots := filepath.Join(dir, "plots")
	if err := os.MkdirAll(plots, 0o777); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	var files []*atomicfile.File
	add := func(path string, write func(io.Writer) error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var b bytes.Buffer
		if err := write(&b); err != nil {
			return err
		}
		f, err := atomicfile.Create(fsys, path)
		if err != nil {
			return fmt.Errorf("report: %w", err)
		}
		files, written = append(files, f), append(written, Written{path, int64(b.Len())})
		if _, err := b.WriteTo(f); err != nil {
			return fmt.Errorf("report: %w", err)
		}
		return nil
	}
	defer func() {
		for _, f := range files {
			f.Abort()
		}
	}()
	if err := add(filepath.Join(dir, "index.html"), p.WriteHTML); err != nil {
		return nil, err
	}
	if err := add(filepath.Join(dir, "README.md"), p.WriteMarkdown); err != nil {
		return nil, err
	}
	for _, plot := range p.Plots() {
		if err := add(filepath.Join(plots, plot.Name+".svg"), plot.WriteSVG); err != nil {
			return nil, err
		}
	}
	for _, f := range files {
		if err := f.Commit(); err != nil {
			return nil, fmt.Errorf("report: %w", err)
		}
	}
	return written, nil
}
