package stream

import (
	"context"
	"errors"

	"blskernel/dataset"
	"blskernel/internal/io/vfs"
)

// files are the files of one path: the samples, their targets if separate, and their source.
type files struct {
	in     []*input // one or two
	source source   // nil between two selections
}

// openPath opens the files of path, without a source.
func openPath(ctx context.Context, path string, opt *Options) (*files, error) {
	if ctx.Err() != nil {
		return nil, canceled(ctx)
	}
	targetPath, format := opt.TargetPath, opt.Format
	if path != stdinPath && opt.Open == nil {
		if info, err := vfs.Stat(opt.FS, path); err == nil && info.IsDir() {
			images, labels, err := dataset.FindMNIST(path, opt.Test)
			if err != nil {
				return nil, &Error{Path: path, What: "a folder must have the files of MNIST; name other files one by one, as by FOLDER/*.csv", Err: err}
			}
			path, format = images, IDX
			if targetPath == "" {
				targetPath = labels
			}
		}
	}
	x, err := openInput(ctx, path, format, opt)
	if err != nil {
		return nil, err
	}
	f := &files{in: []*input{x}}
	if targetPath != "" {
		y, err := openInput(ctx, targetPath, FormatAuto, opt)
		if err != nil {
			x.close()
			return nil, err
		}
		f.in = append(f.in, y)
	}
	return f, nil
}

// make makes the source that opt selects, at the beginning of the files. For first see readLayout.
func (f *files) make(opt *Options, first *csvLayout) (err error) {
	q := request{inputs: opt.Inputs, targets: opt.Targets, exclude: opt.Exclude, weight: opt.Weight, keep: opt.Keep}
	if len(f.in) == 1 {
		f.source, err = newSource(f.in[0], &q, opt, first)
		return err
	}
	q.targets = nil
	x, errX := newSource(f.in[0], &q, opt, first)
	if errX != nil && !errors.Is(errX, ErrEmpty) {
		return errX
	}
	y, errY := newSource(f.in[1], &request{targets: opt.Targets, targetsOnly: true}, opt, nil)
	switch {
	case errX == nil && errY == nil:
		f.source, err = newPair(x, y, f.in[0].path, f.in[1].path)
		return err
	case errX == nil:
		x.close()
	case errY == nil:
		y.close()
		return &Error{Path: f.in[0].path, What: "has no samples, but " + f.in[1].path + " has targets"}
	}
	if errX == nil && errors.Is(errY, ErrEmpty) {
		return &Error{Path: f.in[1].path, What: "is empty, but " + f.in[0].path + " has samples"}
	}
	return errY // both are empty, or the targets are worse
}

// remake makes another source of the same files.
func (f *files) remake(opt *Options) error {
	f.closeSource()
	for _, in := range f.in {
		if err := in.rewind(); err != nil {
			return err
		}
	}
	return f.make(opt, nil)
}

// forbidRewind makes make impossible.
func (f *files) forbidRewind() {
	for _, in := range f.in {
		in.forbidRewind()
	}
}

// taken returns the bytes of the samples that were read or skipped.
func (f *files) taken() int64 {
	if f.source == nil {
		return 0
	}
	return f.source.taken()
}

func (f *files) closeSource() {
	if f.source != nil {
		f.source.close()
		f.source = nil
	}
}

func (f *files) close() {
	f.closeSource()
	for _, in := range f.in {
		in.close()
	}
}

func display(path string) string {
	if path == stdinPath {
		return stdinName
	}
	return path
}
