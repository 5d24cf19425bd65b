package report

import (
	"bytes"
	"context"
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

type part struct {
	name  string
	write func(io.Writer) error
}

// WriteFolder writes README.md and plots/NAME.svg for each plot. It makes the folders,
// replaces files of the same names and leaves others alone. It writes temporary files first and renames
// them at the end: an error before that, or the end of ctx, leaves the old files.
//
//	errors: those of the files, wrapped; context.Cause of ctx.
func (p *Page) WriteFolder(ctx context.Context, fsys vfs.FS, dir string) (written []Written, err error) {
	if err := os.MkdirAll(filepath.Join(dir, "plots"), 0o777); err != nil {
		return nil, failed(err)
	}
	var files []*atomicfile.File
	defer func() {
		for _, f := range files {
			f.Abort()
		}
	}()
	parts := []part{{"README.md", p.WriteMarkdown}}
	for _, plot := range p.Plots() {
		parts = append(parts, part{filepath.Join("plots", plot.Name+".svg"), plot.WriteSVG})
	}
	for _, part := range parts {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		var b bytes.Buffer
		if err := part.write(&b); err != nil {
			return nil, err
		}
		path := filepath.Join(dir, part.name)
		f, err := atomicfile.Create(fsys, path)
		if err != nil {
			return nil, failed(err)
		}
		files, written = append(files, f), append(written, Written{path, int64(b.Len())})
		if _, err := b.WriteTo(f); err != nil {
			return nil, failed(err)
		}
	}
	for _, f := range files {
		if err := f.Commit(); err != nil {
			return nil, failed(err)
		}
	}
	return written, nil
}
