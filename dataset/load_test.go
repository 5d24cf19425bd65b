package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faultfs"
)

// A loading is a data set, with a training and a test set of some images, in its own files.
type loading struct {
	format
	load                    func(dir string) (train, test *Images, err error)
	data                    [4][]byte
	trainLabels, testLabels []byte
	rows, cols, classes     int
}

func smallMNIST() loading {
	return loading{mnist, LoadMNIST, [4][]byte{idx(counted(24), 4, 2, 3), idx([]byte{0, 1, 2, 3}, 4), idx(counted(12), 2, 2, 3), idx([]byte{7, 0}, 2)},
		[]byte{0, 1, 2, 3}, []byte{7, 0}, 2, 3, 8}
}

func smallNORB() loading {
	train, _ := pairs(3)
	test, _ := pairs(2)
	return loading{norb, LoadNORB, [4][]byte{train, matrixOf(matrixInts, int32s(0, 1, 4), 3), test, matrixOf(matrixInts, int32s(3, 0), 2)},
		[]byte{0, 1, 4}, []byte{3, 0}, 64, 32, 5}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	testutil.NoError(t, os.WriteFile(path, data, 0o666))
}

// folder makes a folder of the files under their names.
func (l *loading) folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for i, name := range l.files {
		write(t, filepath.Join(dir, name), l.data[i])
	}
	return dir
}

func TestLoadSpellings(t *testing.T) {
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
		for name, set := range map[string]loading{"mnist": smallMNIST(), "norb": smallNORB()} {
			dir := filepath.Join(t.TempDir(), "small")
			testutil.NoError(t, os.Mkdir(dir, 0o777))
			for i, data := range set.data {
				write(t, filepath.Join(dir, test.file(set.files[i])), test.pack(data))
			}
			train, tests, err := set.load(dir)
			if err != nil {
				t.Fatalf("%s, %s: %v", name, test.name, err)
			}
			for _, s := range []*Images{train, tests} {
				if s.Rows != set.rows || s.Cols != set.cols || s.Classes != set.classes || s.Synthetic {
					t.Errorf("%s, %s: images of %d×%d in %d classes", name, test.name, s.Rows, s.Cols, s.Classes)
				}
			}
			if !bytes.Equal(train.Labels, set.trainLabels) || !bytes.Equal(tests.Labels, set.testLabels) ||
				train.Len() != len(train.Labels) || tests.Len() != len(tests.Labels) {
				t.Errorf("%s, %s: labels %v and %v", name, test.name, train.Labels, tests.Labels)
			}
			if name == "mnist" && !(bytes.Equal(train.Pixels, counted(24)) && bytes.Equal(tests.Pixels, counted(12))) {
				t.Errorf("%s: other pixels", test.name)
			}
			if train.Name != "small (train)" || tests.Name != "small (test)" {
				t.Errorf("names %q, %q", train.Name, tests.Name)
			}
		}
	}
}

