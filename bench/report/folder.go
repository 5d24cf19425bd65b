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
// them at the end: an error before that, or the end of ctx, leaves the old files. The error is that of
// a file, or context.Cause of ctx.
func (p *Page) WriteFolder(ctx context.Context, dir string) (written []Written, err error) {
	return p.WriteFolderFS(ctx, vfs.OS, dir)
}

// WriteFolderFS is WriteFolder on another file system, such as one whose operations fail in a test.
func (p *Page) WriteFolderFS(ctx context.Context, fsys vfs.FS, dir string) (written []Written, err error) {
	plots := filepath.Join(dir, "plots")
	if err := os.MkdirAll(plots, 0o777); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	type job struct {
		path  string
		write func(io.Writer) error
	}
	jobs := []job{{filepath.Join(dir, "index.html"), p.WriteHTML}, {filepath.Join(dir, "README.md"), p.WriteMarkdown}}
	for _, plot := range p.Plots() {
		jobs = append(jobs, job{filepath.Join(plots, plot.Name+".svg"), plot.WriteSVG})
	}
	var files []*atomicfile.File
	for _, j := range jobs {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		var b bytes.Buffer
		if err := j.write(&b); err != nil {
			return nil, err
		}
		f, err := atomicfile.Create(fsys, j.path)
		if err != nil {
			return nil, fmt.Errorf("report: %w", err)
		}
		defer f.Abort()
		n, err := f.Write(b.Bytes())
		if err != nil {
			return nil, fmt.Errorf("report: %w", err)
		}
		files, written = append(files, f), append(written, Written{j.path, int64(n)})
	}
	for _, f := range files {
		if err := f.Commit(); err != nil {
			return nil, fmt.Errorf("report: %w", err)
		}
	}
	return written, nil
}
