package catalog

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"blskernel/dataset"
)

// ErrContent is what every [ContentError] matches: errors.Is(err, ErrContent).
var ErrContent = errors.New("catalog: wrong content")

// A ContentError says that a file has not the content that the catalog gives.
type ContentError struct {
	File string // the plain name in the catalog
	Path string // of the file; empty where the content came from a reader
	Msg  string // what is wrong and what was expected
	Err  error  // the cause reported by the decompressor; nil where there is none
}

// Error returns path, message and cause in one line.
func (e *ContentError) Error() string {
	name := e.Path
	if name == "" {
		name = e.File
	}
	s := "catalog: " + name + ": " + e.Msg
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Is reports whether target is ErrContent.
func (e *ContentError) Is(target error) bool { return target == ErrContent }

// Unwrap returns the cause, which may be nil.
func (e *ContentError) Unwrap() error { return e.Err }

// Evidence says by what the content of the file is known to be right: "SHA-256", "MD5", or "header and
// size" where no checksum is known.
func (f File) Evidence() string {
	switch {
	case f.SHA256 != "":
		return "SHA-256"
	case f.MD5 != "":
		return "MD5"
	}
	return "header and size"
}

// A Status is what was found of a file in a folder.
type Status struct {
	File File
	Path string // where it is; empty where it is not there
	Part int64  // bytes of a download of it that was cut off
	Err  error  // nil where the content is right; fs.ErrNotExist where the file is not there; else what is wrong
}

// Missing tells whether the file is not there.
func (s Status) Missing() bool { return errors.Is(s.Err, fs.ErrNotExist) }

// Verify looks for the files of the set in dir, as the loaders do, and checks their content. It calls told, if that
// is not nil, before each file and with each so many of its bytes that have been read.
//
//	errors: none for what is wrong with the files, which the results say; why ctx was cancelled.
func (s Set) Verify(ctx context.Context, dir string, told func(f File, done int64)) ([]Status, error) {
	var all []Status
	for _, f := range s.Files {
		status := Status{File: f}
		if info, err := os.Stat(partPath(dir, f)); err == nil && info.Mode().IsRegular() {
			status.Part = info.Size()
		}
		status.Path, status.Err = dataset.FindFile(dir, f.Name)
		if status.Err == nil {
			status.Err = f.CheckFile(ctx, status.Path, told)
		}
		if ctx.Err() != nil {
			return all, context.Cause(ctx)
		}
		all = append(all, status)
	}
	return all, nil
}

// CheckFile is [File.Check] of the file at path, which told, if it is not nil, is told about.
//
//	errors: those of Check; those of the operating system, wrapped.
func (f File) CheckFile(ctx context.Context, path string, told func(f File, done int64)) error {
	r, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("catalog: %w", err)
	}
	defer r.Close()
	err = f.check(ctx, r, told)
	var content *ContentError
	if errors.As(err, &content) {
		content.Path = path
	}
	return err
}

// Check reads r, plain or gzip, and returns nil if its content is that of the file by [File.Evidence].
//
// It reads at most f.Size + 1 unpacked bytes and keeps none of them.
//
//	errors: *ContentError (errors.Is ErrContent); why ctx was cancelled; r's own, wrapped.
func (f File) Check(ctx context.Context, r io.Reader) error { return f.check(ctx, r, nil) }

func (f File) check(ctx context.Context, r io.Reader, told func(f File, done int64)) error {
	content, err := unpacked(&contextReader{ctx, r})
	if err != nil {
		return f.fault(err, 0)
	}
	sum, want := f.sum()
	begin := make([]byte, len(f.Header))
	buf := make([]byte, 1<<16)
	if told != nil {
		told(f, 0)
	}
	for done := int64(0); ; {
		n, err := content.Read(buf[:min(int64(len(buf)), f.Size+1-done)])
		copy(begin[min(done, int64(len(begin))):], buf[:n])
		_, _ = sum.Write(buf[:n]) // a hash does not fail
		done += int64(n)
		if done >= int64(len(begin)) && !bytes.Equal(begin, f.Header) {
			return &ContentError{File: f.Name, Msg: fmt.Sprintf("begins with % x; want % x", begin, f.Header)}
		}
		if done > f.Size {
			return &ContentError{File: f.Name, Msg: fmt.Sprintf("has more than the %d bytes that it should have, unpacked", f.Size)}
		}
		if told != nil && n > 0 {
			told(f, done)
		}
		switch {
		case err == io.EOF && done < f.Size:
			return &ContentError{File: f.Name, Msg: fmt.Sprintf("has %d bytes, unpacked; want %d", done, f.Size)}
		case err == io.EOF:
			if got := hex.EncodeToString(sum.Sum(nil)); got != want && want != "" {
				return &ContentError{File: f.Name, Msg: fmt.Sprintf("%s is %s; want %s", f.Evidence(), got, want)}
			}
			return nil
		case err != nil:
			return f.fault(err, done)
		}
	}
}

// sum returns the hash by which the content is checked and what it must give, anything where that is empty.
func (f File) sum() (hash.Hash, string) {
	if f.SHA256 == "" && f.MD5 != "" {
		return md5.New(), f.MD5 // against accidents; nothing better is known of these files
	}
	return sha256.New(), f.SHA256
}

// fault makes the error for a read that failed after done unpacked bytes.
func (f File) fault(err error, done int64) error {
	var corrupt flate.CorruptInputError
	if err == io.ErrUnexpectedEOF || err == io.EOF || errors.As(err, &corrupt) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) {
		return &ContentError{File: f.Name, Msg: fmt.Sprintf("damaged gzip data after %d unpacked bytes", done), Err: err}
	}
	return fmt.Errorf("catalog: %s: %w", f.Name, err)
}

// unpacked returns the content of r: r itself or, where it begins as gzip, what it unpacks to.
func unpacked(r io.Reader) (io.Reader, error) {
	br := bufio.NewReaderSize(r, 1<<16)
	// An error of Peek is met again by the first read.
	if head, _ := br.Peek(2); !bytes.Equal(head, []byte{0x1f, 0x8b}) {
		return br, nil
	}
	return gzip.NewReader(br)
}

// A contextReader fails once its context is cancelled.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *contextReader) Read(p []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.r.Read(p)
}

// partPath is where an unfinished download of the file is kept.
func partPath(dir string, f File) string { return filepath.Join(dir, f.Name+".gz.part") }