func TestLoadFaults(t *testing.T) {
	two, _ := pairs(2)
	for _, test := range []struct {
		name   string
		norb   bool
		file   int // the file to replace, which must be the one blamed
		data   []byte
		offset int64
		says   string
	}{
		{"truncated", false, 0, idx(counted(23), 4, 2, 3), 39, "23 of 24"},
		{"not gzip after all", false, 0, []byte{0x1f, 0x8b, 7, 0, 0, 0, 0, 0, 0, 0}, 0, "corrupted gzip"},
		{"label above 9", false, 1, idx([]byte{0, 1, 10, 3}, 4), 10, "label 10 of sample 2"},
		{"fewer labels", false, 1, idx([]byte{0, 1, 2}, 3), -1, "3 labels, but"},
		{"more labels", false, 3, idx([]byte{0, 1, 2}, 3), -1, "has 2 images"},
		{"turned images", false, 2, idx(counted(12), 2, 3, 2), 8, "3×2"},
		{"other rows", false, 2, idx(counted(6), 2, 1, 3), 8, "1×3"},
		{"other columns", false, 2, idx(counted(16), 2, 2, 4), 8, "2×4"},
		{"truncated", true, 0, two[:len(two)-7], int64(len(two) - 7), "truncated"},
		{"category", true, 1, matrixOf(matrixInts, int32s(0, 1, 7), 3), 28, "category 7 of sample 2"},
		{"fewer categories", true, 3, matrixOf(matrixInts, int32s(0), 1), -1, "1 labels, but"},
	} {
		set := smallMNIST()
		if test.norb {
			set = smallNORB()
		}
		set.data[test.file] = test.data
		dir := set.folder(t)
		train, tests, err := set.load(dir)
		var fault *FormatError
		if train != nil || tests != nil || !errors.As(err, &fault) {
			t.Errorf("%s: error %v, want a FormatError and no sets", test.name, err)
			continue
		}
		if fault.File != filepath.Join(dir, set.files[test.file]) || fault.Offset != test.offset || !strings.Contains(fault.Msg, test.says) {
			t.Errorf("error %q, want offset %d of %s and %q", err, test.offset, set.files[test.file], test.says)
		}
		if strings.Count(err.Error(), "dataset:") != 1 || !strings.Contains(err.Error(), fault.File) {
			t.Errorf("error reads %q", err)
		}
	}
}

func TestLoadMissing(t *testing.T) {
	set := smallMNIST()
	dir := t.TempDir()
	absent := filepath.Join(dir, "absent")
	_, _, err := LoadMNIST(absent)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: error %v", err)
	}
	testutil.Contains(t, err.Error(), append([]string{absent}, mnist.files[:2]...)...)
	write(t, filepath.Join(dir, mnist.files[0]), set.data[0])
	write(t, filepath.Join(dir, mnist.files[3]), set.data[3])
	_, _, err = LoadMNIST(dir)
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "lacks "+mnist.files[1]+", "+mnist.files[2]+",") {
		t.Errorf("two files missing: error %v", err)
	}
	file := filepath.Join(dir, mnist.files[0])
	if _, _, err = LoadMNIST(file); !errors.As(err, new(*FormatError)) {
		t.Fatalf("a file for the folder: error %v", err)
	}
	testutil.Contains(t, err.Error(), file, "is a file; want the folder with "+mnist.files[0])
	// A path that the operating system refuses: the error is its own.
	_, _, err = LoadMNIST("a\x00b")
	var p *fs.PathError
	if !errors.As(err, &p) || errors.As(err, new(*FormatError)) || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want a PathError", err)
	}
}

// TestLoadReadFaults lets every Stat, Open and Read fail from the n-th on, for each n: the result is
// the error of the system, and no set.
func TestLoadReadFaults(t *testing.T) {
	set := smallMNIST()
	dir := set.folder(t)
	for n := 1; ; n++ { // the first Stat is of the folder, and leaves the fault to the next
		d := &faultfs.Disk{Ops: []faultfs.Op{faultfs.Stat, faultfs.Open, faultfs.Read}, Before: n, Times: faultfs.Always, Err: syscall.EIO}
		train, test, err := mnist.load(d.FS(), dir)
		if len(d.Failed()) == 0 {
			if err != nil || n <= 4*3 {
				t.Errorf("after %d operations: %v", n, err)
			}
			return
		}
		if !errors.Is(err, syscall.EIO) || errors.As(err, new(*FormatError)) || train != nil || test != nil {
			t.Errorf("%v fails: %v", d.Failed(), err)
		}
	}
}

