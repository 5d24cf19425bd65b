package stream

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"blskernel/internal/io/npy"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faults"
)

const (
	// maxUnpacked bounds the unpacked bytes of a fuzzed input. An input that unpacks to more would
	// take too much time.
	maxUnpacked = 1 << 22
	maxMessage  = 8000 // some names of at most names.ShownText bytes, each of which may be quoted as four
)

// unpackedSize returns the bytes of data, including the unpacked bytes of gzip and of the members of an
// archive in it. It also returns the number of members, each of which may have a header that is read.
func unpackedSize(t *testing.T, data []byte) (n, members int) {
	n = len(data)
	add := func(r io.Reader) []byte {
		b, _ := io.ReadAll(io.LimitReader(r, maxUnpacked)) // up to where it is damaged
		if n += len(b); n >= maxUnpacked {
			t.Skip("unpacks to too much")
		}
		return b
	}
	if z, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
		data = add(z)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return n, 0
	}
	for _, member := range z.File {
		if r, err := member.Open(); err == nil {
			add(r)
			r.Close()
		}
	}
	return n, len(z.File)
}

// FuzzOpen feeds any bytes to every format, as a file and through a pipe: no panic; every fault is an
// *Error with the path and a message that can be read; allocation stays within the bounds of the
// package comment; and what is read is read again, to the last bit, with Options.Open and without bad
// samples, and from an array and a text made from it.
func FuzzOpen(f *testing.F) {
	x := append(npyHeader(1, "|u1", true, 2, 2), 1, 2, 3, 4)
	y := append(npyHeader(1, "|u1", false, 2), 1, 2)
	for _, data := range [][]byte{
		[]byte("a,b\n1,2\n"), []byte("1;2,5\n"), []byte("\xef\xbb\xbf1,x\r\n-0,\"y\n\"\r\n"), []byte("1\r2\r"), []byte("\xff\xfe1\x00"), []byte("1,\"2\n3,4\n"),
		[]byte(strings.Repeat("x,", 300) + "\n"), {}, []byte("\n"), zipped([]byte("1\n")), zipped(nil), zipped([]byte("1,2\n3"))[:24], []byte("0,x\r0\nA"),
		append(npyHeader(1, "<f8", false, 1, 2), float64s(1, 2)...), npyHeader(3, "<U3", true, 2, 2), append(npyHeader(2, "<f4", false, 2), 0, 0, 0xc0, 0x7f, 0, 0, 0, 0),
		npyHeader(1, "<f8", false, 1<<30, 1<<13), []byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"), append(npyHeader(1, "<U1", false, 2), "a\x00\x00\x00\xe9\x00\x00\x00"...),
		[]byte("a,y\n1,x\n2,3\n4\n\n5,6\n7,\"\"\n8\"\",9\n1,2"), append(npyHeader(1, "<f8", true, 4, 2), float64s(1, math.NaN(), 3, 4, 5, 6, math.Inf(1), 8)...),
		append(npyHeader(1, "<f8", false, 4, 2), float64s(1, math.NaN(), 3, 4, 5, 6.5, math.Inf(1), 8)...),
		npz(f, member{"X.npy", append(npyHeader(1, "<f8", false, 4), float64s(1, math.NaN(), 3, 4)...), zip.Store}, member{"y.npy", append(npyHeader(1, "<f8", false, 4), float64s(1, 2, math.NaN(), 4)...), zip.Deflate}),
		idxFile(8, []byte{1, 2, 3, 4}, 1, 2, 2), idxFile(14, float64s(1), 1), idxFile(8, []byte{1}, 1<<31, 28, 28), idxFile(9, nil, 0),
		matrixFile(0x55, 4, []byte{1, 2, 3, 4}, 1, 2, 2, 1), matrixFile(0x54, 1, []byte{1, 0, 0, 0}, 1, 0, 9), matrixFile(0x55, 1<<31, nil, make([]uint32, 8)...),
		npz(f, member{"X.npy", x, zip.Store}, member{"y.npy", y, zip.Deflate}), npz(f, member{"../X.npy", x, zip.Deflate}), npz(f),
		zipped(npz(f, member{"X.npy", y, zip.Deflate})), npz(f, member{"X.npy", x, zip.Store}, member{"X.npy", x, zip.Store}),
	} {
		for _, how := range []byte{0, 1, 9, 18, 33, 64, 130} {
			f.Add(data, how)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, how byte) {
		opt := Options{Format: Format(how % 5), Classes: how&8 != 0}
		if how&16 != 0 {
			opt.Targets = []string{"1"}
		}
		if how&32 != 0 {
			opt.Targets = []string{"y"}
		}
		n, members := unpackedSize(t, data)
		path := "-"
		if how&64 != 0 {
			opt.Stdin = bytes.NewReader(data)
		} else {
			path = write(t, "x", data)
		}
		var all table
		var dim, outputs int
		var err error
		// The figures of the package comment, and what the test itself keeps; for each member
		// of an archive without X its header, with what unpacks it; and the buffers and pieces
		// of the four times that the beginning is read for Peek and Survey.
		faults.Bounded(t, n, 256+64, 8<<20+uint64(members)*(npy.MaxHeader+64<<10), func() {
			var r *Reader
			if r, err = Open(t.Context(), []string{path}, opt); err != nil {
				return
			}
			defer r.Close()
			if dim, outputs = r.Dim(), r.Outputs(); how&128 != 0 {
				if _, err := r.Peek(2); err != nil && err != io.EOF {
					checkFault(t, err)
				}
				if _, err := r.Survey(5); err != nil && err != io.EOF {
					checkFault(t, err)
				}
			}
			all, err = drain(r, 7)
		})
		opt.Stdin = bytes.NewReader(data)
		checkAside(t, path, data, opt, all, err)
		if err != io.EOF {
			checkFault(t, err)
			return
		}
		if all.rows > 0 && all.rows <= 1000 && dim+outputs <= 1000 {
			checkAgain(t, all, dim, outputs)
		}
	})
}

