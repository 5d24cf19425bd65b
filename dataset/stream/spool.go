package stream

import (
	"errors"
	"fmt"
	"io"

	"blskernel/internal/vfs"
)

// spoolPiece is how much is copied between two looks at the context.
const spoolPiece = 1 << 20

// What gzip may unpack to on the disk: spoolFree bytes, and beyond them spoolRatio bytes for each packed one. Deflate packs
// zeros to a thousandth, so that without a bound a megabyte that somebody has sent fills a gigabyte of disk. A file that
// is unpacked by hand is bounded by nothing but its own size.
const (
	spoolFree  = 1 << 26
	spoolRatio = 16
)

// A scratch is a temporary file that is gone when it is closed, and where the operating system removes
// opened files, as those of Unix do, also when the program is killed.
type scratch struct {
	fs   vfs.FS
	file vfs.File
	name string // empty once it has been removed
}

func newScratch(fsys vfs.FS) (*scratch, error) {
	file, err := fsys.CreateTemp("", "blskernel-*.npz")
	if err != nil {
		return nil, err
	}
	s := &scratch{fs: fsys, file: file}
	if fsys.Remove(file.Name()) != nil {
		s.name = file.Name() // where it is still opened, and removed by close
	}
	return s, nil
}

func (s *scratch) close() error {
	err := s.file.Close()
	if s.name != "" {
		err = errors.Join(err, s.fs.Remove(s.name))
	}
	return err
}

// spool copies the content to a temporary file, unless it is a plain file already, so that it can be
// read in any order. The room on the disk is the only bound of what comes through a pipe as it is; what gzip unpacks to is
// bounded by what it was packed to.
func (in *input) spool() error {
	if in.random != nil {
		return nil
	}
	fault := func(err error) error {
		return &Error{Path: in.path, What: "an .npz that is packed, or comes through a pipe, is copied to a temporary file, which cannot be written: make room, or name another folder in TMPDIR (Windows: TMP)", Err: err}
	}
	s, err := newScratch(vfs.Or(in.fs))
	if err != nil {
		return fault(err)
	}
	in.copied = s
	in.release()
	piece := make([]byte, spoolPiece)
	size := int64(0)
	for {
		if in.ctx.Err() != nil {
			return canceled(in.ctx)
		}
		n, err := in.r.Read(piece)
		if _, err := s.file.Write(piece[:n]); err != nil {
			return fault(err)
		}
		size += int64(n)
		if in.packed && size > spoolFree+spoolRatio*in.position() {
			return &Error{Path: in.path, What: fmt.Sprintf("unpacks to more than %d times its size, and more than %d MiB, which would be copied to a temporary file: unpack it yourself, by gunzip, if it is to be so large", spoolRatio, spoolFree>>20)}
		}
		if err == io.EOF {
			in.random, in.size = s.file, size
			return nil
		}
		if err != nil {
			return readFault(in.ctx, in.path, err)
		}
	}
}
