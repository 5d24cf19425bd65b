package report

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// A Written is a file that WriteFolder wrote.
type Written struct {
	Path  string
	Bytes int64
}

// WriteFolder writes index.html, and each plot as SVG and PNG into the folder plots beside it, and makes the folders where
// they are not there. Files of the same names are replaced, others left alone. All is written under temporary names first and
// renamed at the end, so that an error, or the end of ctx, which is looked at before each file, leaves what was there: then
// the error is that of the file or context.Cause of ctx.
func (p *Page) WriteFolder(ctx context.Context, dir string) (written []Written, err error) {
	plots := filepath.Join(dir, "plots")
	if err := os.MkdirAll(plots, 0o777); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	type job struct {
		path, temporary string
		write           func(io.Writer) error
	}
	jobs := []job{{path: filepath.Join(dir, "index.html"), write: p.WriteHTML}}
	for _, plot := range p.Plots() {
		jobs = append(jobs,
			job{path: filepath.Join(plots, plot.Name+".svg"), write: plot.WriteSVG},
			job{path: filepath.Join(plots, plot.Name+".png"), write: plot.WritePNG})
	}
	defer func() {
		for _, j := range jobs { // those that were not renamed
			if j.temporary != "" {
				err = errors.Join(err, os.Remove(j.temporary))
			}
		}
	}()
	for i := range jobs {
		j := &jobs[i]
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		var n int64
		j.temporary, n, err = writeTemporary(j.path, j.write)
		if err != nil {
			return nil, fmt.Errorf("report: %w", err)
		}
		written = append(written, Written{j.path, n})
	}
	for i := range jobs {
		j := &jobs[i]
		if err := os.Rename(j.temporary, j.path); err != nil {
			return nil, fmt.Errorf("report: %w", err)
		}
		j.temporary = ""
	}
	return written, nil
}

// writeTemporary writes a file beside path and returns its name, or nothing where that failed.
func writeTemporary(path string, write func(io.Writer) error) (name string, n int64, err error) {
	f, err := createBeside(path)
	if err != nil {
		return "", 0, err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
			name = ""
		}
	}()
	b := bufio.NewWriter(f)
	if err := write(b); err != nil {
		return "", 0, err
	}
	if err := b.Flush(); err != nil {
		return "", 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return "", 0, err
	}
	return f.Name(), info.Size(), nil
}

// createBeside creates a file in the folder of path, with the permissions that the umask leaves, which os.CreateTemp
// does not give.
func createBeside(path string) (*os.File, error) {
	for {
		name := fmt.Sprintf(".%s.%08x.tmp", filepath.Base(path), rand.Uint32())
		f, err := os.OpenFile(filepath.Join(filepath.Dir(path), name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}
