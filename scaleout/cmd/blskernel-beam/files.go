package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"blskernel/bls/modelfile"
	"blskernel/internal/io/atomicfile"
	"blskernel/internal/io/vfs"
	"blskernel/scaleout"
	"blskernel/scaleout/internal/beamfile"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs" // gs://
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"  // s3://
)

// checkFiles finds errors in the paths before the job is submitted. It sets States from the number of
// files, and makes local paths absolute for workers in another process.
func (set *settings) checkFiles(ctx context.Context) error {
	workers := set.environment()
	paths := []*string{&set.Model, &set.Out, &set.BadOut}
	for _, list := range [][]string{set.patterns, set.targets} {
		for i := range list {
			paths = append(paths, &list[i])
		}
	}
	for _, path := range paths {
		if *path == "" {
			continue
		}
		if err := checkPath(*path, workers == "docker"); err != nil {
			return usageError{err}
		}
		if workers != "loopback" && beamfile.Local(*path) {
			var err error
			if *path, err = filepath.Abs(*path); err != nil {
				return err
			}
		}
	}
	if err := scaleout.CheckModel(ctx, set.Model); err != nil {
		return err
	}
	if err := set.checkOutputs(ctx); err != nil {
		return err
	}
	shards, err := scaleout.Shards(ctx, set.patterns, set.targets)
	if err != nil {
		return err
	}
	set.States = len(shards)
	if set.runner == "prism" { // Prism makes few bundles of many files, so one level of merging is enough
		set.States = 1
	}
	return cmp.Or(checkWritable(set.Out), checkWritable(set.BadOut))
}

// checkPath returns an error for a file system that this program does not have, and for a local path if
// the workers are remote.
func checkPath(path string, remote bool) (err error) {
	defer func() {
		if recover() != nil {
			err = fmt.Errorf("%q: unknown file system; want gs://, s3://, or a local path", path)
		}
	}()
	filesystem.ValidateScheme(path)
	if remote && beamfile.Local(path) {
		return fmt.Errorf("%q is on this machine, where the workers cannot reach it: use another place, such as gs:// or s3://", path)
	}
	return nil
}

func inspect(ctx context.Context, path string) (*modelfile.Info, error) {
	file, err := beamfile.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return modelfile.Inspect(file)
}

// checkOutputs protects existing files: --out may replace only a model other than --model, and
// --bad-out may replace nothing.
func (set *settings) checkOutputs(ctx context.Context) error {
	model, out, badOut := beamfile.Resolve(set.Model), beamfile.Resolve(set.Out), beamfile.Resolve(set.BadOut)
	switch {
	case out == model:
		return usagef("--out is %q, the same file as --model, which workers read while the job runs: give another name", set.Out)
	case set.BadOut != "" && (badOut == out || badOut == model):
		return usagef("--bad-out is %q, which is also --model or --out: give another name", set.BadOut)
	}
	if set.BadOut != "" && beamfile.Local(badOut) {
		if _, err := vfs.Stat(nil, badOut); !errors.Is(err, fs.ErrNotExist) {
			return usagef("--bad-out is %q, which already exists or cannot be examined: remove it, or give another name", set.BadOut)
		}
	}
	if !beamfile.Local(out) {
		return nil
	}
	info, err := vfs.Stat(nil, out)
	if err != nil || info.Size() == 0 {
		return nil // nothing to replace, or checkWritable rejects it
	}
	if _, err := inspect(ctx, out); info.IsDir() || errors.Is(err, modelfile.ErrNotAModel) {
		return usagef("--out is %q, which is not a model: give another name, or remove it", set.Out)
	}
	return nil
}

// checkWritable returns an error if path is local and cannot be written. It creates missing folders.
func checkWritable(path string) error {
	if path == "" || !beamfile.Local(path) {
		return nil
	}
	if strings.HasSuffix(path, string(os.PathSeparator)) {
		return usagef("%q is a folder: name a file", path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomicfile.Check(nil, path)
}
