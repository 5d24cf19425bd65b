package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blskernel/bls/modelfile"
	"blskernel/scaleout/internal/beamfile"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs" // gs://
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"  // s3://
)

// checkShared refuses paths of this machine, for workers that would read and write others of the same
// names, which end with them.
func (set *settings) checkShared() error {
	for _, named := range []struct {
		flag  string
		paths []string
	}{{"--model", []string{set.model}}, {"--out", []string{set.out}}, {"--bad-out", []string{set.badOut}}, {"the data", set.patterns}, {"--targets", set.targets}} {
		for _, path := range named.paths {
			if path != "" && beamfile.Local(path) {
				return fmt.Errorf("%s is %q, on this machine, and the workers have disks of their own: name a place that all of them reach, such as gs:// or s3://", named.flag, path)
			}
		}
	}
	return nil
}

// makeAbsolute makes the paths of this machine absolute, for workers that are in another folder.
func (set *settings) makeAbsolute() (err error) {
	paths := []*string{&set.model, &set.out, &set.badOut}
	for _, several := range [][]string{set.patterns, set.targets} {
		for i := range several {
			paths = append(paths, &several[i])
		}
	}
	for _, path := range paths {
		if *path == "" || !beamfile.Local(*path) {
			continue
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	return nil
}

// checkFiles finds out what is wrong with the files before a job is submitted. seen says that workers
// see the same files as this process, so that those of the patterns must be there.
func (set *settings) checkFiles(ctx context.Context, seen bool) error {
	for _, path := range slices.Concat([]string{set.model, set.out, set.badOut}, set.patterns, set.targets) {
		if err := checkScheme(path); path != "" && err != nil {
			return usageError{err}
		}
	}
	if err := checkModel(set.model); err != nil {
		return err
	}
	if err := checkReplaceable(set.out, set.model); err != nil {
		return err
	}
	if err := set.checkBadOut(); err != nil {
		return err
	}
	samples, err := count(ctx, set.patterns)
	set.files = samples
	if !seen {
		return nil // workers may see other files
	}
	if err != nil {
		return err
	}
	targets, err := count(ctx, set.targets)
	if err != nil {
		return err
	}
	if len(set.targets) > 0 && samples != targets {
		return usageError{fmt.Errorf("%d files of samples and %d of --targets: each file of samples has to have one of targets", samples, targets)}
	}
	return errors.Join(checkWritable("--out", set.out), checkWritable("--bad-out", set.badOut))
}

// checkBadOut returns an error unless the list of bad rows has a name that is free: what is there may
// be data.
func (set *settings) checkBadOut() error {
	if set.badOut == "" || !beamfile.Local(set.badOut) {
		return nil
	}
	if beamfile.Resolve(set.badOut) == beamfile.Resolve(set.out) {
		return usageError{fmt.Errorf("--bad-out is %q, which is --out: give another name", set.badOut)}
	}
	if _, err := os.Stat(set.badOut); !errors.Is(err, fs.ErrNotExist) {
		return cmp.Or(err, error(usageError{fmt.Errorf("--bad-out is %q, which is there already: remove it, or give another name", set.badOut)}))
	}
	return nil
}

// checkWritable finds out, before anything is learned, whether a file of this machine can be written.
func checkWritable(flag, path string) error {
	if path == "" || !beamfile.Local(path) {
		return nil
	}
	folder := filepath.Dir(path)
	for { // folders that are missing are made when the file is written
		info, err := os.Stat(folder)
		if err == nil && !info.IsDir() {
			return usageError{fmt.Errorf("%s is %q, and %s is no folder", flag, path, folder)}
		}
		if up := filepath.Dir(folder); errors.Is(err, fs.ErrNotExist) && up != folder {
			folder = up
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", flag, err)
		}
		break
	}
	probe, err := os.CreateTemp(folder, ".writable-*.tmp")
	if err != nil {
		return fmt.Errorf("%s: no file can be made in %s: %w", flag, folder, err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// checkScheme refuses a path of a file system that is not linked into this program.
func checkScheme(path string) (err error) {
	defer func() {
		if recover() != nil {
			scheme, _, _ := strings.Cut(path, "://")
			err = fmt.Errorf("%q: this program knows no file system %q; want gs, s3, or a path of this machine", path, scheme)
		}
	}()
	filesystem.ValidateScheme(path)
	return nil
}

// checkModel says why there can be no model at path.
func checkModel(path string) error {
	if !beamfile.Local(path) {
		return nil // who reads it will tell
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the model %q is not there: 'blskernel train --out %s' makes one of a sample of the data", path, path)
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("--model is %q, which is a folder; want a model file", path)
	}
	if err := inspect(path); errors.Is(err, modelfile.ErrNotAModel) {
		return fmt.Errorf("--model is %q, which is no model file: want one that 'blskernel train' wrote", path)
	} else if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// checkReplaceable returns an error unless path is free or has a model, and another one than that at
// model: a file of data that is named by mistake is not replaced.
func checkReplaceable(path, model string) error {
	if path == model {
		return usageError{fmt.Errorf("--out is %q, which is the --model: workers read it as long as the job runs, so give another name", path)}
	}
	if !beamfile.Local(path) {
		return nil
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return usageError{fmt.Errorf("--out is %q, which is no file", path)}
	}
	if base, err := os.Stat(model); beamfile.Local(model) && err == nil && os.SameFile(info, base) {
		return usageError{fmt.Errorf("--out is %q, which is the same file as the --model: give another name", path)}
	}
	if info.Size() == 0 {
		return nil
	}
	if err := inspect(path); errors.Is(err, modelfile.ErrNotAModel) {
		return usageError{fmt.Errorf("--out is %q, which is there and is no model: remove it, or give another name", path)}
	}
	return nil
}

// inspect reads the head of a model file.
func inspect(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = modelfile.Inspect(file)
	return err
}

// count returns the number of files that the patterns name, of which each must name one.
func count(ctx context.Context, patterns []string) (total int, err error) {
	for _, pattern := range patterns {
		files, err := beamfile.List(ctx, pattern)
		if err != nil {
			return 0, fmt.Errorf("%q: %w", pattern, err)
		}
		if len(files) == 0 {
			return 0, fmt.Errorf("no file matches %q", pattern)
		}
		total += len(files)
	}
	return total, nil
}
