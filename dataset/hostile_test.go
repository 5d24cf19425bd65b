package dataset

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"blskernel/internal/testutil/faults"
)

// TestHostileFiles gives every reader of files what somebody may have sent who means no good.
// TestReadIDXMalformed and TestReadNORBMalformed have each field of a header.
func TestHostileFiles(t *testing.T) {
	bomb := gzipped(idx(make([]byte, 1<<22), 1<<12, 32, 32))
	for _, test := range []struct {
		name string
		data []byte
		says map[string]string // by reader, what its error says; for those that are not there any will do
	}{
		{"empty", nil, map[string]string{"idx images": "0 of 16", "matrix of bytes": "0 of at least 20"}},
		{"zeros", make([]byte, 100), map[string]string{"idx images": "magic", "matrix of bytes": "magic"}},
		{"a gigabyte of images in 100 bytes", idx(make([]byte, 84), MaxIDXBytes/1024, 32, 32), map[string]string{"idx images": "truncated: 84 of 1073741824"}},
		{"a gigabyte of bytes in 100", matrixOf(magicByte, make([]byte, 80), MaxMatrixBytes), map[string]string{"matrix of bytes": "truncated: 80 of 1073741824"}},
		{"a product that is 0 in 64 bits", idx(nil, 1<<31, 1<<31, 1<<31), map[string]string{"idx images": "at most"}},
		{"dimensions whose product overflows", matrixOf(magicByte, nil, 1<<32-1, 1<<32-1, 1<<32-1, 1<<32-1), map[string]string{"matrix of bytes": "at most"}},
		{"negative dimensions", matrixOf(magicInt, nil, 1<<31, 1<<31), map[string]string{"matrix of integers": "at most"}},
		{"2^31 dimensions", matrixFile(magicByte, 1<<31, make([]uint32, 8), nil), map[string]string{"matrix of bytes": "2147483648 dimensions"}},
		{"a page of HTML", []byte("<!DOCTYPE html><html>"), map[string]string{"idx labels": "not an idx file", "matrix of integers": "not a binary matrix"}},
		{"a mark of UTF-8", append([]byte("\xef\xbb\xbf"), idx([]byte{1}, 1)...), map[string]string{"idx labels": "not an idx file"}},
		{"as transferred as text", bytes.ReplaceAll(idx([]byte("\n\n"), 2), []byte("\n"), []byte("\r\n")), map[string]string{"idx labels": "goes on"}},
		{"gzip without content", gzipped(nil), map[string]string{"idx images": "0 of 16"}},
		{"gzip in gzip", gzipped(gzipped(idx([]byte{1}, 1))), map[string]string{"idx labels": "not an idx file"}},
		{"gzip that is cut off", gzipped(idx([]byte{1}, 1))[:20], map[string]string{"idx labels": ""}},
		{"gzip of zeros that goes on", gzipped(append(idx([]byte{1}, 1), make([]byte, 1<<22)...)), map[string]string{"idx labels": "goes on"}},
		{"gzip that unpacks to more than it says", append(bytes.Clone(bomb), bomb...), map[string]string{"idx images": "goes on"}},
	} {
		for name, read := range map[string]func(io.Reader) error{
			"idx images":         func(r io.Reader) error { _, err := ReadIDXImages(r); return err },
			"idx labels":         func(r io.Reader) error { _, err := ReadIDXLabels(r); return err },
			"matrix of bytes":    func(r io.Reader) error { _, _, err := ReadMatrixBytes(r); return err },
			"matrix of integers": func(r io.Reader) error { _, _, err := ReadMatrixInts(r); return err },
			"NORB images":        func(r io.Reader) error { _, err := ReadNORBImages(r); return err },
			"NORB labels":        func(r io.Reader) error { _, err := ReadNORBLabels(r); return err },
			"NORB info":          func(r io.Reader) error { _, err := ReadNORBInfo(r); return err },
		} {
			checkFile(t, test.data, func(r io.Reader) error {
				err := read(r)
				if err == nil || !strings.Contains(err.Error(), test.says[name]) {
					t.Errorf("%s, %s: error %v, want %q", test.name, name, err, test.says[name])
				}
				return err
			})
		}
	}
}

// TestPackedZeros says what gzip can make a reader hold: what it unpacks to, of which the bound is
// MaxIDXBytes.
func TestPackedZeros(t *testing.T) {
	const side, n = 32, 1 << 12
	body := make([]byte, n*side*side)
	z := gzipped(idx(body, n, side, side))
	if len(z) > len(body)/500 {
		t.Fatalf("%d bytes", len(z))
	}
	faults.Bounded(t, len(body), 4, 4*firstChunk, func() {
		if s, err := ReadIDXImages(bytes.NewReader(z)); err != nil || s.Len() != n {
			t.Errorf("%v", err)
		}
	})
	// One image more than the header says is found when it comes, and what follows is not unpacked.
	more := gzipped(idx(body, 1, side, side))
	faults.Bounded(t, side*side, 4, 4*firstChunk, func() {
		var format *FormatError
		if _, err := ReadIDXImages(bytes.NewReader(more)); !errors.As(err, &format) || format.Offset != 16+side*side {
			t.Errorf("%v", err)
		}
	})
}

// TestHostileFolders has in the place of files what is none.
func TestHostileFolders(t *testing.T) {
	good := idx([]byte{1}, 1)
	name := mnistFiles[1]
	for _, test := range []struct {
		what string
		make func(path string) error
		says string // nothing where it is a file
	}{
		{"a file", func(path string) error { return os.WriteFile(path, good, 0o666) }, ""},
		{"a folder", func(path string) error { return os.Mkdir(path, 0o777) }, "a folder"},
		{"a link to itself", func(path string) error { return os.Symlink(filepath.Base(path), path) }, "too many"},
		{"a link to nothing", func(path string) error { return os.Symlink("nothing", path) }, "lacks"},
		{"a device", func(path string) error { return os.Symlink(os.DevNull, path) }, "not a regular file"},
	} {
		dir := t.TempDir()
		for _, other := range mnistFiles {
			if other == name {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, other), good, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if err := test.make(filepath.Join(dir, name)); err != nil {
			if runtime.GOOS == "windows" {
				continue // where links need a permission
			}
			t.Fatal(err)
		}
		paths, err := findSet(dir, mnistFiles[:])
		if test.says == "" && err != nil || test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says)) {
			t.Errorf("%s: %v, %v", test.what, paths, err)
		}
	}
}