// checkFault checks that err is an *Error that can be shown.
func checkFault(t testing.TB, err error) {
	t.Helper()
	var fault *Error
	if !errors.As(err, &fault) || fault.Path == "" || len(err.Error()) > maxMessage+len(fault.Path) {
		t.Errorf("error %.500v", err)
	}
}

// checkAside reads the data again, with Options.Open if it was a pipe, and leaves out bad samples: it
// finds all samples read before, and no bad one if there was no error.
func checkAside(t *testing.T, path string, data []byte, opt Options, all table, before error) {
	t.Helper()
	if path == "-" {
		opt.Open = (&inMemory{files: map[string][]byte{"x": data}}).open
		path = "x"
	}
	bad := int64(0)
	opt.Bad = func(e *Error) error {
		checkFault(t, e)
		bad++
		return nil
	}
	var again table
	r, err := Open(t.Context(), []string{path}, opt)
	if err == nil {
		defer r.Close()
		again, err = drain(r, 7)
	}
	if err != io.EOF {
		checkFault(t, err)
	}
	if before == io.EOF && (err != io.EOF || bad > 0 || again.rows != all.rows) || again.rows < all.rows ||
		!bitsEqual(again.x[:len(all.x)], all.x) || !bitsEqual(again.y[:len(all.y)], all.y) || !slices.Equal(again.labels[:len(all.labels)], all.labels) {
		t.Errorf("%d samples and %v, and then, %d bad ones left out, %d and %v, or others", all.rows, before, bad, again.rows, err)
	}
	if err == io.EOF && r.Rows() >= 0 && r.Rows() != int64(again.rows)+bad {
		t.Errorf("%d samples and %d bad ones of %d", again.rows, bad, r.Rows())
	}
}

