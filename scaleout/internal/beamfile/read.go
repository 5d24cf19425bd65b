// Package beamfile lists, reads and writes files of any file system that Beam knows, and those of this
// machine as the rest of the project does: what is written is there as a whole or not at all.
package beamfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local" // paths without a scheme
)

// List returns the files that a pattern, a glob of its file system, names, in the order of their names.
//
//	errors: those of the file system; a folder of this machine, which is no file.
func List(ctx context.Context, pattern string) ([]string, error) {
	system, err := filesystem.New(ctx, pattern)
	if err != nil {
		return nil, err
	}
	defer system.Close()
	files, err := system.List(ctx, pattern)
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	if !Local(pattern) {
		return files, nil
	}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && info.IsDir() {
			return nil, fmt.Errorf("%s is a folder: name the files in it, such as %s", file, file+string(os.PathSeparator)+"*.csv")
		}
	}
	return files, nil
}

// Open opens a file for reading.
func Open(ctx context.Context, path string) (io.ReadCloser, error) {
	system, err := filesystem.New(ctx, path)
	if err != nil {
		return nil, err
	}
	r, err := system.OpenRead(ctx, path)
	if err != nil {
		return nil, errors.Join(err, system.Close())
	}
	return &opened{r, system}, nil
}

// An opened is a file that closes its file system too.
type opened struct {
	io.ReadCloser
	system filesystem.Interface
}

// Close closes both.
func (o *opened) Close() error { return errors.Join(o.ReadCloser.Close(), o.system.Close()) }
