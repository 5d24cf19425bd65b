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

// WriteFolder writes README.md and plots/NAME.svg for each plot. It makes the folders, replaces files
// of the same names and leaves others alone. It writes temporary files first and renames them at the
// end: an error before that, or the end of ctx, leaves the old files.
//
//	errors: those of the files, wrapped; context.Cause of ctx.
func (p *Page) WriteFolder(ctx context.Context, fsys vfs.FS, dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, "plots"), 0o777); err != nil {
		return failed(err)
	}
	var files []*atomicfile.File
	defer func() {
		for _, f := range files {
			f.Abort()
		}
	}()
	write := func(name string, render func(io.Writer) error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var b bytes.Buffer
		if err := render(&b); err != nil {
			return err
		}
		f, err := atomicfile.Create(fsys, filepath.Join(dir, name))
		if err == nil {
			files = append(files, f)
			_, err = b.WriteTo(f)
		}
		return failed(err)
	}
	err := write("README.md", p.WriteMarkdown)
	for _, plot := range p.Plots() {
		if err == nil {
			err = write(filepath.Join("plots", plot.Name+".svg"), plot.WriteSVG)
		}
	}
	for _, f := range files {
		if err == nil {
			err = failed(f.Commit())
		}
	}
	return err
}
