package stream

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"blskernel/internal/testutil"
)

func TestRowsBytes(t *testing.T) {
	array := append(npyHeader(1, "|u1", false, 10, 2), "abcdefghijklmnopqrst"...)
	text := "x,y\n97,98\n99,100\n"
	npyPath, packed, csvPath := write(t, "x.npy", array), write(t, "x.npy.gz", zipped(array)), write(t, "x.csv", []byte(text))
	size := func(paths ...string) (n int64) {
		for _, path := range paths {
			info, err := os.Stat(path)
			testutil.NoError(t, err)
			n += info.Size()
		}
		return n
	}
	for _, test := range []struct {
		paths []string
		rows  int64
		have  int
	}{
		{[]string{npyPath}, 10, 10}, {[]string{packed, npyPath}, 20, 20}, {[]string{csvPath}, -1, 2}, {[]string{npyPath, csvPath, packed}, -1, 22},
	} {
		all := mustLoad(t, test.paths, Options{})
		for first := range test.have + 1 {
			r := mustOpen(t, test.paths, Options{})
			if r.Rows() != test.rows || r.Dim() != 2 {
				t.Errorf("%v: %d rows, dim %d", test.paths, r.Rows(), r.Dim())
			}
			if first > 0 {
				_, err := r.Next(first)
				testutil.NoError(t, err)
			}
			if first < test.have {
				b, err := r.Next(100)
				if err != nil || b.First != int64(first) || !slices.Equal(b.X.RawMatrix().Data, all.x[2*first:]) {
					t.Errorf("%v, after %d: %v, %v", test.paths, first, b, err)
				}
			}
			if _, err := r.Next(1); err != io.EOF {
				t.Errorf("%v, after %d: %v at the end", test.paths, first, err)
			}
			if done, total := r.Bytes(); done != total || total != size(test.paths...) {
				t.Errorf("%v: %d of %d bytes at the end, want %d", test.paths, done, total, size(test.paths...))
			}
		}
	}
}

func TestOpenFaults(t *testing.T) {
	path := write(t, "x.csv", []byte("1,2\n"))
	for _, test := range []struct {
		name  string
		paths []string
		opt   Options
		says  string
	}{
		{"nothing", nil, Options{}, "no source"},
		{"twice", []string{"-", "-"}, Options{}, "can be read once"},
		{"twice with targets", []string{"-"}, Options{TargetPath: "-"}, "can be read once"},
		{"targets of two", []string{path, path}, Options{TargetPath: path}, "2 sources"},
		{"comma", []string{path}, Options{Comma: '"'}, "cannot separate"},
		{"missing", []string{path, path + "x"}, Options{}, "cannot be opened"},
		{"missing targets", []string{path}, Options{TargetPath: path + "x"}, "cannot be opened"},
		{"folder of targets", []string{path}, Options{TargetPath: t.TempDir()}, "is a folder"},
	} {
		_, err := Open(t.Context(), test.paths, test.opt)
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.says)
		}
		if strings.HasPrefix(test.name, "missing") && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v is no fs.ErrNotExist", test.name, err)
		}
	}
	for name, want := range map[string]Format{"": FormatAuto, "AUTO": FormatAuto, "csv": CSV, "tsv": CSV, "npy": NPY, "npz": NPZ, "idx": IDX} {
		if got, err := ParseFormat(name); got != want || err != nil {
			t.Errorf("%q: %v, %v", name, got, err)
		}
	}
	if _, err := ParseFormat("xls"); err == nil || CSV.String() != "csv" {
		t.Error("names of formats")
	}
	for name, want := range map[string]Header{"": HeaderAuto, "Auto": HeaderAuto, "present": HeaderPresent, "absent": HeaderAbsent} {
		if got, err := ParseHeader(name); got != want || err != nil {
			t.Errorf("%q: %v, %v", name, got, err)
		}
	}
	if _, err := ParseHeader("yes"); err == nil || HeaderAbsent.String() != "absent" {
		t.Error("names of headers")
	}
	if got := Format(7).String() + Header(-1).String(); got != "Format(7)Header(-1)" {
		t.Error(got)
	}
}

