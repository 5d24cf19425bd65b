package stream

import (
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"blskernel/internal/testutil"
)

// TestRows opens several files, whose numbers of samples are known only for arrays. mustLoad compares
// Rows with the samples.
func TestRows(t *testing.T) {
	array, text := append(npyHeader(1, "|u1", false, 10, 2), "abcdefghijklmnopqrst"...), []byte("x,y\n97,98\n99,100\n")
	plain, packed, csv := write(t, "x.npy", array), write(t, "x.npy.gz", zipped(array)), write(t, "x.csv", text)
	for _, test := range []struct {
		paths []string
		rows  int64
		have  int
	}{
		{[]string{plain}, 10, 10}, {[]string{packed, plain}, 20, 20}, {[]string{csv}, -1, 2}, {[]string{plain, csv, packed}, -1, 22},
	} {
		r := mustOpen(t, test.paths, Options{})
		_, total := r.Bytes()
		if all := mustLoad(t, test.paths, Options{}); r.Rows() != test.rows || all.rows != test.have || total <= 0 {
			t.Errorf("%v: %d rows, %d samples, %d bytes", test.paths, r.Rows(), all.rows, total)
		}
	}
}

// TestOpenFaults tries contradictory options, and paths that lead to no file.
func TestOpenFaults(t *testing.T) {
	dir := t.TempDir()
	path, missing := write(t, "x.csv", []byte("1,2\n")), filepath.Join(dir, "missing")
	loop, nowhere := filepath.Join(dir, "loop.csv"), filepath.Join(dir, "nowhere.csv")
	if err := errors.Join(os.Symlink("loop.csv", loop), os.Symlink("nothing", nowhere)); err != nil && runtime.GOOS != "windows" {
		t.Fatal(err) // this system needs a permission for links
	}
	for _, test := range []struct {
		paths []string
		opt   Options
		says  string
	}{
		{nil, Options{}, "no source"},
		{[]string{"-", "-"}, Options{}, "can be read only once"},
		{[]string{"-"}, Options{TargetPath: "-"}, "can be read only once"},
		{[]string{path, path}, Options{TargetPath: path}, "2 sources"},
		{[]string{path}, Options{Comma: '"'}, "cannot separate"}, {[]string{path}, Options{Decimal: ' '}, "cannot be the decimal sign"},
		{[]string{path}, Options{Thousands: 'x'}, "cannot separate thousands"}, {[]string{path}, Options{Decimal: '.', Thousands: '.'}, "cannot separate thousands"},
		{[]string{path}, Options{Decimal: ',', Thousands: ','}, "cannot separate"}, {[]string{path}, Options{Decimal: '.', Thousands: '1'}, "cannot separate"},
		{[]string{path, missing}, Options{}, missing + ": cannot be opened"},
		{[]string{path}, Options{TargetPath: missing}, missing + ": cannot be opened"},
		{[]string{path}, Options{TargetPath: dir}, dir + ": is a folder"},
		{[]string{dir}, Options{}, "a folder must hold the files of MNIST"},
		{[]string{loop}, Options{}, loop + ": cannot be opened"}, {[]string{nowhere}, Options{}, nowhere + ": cannot be opened"},
		{[]string{filepath.Join(path, "x.csv")}, Options{}, "cannot be opened"},
		{[]string{dir + "/" + strings.Repeat("x", 1<<10)}, Options{}, "cannot be opened"},
		{[]string{dir + "/\x00"}, Options{}, "cannot be opened"},
	} {
		_, err := Open(t.Context(), test.paths, test.opt)
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%.200q: error %v, want %q", test.paths, err, test.says)
		}
		var fault *Error
		if place := strings.Contains(test.says, "cannot be opened") || strings.Contains(test.says, "folder"); errors.As(err, &fault) != place || place && fault.Path == "" {
			t.Errorf("%.200q: error %v, with a path: %v", test.paths, err, place)
		}
		if strings.HasPrefix(test.says, missing) && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v is no fs.ErrNotExist", err)
		}
	}
}

