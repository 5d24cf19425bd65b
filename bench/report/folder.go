package report

import (
	"bufio"
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

// WriteFolder writes index.html, and each plot as SVG and PNG into the folder plots beside it, and makes the folders where
// they are not there. Files of the same names are replaced, others left alone. All is written under temporary names first and
// renamed at the end, so that an error before that, or the end of ctx, which is looked at before each file, leaves what was
// there: then the error is that of the file or context.Cause of ctx. After an error while they are renamed each file is
// the old one or the new one.
func (p *Page) WriteFolder(ctx context.Context, dir string) (written []Written, err error) {
	return p.WriteFolderFS(ctx, vfs.OS, dir)
}

// WriteFolderFS is WriteFolder on another file system: one whose operations fail, for tests of this module.
func (p *Page) WriteFolderFS(ctx context.Context, fsys vfs.FS, dir string) (written []Written, err error) {
	plots := filepath.Join(dir, "plots")
	if err := os.MkdirAll(plots, 0o777); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	jobs := []job{{path: filepath.Join(dir, "index.html"), write: p.WriteHTML}}
	for _, plot := range p.Plots() {
		jobs = append(jobs,
			job{path: filepath.Join(plots, plot.Name+".svg"), write: plot.WriteSVG},
			job{path: filepath.Join(plots, plot.Name+".png"), write: plot.WritePNG})
	}
	for i := range jobs {
		defer jobs[i].abort()
	}
	for i := range jobs {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		n, err := jobs[i].do(fsys)
		if err != nil {
			return nil, fmt.Errorf("report: %w", err)
		}
		written = append(written, Written{jobs[i].path, n})
	}
	for i := range jobs {
		if err := jobs[i].file.Commit(); err != nil {
			return nil, fmt.Errorf("report: %w", err)
		}
	}
	return written, nil
}

// A job is a file that is to be written.
type job struct {
	path  string
	write func(io.Writer) error
	file  *atomicfile.File // nil before do
}

// do writes the file under another name, and returns its size.
func (j *job) do(fsys vfs.FS) (n int64, err error) {
	if j.file, err = atomicfile.Create(fsys, j.path); err != nil {
		return 0, err
	}
	counted := &counter{w: j.file}
	b := bufio.NewWriter(counted)
	if err := j.write(b); err != nil {
		return 0, err
	}
	err = b.Flush()
	return counted.n, err
}

// abort drops the file, unless it has its name.
func (j *job) abort() {
	if j.file != nil {
		j.file.Abort()
	}
}

// A counter counts what passes through it.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
