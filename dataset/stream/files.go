package stream

import (
	"cmp"
	"context"

	"blskernel/dataset/internal/sets"
	"blskernel/internal/io/vfs"
)

// files holds the open files of one path, samples and any separate targets, and their joint source.
type files struct {
	in     []*input // of the samples, and of the targets if they are separate
	source source
}

// openPath opens the files of path, and leaves source nil.
func openPath(ctx context.Context, path string, opt *Options) (*files, error) {
	if ctx.Err() != nil {
		return nil, canceled(ctx)
	}
	targetPath, format, targetFormat := opt.TargetPath, opt.Format, FormatAuto
	if opt.Pixels {
		targetFormat = IDX
	}
	if path != stdinPath && opt.Open == nil {
		if info, err := vfs.Stat(opt.FS, path); err == nil && info.IsDir() {
			names := sets.MNIST[:2]
			if opt.Test {
				names = sets.MNIST[2:]
			}
			found, err := sets.Find(opt.FS, path, names)
			if err != nil {
				return nil, &Error{Path: path, What: "a folder must hold the files of MNIST; to read other files, name them, as in FOLDER/*.csv", Err: err}
			}
			path, format, targetPath = found[0], IDX, cmp.Or(targetPath, found[1])
		}
	}
	x, err := openInput(ctx, path, format, opt)
	if err != nil {
		return nil, err
	}
	f := &files{in: []*input{x}}
	if targetPath != "" {
		y, err := openInput(ctx, targetPath, targetFormat, opt)
		if err != nil {
			_ = x.closer.Close()
			return nil, err
		}
		f.in = append(f.in, y)
	}
	return f, nil
}

// make returns the source that opt selects, at the start of the files. For first see readLayout.
func (f *files) make(opt *Options, first *csvLayout) (source, error) {
	if len(f.in) == 1 {
		return newSource(f.in[0], opt, first)
	}
	ofTargets := *opt
	ofTargets.targetsOnly, ofTargets.Columns = true, nil // they describe the inputs
	x, errX := newSource(f.in[0], opt.withoutTargets(), first)
	y, errY := newSource(f.in[1], &ofTargets, nil)
	return newPair(x, y, errX, errY, f.in[0].path, f.in[1].path)
}

// remake rewinds the files and replaces f.source with the source that opt selects. After an error
// the old source can only report the bytes taken.
func (f *files) remake(opt *Options) error {
	for _, in := range f.in {
		if err := in.rewind(); err != nil {
			return err
		}
	}
	s, err := f.make(opt, nil)
	if err == nil {
		f.source = s
	}
	return err
}

// forbidRewind makes remake impossible, so that the beginning of a pipe need not be kept.
func (f *files) forbidRewind() {
	for _, in := range f.in {
		in.raw.room = 0
	}
}

func (f *files) close() {
	for _, in := range f.in {
		_ = in.closer.Close() // nothing was written
	}
}

func display(path string) string {
	if path == stdinPath {
		return stdinName
	}
	return path
}