// TestNames also reads what is not the name of a constant. ExampleParseFormat has the other cases.
func TestNames(t *testing.T) {
	for name, want := range map[string]Format{"": FormatAuto, "AUTO": FormatAuto, "tsv": CSV, "TSV": CSV} {
		if got, err := ParseFormat(name); got != want || err != nil {
			t.Errorf("%q: %v, %v", name, got, err)
		}
	}
	if h, err := ParseHeader(""); h != HeaderAuto || err != nil {
		t.Error(h, err)
	}
}

// TestPackedFaults reads damaged and cut gzip, and archives with wrong checksums: of X, and of the
// targets, which may be as many as the samples or more.
func TestPackedFaults(t *testing.T) {
	spoiled := func(data []byte) []byte {
		z := zipped(data)
		z[len(z)-8] ^= 1 // its checksum
		return z
	}
	text := []byte(strings.Repeat("0.123,2\n7,8\n", 3000))
	array, y := append(npyHeader(1, "|u1", false, 2, 2), 1, 2, 3, 4), append(npyHeader(1, "|u1", false, 2), 1, 2)
	for _, whole := range [][]byte{text, array, nil, npyHeader(1, "|u1", false, 0, 2)} {
		z := zipped(whole)
		for _, cut := range []int{3, 9, len(z) / 2, len(z) - 1} {
			_, err := load(t, []string{write(t, "x.gz", z[:cut])}, Options{})
			if wantFault(t, "cut", err, "x.gz"); errors.Is(err, ErrEmpty) {
				t.Errorf("%d of %d bytes: %v", cut, len(z), err)
			}
		}
	}
	const damaged, more = ": the data is damaged", ": continues after the"
	for _, test := range []struct {
		name string
		x    []byte
		y    []byte // nil without
		says string
	}{
		{"x.csv.gz", spoiled(text), nil, "x.csv.gz" + damaged}, {"x.npy.gz", spoiled(array), nil, "x.npy.gz" + damaged},
		{"y.npy.gz", array, spoiled(y), "y.npy.gz" + damaged}, {"y.csv.gz", array, spoiled([]byte("1\n2\n")), "y.csv.gz" + damaged},
		{"y.npy.gz", array, zipped(append(y, 3)), "y.npy.gz" + more}, {"y.csv.gz", array, zipped([]byte("1\n2\n3\n")), "y.csv.gz" + more},
		{"y.csv", array, []byte("1\n2\n3\n"), "y.csv" + more},
	} {
		path, opt := write(t, test.name, test.x), Options{}
		if test.y != nil {
			path, opt.TargetPath = write(t, "x.npy", test.x), write(t, test.name, test.y)
		}
		_, err := load(t, []string{path}, opt)
		wantFault(t, test.name, err, test.says)
	}
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		archive := npz(t, member{"X.npy", array, zip.Store}, member{"y.npy", y, method})
		archive[bytes.LastIndex(archive, []byte("PK\x01\x02"))+16] ^= 1 // the checksum of the second entry
		path := write(t, "d.npz", archive)
		_, err := load(t, []string{path}, Options{Targets: []string{"y"}})
		wantFault(t, "checksum of the array of targets", err, "damaged")
		if got := mustLoad(t, []string{path}, Options{}); got.rows != 2 {
			t.Errorf("an array that is not read: %v", got)
		}
	}
}

// TestComma tries separators that can be part of a number, and others.
func TestComma(t *testing.T) {
	path := write(t, "x.csv", []byte("1,2\n"))
	for _, comma := range "0.-+_eEx9é\"\r\n\ufffd" {
		if r, err := Open(t.Context(), []string{path}, Options{Comma: comma}); err == nil || !strings.Contains(err.Error(), "cannot separate") {
			t.Errorf("%q: %v, %v", comma, r, err)
		}
	}
	for _, comma := range ",;|\t:#/ §" {
		data := []byte("1" + string(comma) + "2\n")
		wantTable(t, []string{write(t, "x.csv", data)}, Options{Comma: comma}, table{x: count(1, 2)})
	}
}

func TestNextPanics(t *testing.T) {
	r := mustOpen(t, []string{write(t, "x.csv", []byte("1\n"))}, Options{})
	testutil.MustPanic(t, panicRows, func() { r.Next(0) })
	next(t, r, 1)
	testutil.MustPanic(t, panicBegun, func() { r.Select(Selection{}) })
}
