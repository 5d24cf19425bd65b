package dataset

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// smallFiles are a training set of 4 and a test set of 2 images of 2×3 pixels, by the four names.
func smallFiles() map[string][]byte {
	return map[string][]byte{
		mnistFiles[0]: idx(counted(24), 4, 2, 3),
		mnistFiles[1]: idx([]byte{0, 1, 2, 3}, 4),
		mnistFiles[2]: idx(counted(12), 2, 2, 3),
		mnistFiles[3]: idx([]byte{7, 0}, 2),
	}
}

func writeFiles(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLoadMNISTSpellings(t *testing.T) {
	dot := func(s string) string { return strings.Replace(s, "-idx", ".idx", 1) }
	gz := func(s string) string { return s + ".gz" }
	same := func(s string) string { return s }
	plain := func(b []byte) []byte { return b }
	for _, test := range []struct {
		name string
		file func(string) string
		pack func([]byte) []byte
	}{
		{"plain", same, plain},
		{"gzip", gz, gzipped},
		{"dot", dot, plain},
		{"dot, gzip", func(s string) string { return gz(dot(s)) }, gzipped},
		{"plain under .gz", gz, plain},
		{"gzip without .gz", same, gzipped},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "small")
			if err := os.Mkdir(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			for name, data := range smallFiles() {
				writeFiles(t, dir, map[string][]byte{test.file(name): test.pack(data)})
			}
			train, tests, err := LoadMNIST(dir)
			if err != nil {
				t.Fatal(err)
			}
			if train.Len() != 4 || tests.Len() != 2 || train.Rows != 2 || tests.Cols != 3 ||
				!bytes.Equal(train.Pixels, counted(24)) || !bytes.Equal(tests.Pixels, counted(12)) ||
				!bytes.Equal(train.Labels, []byte{0, 1, 2, 3}) || !bytes.Equal(tests.Labels, []byte{7, 0}) {
				t.Errorf("other sets: %+v, %+v", train, tests)
			}
			if train.Classes != 8 || tests.Classes != 8 {
				t.Errorf("%d and %d classes, want 8", train.Classes, tests.Classes)
			}
			if train.Name != "small (train)" || tests.Name != "small (test)" || train.Synthetic || tests.Synthetic {
				t.Errorf("names %q, %q", train.Name, tests.Name)
			}
		})
	}
}

// TestLoadMNISTUnpackedInFolder has, as some archives do, a folder of the plain name beside the file
// of the dotted one.
func TestLoadMNISTUnpackedInFolder(t *testing.T) {
	dir := t.TempDir()
	for name, data := range smallFiles() {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
		writeFiles(t, dir, map[string][]byte{strings.Replace(name, "-idx", ".idx", 1): data})
	}
	if _, _, err := LoadMNIST(dir); err != nil {
		t.Error(err)
	}
}

func TestLoadMNISTFaults(t *testing.T) {
	for _, test := range []struct {
		name   string
		file   int // the file to replace, which must be the one blamed
		data   []byte
		offset int64
		says   string
	}{
		{"truncated", 0, idx(counted(23), 4, 2, 3), 39, "23 of 24"},
		{"trailing bytes", 2, idx(counted(13), 2, 2, 3), 28, "goes on"},
		{"gzip cut", 3, gzipped(idx([]byte{7, 0}, 2))[:20], 9, "1 of 2"},
		{"not gzip after all", 0, []byte{0x1f, 0x8b, 7, 0, 0, 0, 0, 0, 0, 0}, 0, "corrupted gzip"},
		{"label above 9", 1, idx([]byte{0, 1, 10, 3}, 4), 10, "label 10 of sample 2"},
		{"fewer labels", 1, idx([]byte{0, 1, 2}, 3), 4, "3 labels"},
		{"more labels", 3, idx([]byte{0, 1, 2}, 3), 4, "has 2 images"},
		{"turned images", 2, idx(counted(12), 2, 3, 2), 8, "3×2"},
		{"other rows", 2, idx(counted(6), 2, 1, 3), 8, "1×3"},
		{"other columns", 2, idx(counted(16), 2, 2, 4), 8, "2×4"},
		{"empty file", 1, nil, 0, "0 of 8"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			files := smallFiles()
			files[mnistFiles[test.file]] = test.data
			writeFiles(t, dir, files)
			train, tests, err := LoadMNIST(dir)
			if train != nil || tests != nil {
				t.Error("sets beside an error")
			}
			var f *FormatError
			if !errors.As(err, &f) || !errors.Is(err, ErrFormat) {
				t.Fatalf("error %v, want a FormatError", err)
			}
			if f.File != filepath.Join(dir, mnistFiles[test.file]) || f.Offset != test.offset || !strings.Contains(f.Msg, test.says) {
				t.Errorf("error %q, want offset %d of %s and %q", err, test.offset, mnistFiles[test.file], test.says)
			}
			if strings.Count(err.Error(), "dataset:") != 1 || !strings.Contains(err.Error(), f.File) {
				t.Errorf("error reads %q", err)
			}
		})
	}
}

func TestLoadMNISTMissing(t *testing.T) {
	dir := t.TempDir()
	absent := filepath.Join(dir, "absent")
	_, _, err := LoadMNIST(absent)
	var m *MissingError
	if !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &m) || m.Dir != absent || m.Missing != nil {
		t.Errorf("no folder: error %v", err)
	}
	for _, part := range append([]string{absent, "does not exist"}, mnistFiles[:]...) {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
	files := smallFiles()
	delete(files, mnistFiles[1])
	delete(files, mnistFiles[2])
	writeFiles(t, dir, files)
	_, _, err = LoadMNIST(dir)
	if !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &m) || len(m.Missing) != 2 ||
		!strings.Contains(err.Error(), "lacks "+mnistFiles[1]+", "+mnistFiles[2]+";") {
		t.Errorf("two files missing: error %v", err)
	}

	var f *FormatError
	file := filepath.Join(dir, mnistFiles[0])
	if _, _, err = LoadMNIST(file); !errors.As(err, &f) || f.File != file || f.Offset != -1 {
		t.Errorf("a file for the folder: error %v", err)
	}
	writeFiles(t, dir, smallFiles())
	folder := filepath.Join(dir, mnistFiles[3])
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, _, err = LoadMNIST(dir); !errors.As(err, &f) || f.File != folder || !strings.Contains(f.Msg, "folder") {
		t.Errorf("a folder for a file: error %v", err)
	}
}

// TestLoadMNISTSystemError has the operating system refuse a path that cannot be: the error is its
// own.
func TestLoadMNISTSystemError(t *testing.T) {
	_, _, err := LoadMNIST("a\x00b")
	var p *fs.PathError
	if !errors.As(err, &p) || errors.Is(err, ErrFormat) || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want a PathError", err)
	}
}
