package stream

import (
	"context"
	"errors"
	"os"

	"blskernel/dataset"
)

// An opened is what one path names: the file of the samples, that of their targets where these are a
// file of their own, and the source that is made of them.
type opened struct {
	x, y   *input // y is nil where the targets are in x
	source source // nil between two selections
}

// openPath opens the files of path, and makes nothing of them yet.
func openPath(ctx context.Context, path string, opt *Options) (*opened, error) {
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
	o := &opened{}
	var err error
	if o.x, err = openInput(ctx, path, format, opt); err != nil {
		return nil, err
	}
	if targetPath != "" {
		if o.y, err = openInput(ctx, targetPath, FormatAuto, opt); err != nil {
			return nil, errors.Join(err, o.x.close())
		}
	}
	return o, nil
}

// make makes the source that opt selects, at the beginning of the files. first is the layout of the
// first text among several paths, nil for that itself. inline is for a source of which only some
// samples will be read: it does nothing ahead.
func (o *opened) make(opt *Options, first *csvLayout, inline bool) error {
	q := request{inputs: opt.Inputs, targets: opt.Targets, inline: inline}
	var err error
	if o.y == nil {
		o.source, err = newSource(o.x, &q, opt, first)
		return err
	}
	q.targets = nil
	x, err := newSource(o.x, &q, opt, first)
	if err != nil {
		return err
	}
	y, err := newSource(o.y, &request{targets: opt.Targets, targetsOnly: true, inline: inline}, opt, nil)
	if err != nil {
		return errors.Join(err, x.close())
	}
	o.source, err = newPair(x, y, o.x.path, o.y.path, opt)
	return err
}

// remake makes another source of the same files.
func (o *opened) remake(opt *Options, first *csvLayout, inline bool) error {
	if o.source != nil {
		err := o.source.close()
		o.source = nil
		if err != nil {
			return readFault(o.x.ctx, o.x.path, err)
		}
	}
	for _, in := range o.inputs() {
		if err := in.rewind(); err != nil {
			return err
		}
	}
	return o.make(opt, first, inline)
}

func (o *opened) inputs() []*input {
	if o.y == nil {
		return []*input{o.x}
	}
	return []*input{o.x, o.y}
}

// release says that there will be no other source of the files.
func (o *opened) release() {
	for _, in := range o.inputs() {
		in.release()
	}
}

// heading returns what the source tells about its file.
func (o *opened) heading() Heading {
	h := o.source.heading()
	h.Format = o.x.format
	return h
}

// layout returns the layout of a text, nil for other formats.
func (o *opened) layout() *csvLayout {
	s := o.source
	if p, ok := s.(*pair); ok {
		s = p.x
	}
	if text, ok := s.(*csvSource); ok {
		return text.layout
	}
	return nil
}

// taken returns the bytes that the samples took that have been read or passed.
func (o *opened) taken() int64 {
	if o.source == nil {
		return 0
	}
	return o.source.taken()
}

func (o *opened) close() error {
	var errs []error
	if o.source != nil {
		errs = append(errs, o.source.close())
	}
	for _, in := range o.inputs() {
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