// checkAgain writes what has been read as an array and as a text, and reads both.
func checkAgain(t *testing.T, all table, dim, outputs int) {
	t.Helper()
	data := npy.AppendFloats(npy.AppendHeader(nil, npy.Float64, all.rows, dim), all.x)
	got, err := loadEach(t, "-", Options{Stdin: bytes.NewReader(data)})
	if err != nil || got.rows != all.rows || !bitsEqual(got.x, all.x) {
		t.Errorf("the inputs are read again from an array as others: %v", err)
	}
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	for i := range all.rows {
		var cells []string
		for _, v := range slices.Concat(all.x[i*dim:(i+1)*dim], all.y[i*len(all.y)/all.rows:(i+1)*len(all.y)/all.rows]) {
			cells = append(cells, strconv.FormatFloat(v, 'g', -1, 64))
		}
		testutil.NoError(t, w.Write(cells))
	}
	w.Flush()
	opt := Options{Stdin: &text, Format: CSV, Header: HeaderAbsent, Comma: ','}
	if all.y != nil {
		opt.Targets = []string{strconv.Itoa(dim+1) + "-"}
	}
	got, err = loadEach(t, "-", opt)
	if err != nil || got.rows != all.rows || !bitsEqual(got.x, all.x) || !bitsEqual(got.y, all.y) {
		t.Errorf("the samples are read again from a text as others: %v", err)
	}
}

// FuzzArrays puts any elements after any header of each version, which has the stated length, and reads
// the array as a file, through a pipe, packed, and as the members of archives whose checksums are
// right: all ways read the same, with all samples or without the bad ones, except for Fortran order,
// which needs a plain file.
func FuzzArrays(f *testing.F) {
	dict := func(descr, order, shape string) string {
		return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }"
	}
	elements := append(float64s(1, -2, 3e300, math.Copysign(0, -1)), 1, 2, 3, 4)
	for version := byte(1); version <= 3; version++ {
		f.Add(version, dict("<f8", "False", "(2, 2)"), elements[:32])
		f.Add(version, dict("|u1", "True", "(2, 3, 6)"), elements)
		f.Add(version, dict(">i4", "False", "(9,)"), elements)
	}
	f.Add(byte(1), dict("<f2", "False", "(0, 3)"), elements)
	f.Add(byte(1), dict("|b1", "False", "(1, 2305843009213693952)"), elements)
	f.Add(byte(1), dict("|i1", "True", "(1, 36)"), elements)
	f.Add(byte(2), dict("|u1", "False", "(16777217, 1)"), elements)
	f.Add(byte(1), dict("|u1", "False", "()"), elements[:1])
	f.Fuzz(func(t *testing.T, version byte, dict string, elements []byte) {
		if len(dict) > 1<<14 || len(elements) > 1<<16 {
			t.Skip()
		}
		data := append(npyRaw(version, dict), elements...)
		stored, deflated := npz(t, member{"X.npy", data, zip.Store}), npz(t, member{"X.npy", data, zip.Deflate})
		plain := write(t, "x.npy", data)
		for _, load := range []func(testing.TB, string, Options, ...int) (table, error){loadEach, loadAside} {
			want, wantErr := load(t, plain, Options{})
			if wantErr != nil {
				checkFault(t, wantErr)
			} else if want.rows > 0 {
				checkAgain(t, want, len(want.x)/want.rows, 0)
			}
			for name, read := range map[string]func() (table, error){
				"a pipe":   func() (table, error) { return load(t, "-", Options{Stdin: bytes.NewReader(data)}) },
				"gzip":     func() (table, error) { return load(t, "-", Options{Stdin: bytes.NewReader(zipped(data))}) },
				"stored":   func() (table, error) { return load(t, write(t, "x.npz", stored), Options{}) },
				"deflated": func() (table, error) { return load(t, write(t, "x.npz", deflated), Options{}) },
			} {
				got, err := read()
				if err != nil {
					checkFault(t, err)
				}
				fortran := err != nil && strings.Contains(err.Error(), "Fortran order")
				if (err == nil) != (wantErr == nil) && !fortran || err == nil && (got.rows != want.rows || !bitsEqual(got.x, want.x)) {
					t.Errorf("%s: %d samples, error %v; as a file %d, error %v", name, got.rows, err, want.rows, wantErr)
				}
			}
		}
	})
}

// loadAside reads samples one by one, without the bad ones.
func loadAside(t testing.TB, path string, opt Options, _ ...int) (table, error) {
	opt.Bad = func(e *Error) error {
		checkFault(t, e)
		return nil
	}
	return loadEach(t, path, opt, 1)
}
