package dataset

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// norbSet are a training set of 3 and a test set of 2 image pairs, by their six names.
func norbSet() map[string][]byte {
	train, _ := pairs(3)
	test, _ := pairs(2)
	return map[string][]byte{
		norbFiles[0]:     train,
		norbFiles[1]:     matrixOf(magicInt, int32s(0, 1, 2), 3),
		norbFiles[2]:     test,
		norbFiles[3]:     matrixOf(magicInt, int32s(3, 0), 2),
		norbInfoFiles[0]: matrixOf(magicInt, int32s(4, 0, 0, 0, 6, 1, 2, 1, 9, 8, 34, 5), 3, 4),
		norbInfoFiles[1]: matrixOf(magicInt, int32s(0, 0, 0, 0, 5, 8, 32, 5), 2, 4),
	}
}

func TestLoadNORB(t *testing.T) {
	for _, test := range []struct {
		name string
		file func(string) string
		pack func([]byte) []byte
		info bool
	}{
		{"plain", func(s string) string { return s }, func(b []byte) []byte { return b }, true},
		{"gzip", func(s string) string { return s + ".gz" }, gzipped, true},
		{"gzip without .gz", func(s string) string { return s }, gzipped, true},
		{"without info files", func(s string) string { return s }, func(b []byte) []byte { return b }, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "toys")
			if err := os.Mkdir(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			for name, data := range norbSet() {
				if test.info || !slices.Contains(norbInfoFiles, name) {
					writeFiles(t, dir, map[string][]byte{test.file(name): test.pack(data)})
				}
			}
			train, tests, err := LoadNORB(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range []struct {
				got    *Images
				n      int
				labels []byte
				name   string
			}{{train, 3, []byte{0, 1, 2}, "toys (train)"}, {tests, 2, []byte{3, 0}, "toys (test)"}} {
				file, _ := pairs(s.n)
				want, err := ReadNORBImages(bytes.NewReader(file))
				if err != nil {
					t.Fatal(err)
				}
				if s.got.Name != s.name || s.got.Classes != 5 || s.got.Rows != 64 || s.got.Cols != 32 || s.got.Synthetic ||
					!bytes.Equal(s.got.Pixels, want.Pixels) || !bytes.Equal(s.got.Labels, s.labels) {
					t.Errorf("%s: %d images of %d×%d in %d classes, labels %v, or other pixels", s.got.Name, s.got.Len(), s.got.Rows, s.got.Cols, s.got.Classes, s.got.Labels)
				}
			}
			a, b, err := LoadNORBInfo(dir)
			if !test.info {
				var m *MissingError
				if !errors.As(err, &m) || !slices.Equal(m.Missing, norbInfoFiles) || !slices.Equal(m.Expected, norbInfoFiles) {
					t.Errorf("info files that are not there: error %v", err)
				}
				return
			}
			if err != nil || !slices.Equal(a, []NORBView{{4, 0, 0, 0}, {6, 1, 2, 1}, {9, 8, 34, 5}}) || !slices.Equal(b, []NORBView{{0, 0, 0, 0}, {5, 8, 32, 5}}) {
				t.Errorf("views %v and %v, error %v", a, b, err)
			}
		})
	}
}

func TestLoadNORBFaults(t *testing.T) {
	two, _ := pairs(2)
	for _, test := range []struct {
		name   string
		file   string // the file to replace, which must be the one blamed
		data   []byte
		offset int64
		says   string
	}{
		{"truncated", norbFiles[0], two[:len(two)-7], int64(len(two) - 7), "truncated"},
		{"gzip cut", norbFiles[2], gzipped(two)[:1000], -2, "truncated"},
		{"category", norbFiles[1], matrixOf(magicInt, int32s(0, 1, 7), 3), 28, "category 7 of sample 2"},
		{"fewer categories", norbFiles[3], matrixOf(magicInt, int32s(0), 1), 8, "2 samples, but"},
		{"fewer images", norbFiles[0], two, 8, "3 categories, but"},
		{"views of another number", norbInfoFiles[1], matrixOf(magicInt, int32s(0, 0, 0, 0), 1, 4), 8, "1 samples, but"},
		{"view", norbInfoFiles[0], matrixOf(magicInt, int32s(0, 0, 1, 0), 1, 4), 28, "azimuth 1"},
		{"empty file", norbFiles[1], nil, 0, "0 of at least 20"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			files := norbSet()
			files[test.file] = test.data
			writeFiles(t, dir, files)
			train, tests, err := LoadNORB(dir)
			var f *FormatError
			if train != nil || tests != nil || !errors.As(err, &f) || !errors.Is(err, ErrFormat) {
				t.Fatalf("error %v, want a FormatError and no sets", err)
			}
			// Of two files that do not fit each other either may be blamed; the message has
			// both.
			if test.offset != -2 && f.Offset != test.offset || !strings.Contains(err.Error(), test.says) ||
				!strings.Contains(err.Error(), filepath.Join(dir, test.file)) || strings.Count(err.Error(), "dataset:") != 1 {
				t.Errorf("error %q, want offset %d of %s and %q", err, test.offset, test.file, test.says)
			}
		})
	}
}

func TestLoadNORBMissing(t *testing.T) {
	dir := t.TempDir()
	var m *MissingError
	_, _, err := LoadNORB(filepath.Join(dir, "absent"))
	if !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &m) || m.Missing != nil || !slices.Equal(m.Expected, norbFiles) {
		t.Errorf("no folder: error %v", err)
	}
	for _, part := range append([]string{"absent", "does not exist"}, norbFiles...) {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
	if strings.Contains(err.Error(), "idx") || strings.Contains(err.Error(), "info") {
		t.Errorf("error %q names files that are not needed", err)
	}
	files := norbSet()
	delete(files, norbFiles[1])
	delete(files, norbFiles[2])
	writeFiles(t, dir, files)
	_, _, err = LoadNORB(dir)
	if !errors.As(err, &m) || !slices.Equal(m.Missing, norbFiles[1:3]) || !strings.Contains(err.Error(), "lacks "+norbFiles[1]+", "+norbFiles[2]+";") {
		t.Errorf("two files missing: error %v", err)
	}
	var f *FormatError
	writeFiles(t, dir, norbSet())
	folder := filepath.Join(dir, norbInfoFiles[0])
	if err := errors.Join(os.Remove(folder), os.Mkdir(folder, 0o777)); err != nil {
		t.Fatal(err)
	}
	if _, _, err = LoadNORB(dir); !errors.As(err, &f) || f.File != folder || !strings.Contains(f.Msg, "folder") {
		t.Errorf("a folder for an info file: error %v", err)
	}
	if _, _, err = LoadNORB(filepath.Join(dir, norbFiles[0])); !errors.As(err, &f) || f.Offset != -1 {
		t.Errorf("a file for the folder: error %v", err)
	}
}

// TestLoadNORBReal reads the real files in the folder named by BLSKERNEL_NORB. They are too large to
// lie in a known place by themselves.
func TestLoadNORBReal(t *testing.T) {
	dir := os.Getenv("BLSKERNEL_NORB")
	if dir == "" {
		t.Skip("no small NORB files: BLSKERNEL_NORB is not set")
	}
	train, test, err := LoadNORB(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Images{train, test} {
		if s.Len() != 24300 || s.Features() != 2048 {
			t.Errorf("%s: %d images of %d pixels", s.Name, s.Len(), s.Features())
		}
		for i, v := range s.Labels {
			if int(v) != i%5 {
				t.Fatalf("%s: category %d of sample %d", s.Name, v, i)
			}
		}
	}
}
