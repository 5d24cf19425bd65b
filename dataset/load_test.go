package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"blskernel/dataset/stream"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faultfs"
	"blskernel/internal/testutil/faults"
)

// idx returns an idx file of unsigned bytes.
func idx(body []byte, dims ...uint32) []byte { return testutil.IDX(8, body, dims...) }

// categories returns a cat file.
func categories(values ...int32) []byte {
	body, _ := binary.Append(nil, binary.LittleEndian, values) // an int32 has a size
	return testutil.BinaryMatrix(0x54, 1, body, uint32(len(values)), 1, 1)
}

// pairs returns a dat file of n random image pairs and its elements. Among the first blocks of 3×3
// pixels is one with each sum.
func pairs(n int) (file, body []byte) {
	rng := rand.New(rand.NewPCG(uint64(n), 96))
	body = make([]byte, n*2*96*96)
	for i := range body {
		body[i] = byte(rng.Uint32())
	}
	for sum := range min(9*255+1, n*2*32*32) {
		for j := range 9 {
			body[(3*(sum/32)+j/3)*96+3*(sum%32)+j%3] = byte(max(0, min(sum-255*j, 255)))
		}
	}
	return testutil.BinaryMatrix(0x55, 4, body, uint32(n), 2, 96, 96), body
}

var gzipped = testutil.Gzipped

// counted returns n bytes, no two neighbors of which are equal.
func counted(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i % 251)
	}
	return b
}

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
	return loading{norb, LoadNORB, [4][]byte{train, categories(0, 1, 4), test, categories(3, 0)},
		[]byte{0, 1, 4}, []byte{3, 0}, 64, 32, 5}
}

func (l *loading) folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for i, name := range l.files {
		testutil.WriteFile(t, filepath.Join(dir, name), l.data[i])
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
				testutil.WriteFile(t, filepath.Join(dir, test.file(set.files[i])), test.pack(data))
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
			if name == "norb" {
				checkReduced(t, train)
				checkReduced(t, tests)
			}
			if train.Name != "small (train)" || tests.Name != "small (test)" {
				t.Errorf("names %q, %q", train.Name, tests.Name)
			}
		}
	}
}

// checkReduced compares the pixels of s with the rounded means of the blocks of pairs.
func checkReduced(t *testing.T, s *Images) {
	t.Helper()
	_, body := pairs(s.Len())
	for at, got := range s.Pixels {
		i, v, row, col := at/(64*32), at/(32*32)%2, at/32%32, at%32
		mean := 0.0
		for a := range 3 {
			for b := range 3 {
				mean += float64(body[((i*2+v)*96+3*row+a)*96+3*col+b]) / 9
			}
		}
		if want := byte(math.Round(mean)); got != want {
			t.Fatalf("pixel (%d,%d) of view %d of pair %d is %d, mean %v", row, col, v, i, got, mean)
		}
	}
}

