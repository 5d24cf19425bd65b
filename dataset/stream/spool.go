package stream

import (
	"errors"
	"io"

	"blskernel/internal/vfs"
)

// spoolPiece is how much is copied between two checks of the context.
const spoolPiece = 1 << 20

// A gzip may unpack to spoolFree bytes on the disk, and beyond them to spoolRatio bytes for each packed
// one. Deflate packs zeros to a thousandth: unbounded, a megabyte could fill a gigabyte of disk.
const (
	spoolFree  = 1 << 26
	spoolRatio = 16
)

// A tempFile is a temporary file that close removes. Where the operating system can remove an open
// file, as Unix can, it is gone after a kill too.
type tempFile struct {
	fs   vfs.FS
	file vfs.File
	name string // empty once the file is removed
}

func newTempFile(fsys vfs.FS) (*tempFile, error) {
	file, err := fsys.CreateTemp("", "blskernel-*.npz")
	if err != nil {
		return nil, err
	}
	s := &tempFile{fs: fsys, file: file}
	if fsys.Remove(file.Name()) != nil {
		s.name = file.Name() // it is still open; close removes it
	}
	return s, nil
}

func (s *tempFile) close() error {
	err := s.file.Close()
	if s.name != "" {
		err = errors.Join(err, s.fs.Remove(s.name))
	}
	return err
}

// spool copies the content to a temporary file unless it is a plain file already, so that it can be
// read in any order. The disk bounds a plain pipe; spoolFree and spoolRatio bound a gzip.
func (in *input) spool() error {
	if in.random != nil {
		return nil
	}
	fault := func(err error) error {
		return &Error{Path: in.path, Err: err, What: "an .npz that is packed, or comes through a pipe, " +
			"is copied to a temporary file, which cannot be written; make room, or name another folder in TMPDIR (Windows: TMP)"}
	}
	s, err := newTempFile(vfs.Or(in.fs))
	if err != nil {
		return fault(err)
	}
	in.copied = s
	in.raw.keep = false
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
			return faultf("unpacks to more than %d times its size, and more than %d MiB, on the disk; unpack it by gunzip first",
				spoolRatio, spoolFree>>20)
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