// TestHostileFolders puts something else in the place of a file.
func TestHostileFolders(t *testing.T) {
	name := mnist.files[1]
	set := smallMNIST()
	for _, test := range []struct {
		what string
		make func(path string) error
		says string // empty if the file is found
	}{
		{"a file", func(path string) error { return os.WriteFile(path, set.data[1], 0o666) }, ""},
		{"a folder", func(path string) error { return os.Mkdir(path, 0o777) }, "a folder"},
		{"a link to itself", func(path string) error { return os.Symlink(filepath.Base(path), path) }, "too many"},
		{"a link to nothing", func(path string) error { return os.Symlink("nothing", path) }, "lacks"},
		{"a device", func(path string) error { return os.Symlink(os.DevNull, path) }, "a device"},
		// Some archives have a folder of the plain name next to the file of the dotted name.
		{"a folder beside the file", func(path string) error {
			dotted := strings.Replace(path, "-idx", ".idx", 1)
			return errors.Join(os.Mkdir(path, 0o777), os.WriteFile(dotted, set.data[1], 0o666))
		}, ""},
	} {
		dir := set.folder(t)
		path := filepath.Join(dir, name)
		testutil.NoError(t, os.Remove(path))
		if err := test.make(path); err != nil {
			if runtime.GOOS == "windows" {
				continue // a system where links need a permission
			}
			t.Fatal(err)
		}
		_, _, err := LoadMNIST(dir)
		if test.says == "" && err != nil || test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says)) {
			t.Errorf("%s: %v", test.what, err)
		}
	}
}

// realFolder returns the folder that an environment variable names, or the folder of data sets next to
// the repository. It skips the test if there is none. A missing named folder fails in the loader.
func realFolder(t *testing.T, variable, name string) string {
	if dir := os.Getenv(variable); dir != "" {
		return dir
	}
	dir := filepath.Join("..", "..", "shared", "data", name)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no data: %s is not set and %s is not there", variable, dir)
	}
	return dir
}

func TestLoadMNISTReal(t *testing.T) {
	testutil.NotUnderRace(t, "one goroutine reads the files")
	train, test, err := LoadMNIST(realFolder(t, "BLSKERNEL_MNIST", "mnist"))
	testutil.NoError(t, err)
	// The checksums are those of the unpacked files as distributed; the counts, of each label.
	for _, want := range []struct {
		set            *Images
		n              int
		counts         [10]int
		images, labels string
	}{
		{train, 60000, [10]int{5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949},
			"ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
			"65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
		{test, 10000, [10]int{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009},
			"0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
			"ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"},
	} {
		s := want.set
		if s.Len() != want.n || s.Rows != 28 || s.Cols != 28 || s.Classes != 10 || s.Synthetic {
			t.Fatalf("%s: %d images of %d×%d in %d classes", s.Name, s.Len(), s.Rows, s.Cols, s.Classes)
		}
		var counts [10]int
		for _, v := range s.LabelsInt(0, s.Len()) {
			counts[v]++
		}
		if counts != want.counts {
			t.Errorf("%s: %v of each label, want %v", s.Name, counts, want.counts)
		}
		if got := checksum(idx(nil, uint32(s.Len()), 28, 28), s.Pixels); got != want.images {
			t.Errorf("%s: images have SHA-256 %s, want %s", s.Name, got, want.images)
		}
		if got := checksum(idx(nil, uint32(s.Len())), s.Labels); got != want.labels {
			t.Errorf("%s: labels have SHA-256 %s, want %s", s.Name, got, want.labels)
		}
	}
}

// checksum returns the SHA-256 of the parts one after the other, in hexadecimal.
func checksum(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write(p) // a hash does not fail
	}
	return hex.EncodeToString(h.Sum(nil))
}

func TestLoadNORBReal(t *testing.T) {
	train, test, err := LoadNORB(realFolder(t, "BLSKERNEL_NORB", "norb"))
	testutil.NoError(t, err)
	for _, s := range []*Images{train, test} {
		if s.Len() != 24300 || s.Features() != 2048 || s.Classes != 5 {
			t.Errorf("%s: %d images of %d pixels", s.Name, s.Len(), s.Features())
		}
		for i, v := range s.Labels {
			if int(v) != i%5 {
				t.Fatalf("%s: category %d of sample %d", s.Name, v, i)
			}
		}
	}
}
