package dataset

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"blskernel/dataset/internal/sets"
	"blskernel/dataset/stream"
	"blskernel/internal/io/vfs"
)

const (
	panelImages = 256     // images, or pairs of small NORB, read at a time; 256 pairs take 5 MB
	maxPixels   = 1 << 30 // largest size in bytes of the images of a set
)

// A format describes the files of a data set.
type format struct {
	files   []string // as in package sets
	classes int      // labels are 0 to classes-1
	// size returns the rows and columns of the images that add appends for a file of the given
	// shape, or 0, 0 for a wrong shape.
	size func(shape []int64) (rows, cols int)
	want string                            // the right shape, for messages
	add  func(pixels, panel []byte) []byte // appends the images of a panel
}

// load reads the training and the test set from the folder dir of fsys. A nil fsys stands for vfs.OS.
func (f *format) load(fsys vfs.FS, dir string) (train, test *Images, err error) {
	paths, err := sets.Find(fsys, dir, f.files)
	if err != nil {
		return nil, nil, err
	}
	if train, err = f.loadPart(fsys, paths[0], paths[1]); err != nil {
		return nil, nil, err
	}
	if test, err = f.loadPart(fsys, paths[2], paths[3]); err != nil {
		return nil, nil, err
	}
	if test.Rows != train.Rows || test.Cols != train.Cols {
		return nil, nil, &stream.Error{Path: paths[2],
			What: fmt.Sprintf("has images of %d×%d, but %s has images of %d×%d; give two sets with images of one size", test.Rows, test.Cols, paths[0], train.Rows, train.Cols)}
	}
	train.Classes = max(train.Classes, test.Classes)
	test.Classes = train.Classes
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	name := filepath.Base(dir)
	train.Name, test.Name = name+" (train)", name+" (test)"
	return train, test, nil
}

// loadPart reads a file of images and the file of their labels.
func (f *format) loadPart(fsys vfs.FS, images, labels string) (*Images, error) {
	r, err := stream.Open(context.Background(), []string{images}, stream.Options{Format: stream.IDX, TargetPath: labels, Pixels: true, Classes: true, FS: fsys})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	s := new(Images)
	if s.Rows, s.Cols = f.size(r.Heading().Shape); s.Rows == 0 {
		return nil, &stream.Error{Path: images, What: fmt.Sprintf("has the shape %v; want %s", r.Heading().Shape, f.want)}
	}
	if r.Rows() > maxPixels/int64(s.Features()) {
		return nil, &stream.Error{Path: images,
			What: fmt.Sprintf("has %d images of %d×%d, more than %d MiB of pixels; read it in batches, or leave some images out", r.Rows(), s.Rows, s.Cols, maxPixels>>20)}
	}
	for {
		b, err := r.Next(panelImages)
		if err == io.EOF {
			return s, nil
		}
		if err != nil {
			return nil, err
		}
		for i, label := range b.Labels {
			class, err := strconv.Atoi(label)
			if err != nil || class < 0 || class >= f.classes {
				return nil, &stream.Error{Path: labels, Row: b.Number(i), What: fmt.Sprintf("the label is %s; want 0 to %d", label, f.classes-1)}
			}
			s.Labels, s.Classes = append(s.Labels, byte(class)), max(s.Classes, class+1)
		}
		if have, more := len(s.Pixels), len(b.Labels)*s.Features(); cap(s.Pixels) < have+more {
			size := max(have+more, min(2*have, int(r.Rows())*s.Features()))
			s.Pixels = append(make([]byte, 0, size), s.Pixels...)
		}
		s.Pixels = f.add(s.Pixels, b.Pixels)
	}
}