func TestLoadFaults(t *testing.T) {
	two, _ := pairs(2)
	for _, test := range []struct {
		name string
		norb bool
		file int // the file to replace, which must be the one blamed
		data []byte
		row  int64
		says string
	}{
		{"truncated", false, 0, idx(counted(23), 4, 2, 3), 0, "its header declares 24"},
		{"truncated, packed", false, 0, gzipped(idx(counted(23), 4, 2, 3)), 4, "the file is cut off"},
		{"a gigabyte in 124 bytes", false, 0, gzipped(idx(counted(84), 1<<20, 32, 32)), 1, "the file is cut off"},
		{"gzip cut off", false, 1, gzipped(idx([]byte{0, 1, 2, 3}, 4))[:20], 2, "cut off"},
		{"not gzip after all", false, 0, []byte{0x1f, 0x8b, 7, 0, 0, 0, 0, 0, 0, 0}, 0, "damaged"},
		{"text", false, 0, []byte("<!DOCTYPE html><html></html>"), 0, "neither an idx file"},
		{"labels for images", false, 0, idx([]byte{0, 1, 2, 3}, 4), 0, "has no images"},
		{"images for labels", false, 1, idx(counted(24), 4, 2, 3), 0, "6 target columns, but a sample has one label; give a file"},
		{"signed bytes", false, 0, append([]byte{0, 0, 9}, idx(counted(24), 4, 2, 3)[3:]...), 0, "has no images"},
		{"label above 9", false, 1, idx([]byte{0, 1, 10, 3}, 4), 3, "the label is 10; want 0 to 9"},
		{"fewer labels", false, 1, idx([]byte{0, 1, 2}, 3), 0, "has 3 targets, but"},
		{"more labels", false, 3, idx([]byte{0, 1, 2}, 3), 0, "has 2 samples"},
		{"turned images", false, 2, idx(counted(12), 2, 3, 2), 0, "3×2"},
		{"other rows", false, 2, idx(counted(6), 2, 1, 3), 0, "1×3"},
		{"other columns", false, 2, idx(counted(16), 2, 2, 4), 0, "2×4"},
		{"truncated", true, 0, two[:len(two)-7], 0, "its header declares 36864"},
		{"integers for images", true, 0, categories(0, 1, 4), 0, "has no images"},
		{"108×108", true, 0, testutil.BinaryMatrix(0x55, 4, make([]byte, 3*2*108*108), 3, 2, 108, 108), 0, "has the shape [3 2 108 108]"},
		{"category", true, 1, categories(0, 1, 7), 3, "the label is 7; want 0 to 4"},
		{"negative category", true, 1, categories(0, -1, 4), 2, "the label is -1"},
		{"large category", true, 1, categories(256, 0, 4), 1, "the label is 256"},
		{"fewer categories", true, 3, categories(0), 0, "has 1 target, but"},
		{"text for categories", true, 1, []byte("00\n+1\n04\n"), 0, "neither an idx file"},
	} {
		set := smallMNIST()
		if test.norb {
			set = smallNORB()
		}
		set.data[test.file] = test.data
		dir := set.folder(t)
		var train, tests *Images
		var err error
		faults.Bounded(t, len(slices.Concat(set.data[:]...)), 320, 8<<20, func() { train, tests, err = set.load(dir) })
		var fault *stream.Error
		if train != nil || tests != nil || !errors.As(err, &fault) {
			t.Errorf("%s: error %v, want a stream.Error and no sets", test.name, err)
			continue
		}
		if fault.Path != filepath.Join(dir, set.files[test.file]) || fault.Row != test.row || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: error %q, want row %d of %s and %q", test.name, err, test.row, set.files[test.file], test.says)
		}
	}
}

// TestLoadMemory loads a set of 16 MB, and refuses one of more than a gigabyte.
func TestLoadMemory(t *testing.T) {
	const n, many = 20000, 1<<16 + 1
	set := smallMNIST()
	set.data[0], set.data[1] = idx(counted(n*784), n, 28, 28), idx(make([]byte, n), n)
	set.data[2] = idx(counted(2*784), 2, 28, 28)
	dir := set.folder(t)
	var err error
	faults.Bounded(t, n*785, 5, 8<<20, func() { _, _, err = set.load(dir) })
	testutil.NoError(t, err)
	set.data[0], set.data[1] = gzipped(idx(counted(1<<14), many, 128, 128)), idx(make([]byte, many), many)
	if _, _, err = set.load(set.folder(t)); err == nil || !strings.Contains(err.Error(), "more than 1024 MiB of pixels") {
		t.Errorf("more than a gigabyte: error %v", err)
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
	testutil.Contains(t, err.Error(), append([]string{absent, "does not exist; give"}, mnist.files[:2]...)...)
	testutil.WriteFile(t, filepath.Join(dir, mnist.files[0]), set.data[0])
	testutil.WriteFile(t, filepath.Join(dir, mnist.files[3]), set.data[3])
	_, _, err = LoadMNIST(dir)
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "lacks "+mnist.files[1]+", "+mnist.files[2]+" (") {
		t.Errorf("two files missing: error %v", err)
	}
	file := filepath.Join(dir, mnist.files[0])
	if _, _, err = LoadMNIST(file); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("a file for the folder: error %v", err)
	}
	testutil.Contains(t, err.Error(), file, "is not a folder; give the folder that has "+mnist.files[0])
	// A path that the operating system refuses: the error is its own.
	if _, _, err = LoadMNIST("a\x00b"); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("error %v, want EINVAL", err)
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
		if !errors.Is(err, syscall.EIO) || train != nil || test != nil {
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
