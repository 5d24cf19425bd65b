package stream

import (
	"context"
	"errors"
	"os"

	"blskernel/dataset"
)

// files are what one path names: the file of the samples, the file of their targets where that is
// another, and the source made of them.
type files struct {
	x, y   *input // y is nil where the targets are in x
	source source // nil between two selections
}

// openPath opens the files of path and makes no source of them yet.
func openPath(ctx context.Context, path string, opt *Options) (*files, error) {
	if ctx.Err() != nil {
		return nil, canceled(ctx)
	}
	targetPath, format := opt.TargetPath, opt.Format
	if path != stdinPath && opt.Open == nil {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			images, labels, err := dataset.FindMNIST(path, opt.Test)
			if err != nil {
				return nil, &Error{Path: path, What: "a folder must have the files of MNIST", Err: err}
			}
			path, format = images, IDX
			if targetPath == "" {
				targetPath = labels
			}
		}
	}
	f := &files{}
	var err error
	if f.x, err = openInput(ctx, path, format, opt); err != nil {
		return nil, err
	}
	if targetPath != "" {
		if f.y, err = openInput(ctx, targetPath, FormatAuto, opt); err != nil {
			return nil, errors.Join(err, f.x.close())
		}
	}
	return f, nil
}

// make makes the source that opt selects, at the beginning of the files. first is the layout of the
// first text among several paths, nil for that text itself.
func (f *files) make(opt *Options, first *csvLayout) error {
	q := request{inputs: opt.Inputs, targets: opt.Targets}
	if f.y != nil {
		q.targets = nil
	}
	x, err := newSource(f.x, &q, opt, first)
	if err != nil && (f.y == nil || !errors.Is(err, ErrEmpty)) {
		return err
	}
	if f.y == nil {
		f.source = x
		return nil
	}
	y, errY := newSource(f.y, &request{targets: opt.Targets, targetsOnly: true}, opt, nil)
	switch {
	case errY == nil && err != nil:
		return errors.Join(&Error{Path: f.x.path, What: "has no samples, but " + f.y.path + " has targets"}, y.close())
	case err != nil: // both are empty, or the targets are worse
		return errY
	case errY != nil:
		if errors.Is(errY, ErrEmpty) {
			errY = &Error{Path: f.y.path, What: "is empty, but " + f.x.path + " has samples"}
		}
		return errors.Join(errY, x.close())
	}
	f.source, err = newPair(x, y, f.x.path, f.y.path)
	return err
}

// remake makes another source of the same files.
func (f *files) remake(opt *Options) error {
	if f.source != nil {
		err := f.source.close()
		f.source = nil
		if err != nil {
			return readFault(f.x.ctx, f.x.path, err)
		}
	}
	for _, in := range f.inputs() {
		if err := in.rewind(); err != nil {
			return err
		}
	}
	return f.make(opt, nil)
}

func (f *files) inputs() []*input {
	if f.y == nil {
		return []*input{f.x}
	}
	return []*input{f.x, f.y}
}

// begin ends remaking.
func (f *files) begin() {
	for _, in := range f.inputs() {
		in.begin()
	}
}

// taken returns the bytes of the samples that were read or skipped.
func (f *files) taken() int64 {
	if f.source == nil {
		return 0
	}
	return f.source.taken()
}

func (f *files) close() error {
	var errs []error
	if f.source != nil {
		errs = append(errs, f.source.close())
	}
	for _, in := range f.inputs() {
		errs = append(errs, in.close())
	}
	return errors.Join(errs...)
}

// display returns a path as messages show it.
func display(path string) string {
	if path == stdinPath {
		return stdinName
	}
	return path
}