func TestPackedFaults(t *testing.T) {
	text := []byte(strings.Repeat("0.123,2\n7,8\n", 3000))
	good := zipped(text)
	for _, cut := range []int{3, 9, 30, len(good) / 2, len(good) - 1} {
		_, err := load(t, []string{write(t, "x.csv.gz", good[:cut])}, Options{})
		wantFault(t, "cut", err, "x.csv.gz")
	}
	bad := slices.Clone(good)
	bad[len(bad)-8] ^= 1
	_, err := load(t, []string{write(t, "x.csv.gz", bad)}, Options{})
	wantFault(t, "checksum", err, "damaged")
	array := zipped(append(npyHeader(1, "|u1", false, 2, 2), 1, 2, 3, 4))
	array[len(array)-8] ^= 1
	_, err = load(t, []string{write(t, "x.npy.gz", array)}, Options{})
	wantFault(t, "checksum of an array", err, "damaged")

	// The targets of as many samples as there are, but with a wrong checksum, or more of them.
	x := write(t, "x.npy", append(npyHeader(1, "|u1", false, 2, 2), 1, 2, 3, 4))
	y := append(npyHeader(1, "|u1", false, 2), 1, 2)
	for name, data := range map[string][]byte{"y.npy.gz": y, "y.csv.gz": []byte("1\n2\n")} {
		bad := zipped(data)
		bad[len(bad)-8] ^= 1
		_, err = load(t, []string{x}, Options{TargetPath: write(t, name, bad)})
		wantFault(t, "checksum of targets", err, name+": the compressed data is damaged")
	}
	for name, data := range map[string][]byte{"y.npy.gz": zipped(append(y, 3)), "y.csv": []byte("1\n2\n3\n"), "y.csv.gz": zipped([]byte("1\n2\n3\n"))} {
		_, err = load(t, []string{x}, Options{TargetPath: write(t, name, data)})
		wantFault(t, "more targets", err, name+": goes on after the")
	}
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		archive := npz(t, member{"X.npy", append(npyHeader(1, "|u1", false, 2, 2), 1, 2, 3, 4), zip.Store}, member{"y.npy", y, method})
		entry := bytes.LastIndex(archive, []byte("PK\x01\x02"))
		archive[entry+16] ^= 1 // the checksum of the second entry
		path := write(t, "d.npz", archive)
		_, err = load(t, []string{path}, Options{Targets: []string{"y"}})
		wantFault(t, "checksum of the array of targets", err, "damaged")
		if got := mustLoad(t, []string{path}, Options{}); got.rows != 2 {
			t.Errorf("an array that is not read: %v", got)
		}
	}
}

// TestComma tries separators that numbers contain, and others.
func TestComma(t *testing.T) {
	path := write(t, "x.csv", []byte("1,2\n"))
	for _, comma := range "0.-+_eEx9é\"\r\n\ufffd" {
		if r, err := Open(t.Context(), []string{path}, Options{Comma: comma}); err == nil || !strings.Contains(err.Error(), "cannot separate") {
			t.Errorf("%q: %v, %v", comma, r, err)
		}
	}
	for _, comma := range ",;|\t:#/ §" {
		data := []byte("1" + string(comma) + "2\n")
		if got := mustLoad(t, []string{write(t, "x.csv", data)}, Options{Comma: comma}); !slices.Equal(got.x, []float64{1, 2}) {
			t.Errorf("%q: %v", comma, got)
		}
	}
}

func TestNextPanics(t *testing.T) {
	r := mustOpen(t, []string{write(t, "x.csv", []byte("1\n"))}, Options{})
	testutil.MustPanic(t, panicRows, func() { r.Next(0) })
	_, err := r.Next(1)
	testutil.NoError(t, err)
	testutil.MustPanic(t, panicSelect, func() { r.Select(Selection{}) })
	testutil.MustPanic(t, panicPeek, func() { r.Peek(1) })
}

// TestEmptySources checks that ErrEmpty matches sources without samples, and no others.
func TestEmptySources(t *testing.T) {
	none, some := npyHeader(1, "<f8", false, 0, 2), append(npyHeader(1, "<f8", false, 1), float64s(1)...)
	for _, test := range []struct {
		name  string
		x     []byte
		y     []byte // nil without a file of targets
		empty bool
	}{
		{"x.csv", nil, nil, true}, {"x.csv", []byte("\n\r\n"), nil, true}, {"x.csv.gz", zipped(nil), nil, true},
		{"x.csv.gz", zipped(nil)[:12], nil, false}, {"x.npy", none, nil, true}, {"x.npy.gz", zipped(none), nil, true},
		{"x.npy", append(slices.Clone(none), 1), nil, false}, {"x.npy.gz", zipped(append(slices.Clone(none), 1)), nil, false},
		{"x.npy.gz", zipped(none)[:len(zipped(none))-4], nil, false}, {"x.npy", npyHeader(1, "<f8", false, 3, 0), nil, false},
		{"x.idx", idxFile(8, nil, 0, 2), nil, true}, {"x.npy", none, npyHeader(1, "<f8", false, 0), true},
		{"x.npy", none, some, false}, {"x.npy", some, npyHeader(1, "<f8", false, 0), false},
	} {
		opt := Options{}
		if test.y != nil {
			opt.TargetPath = write(t, "y.npy", test.y)
		}
		_, err := Open(t.Context(), []string{write(t, test.name, test.x)}, opt)
		wantFault(t, test.name, err, "")
		if errors.Is(err, ErrEmpty) != test.empty {
			t.Errorf("%s of %d bytes, with targets %t: %v", test.name, len(test.x), test.y != nil, err)
		}
	}
}
