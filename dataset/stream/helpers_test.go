package stream

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blskernel/internal/testutil"
)

func write(t testing.TB, name string, data []byte) string {
	t.Helper()
	return testutil.WriteFile(t, filepath.Join(t.TempDir(), name), data)
}

var zipped = testutil.Gzipped

// npyHeader returns what numpy.save writes before the elements, with the keys of the dictionary in the
// order of the alphabet.
func npyHeader(version byte, descr string, fortran bool, shape ...int) []byte {
	order, tuple := "False", strings.ReplaceAll(strings.Trim(fmt.Sprint(shape), "[]"), " ", ", ")
	if fortran {
		order = "True"
	}
	if len(shape) == 1 {
		tuple += ","
	}
	return npyRaw(version, fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }", descr, order, tuple))
}

// npyRaw is testutil.NPY of the dictionary with spaces up to a multiple of 64 bytes, and a newline.
func npyRaw(version byte, dict string) []byte {
	end := len(testutil.NPY(version, dict)) + 1
	return testutil.NPY(version, dict+strings.Repeat(" ", -end&63)+"\n")
}

// float64s returns the bytes of numbers, little-endian.
func float64s(values ...float64) []byte { return elementsOf("<f8", values) }

// half returns the bits of v as a number of 16 bits, which has 10 bits of fraction behind the leading
// one and an exponent with bias 15.
func half(v float64) uint16 {
	fraction, exponent := math.Frexp(math.Abs(v))
	switch {
	case v == 0:
		return 0
	case v != v:
		return 0x7e00
	case v-v != 0:
		return 0x7c00
	}
	return uint16(exponent+14)<<10 | uint16(fraction*2048)&1023
}

// arrayBytes returns values as elements of a type, given in C order for the shape, in C or Fortran
// order. Small whole numbers are exact in every type. In integer types, NaN and infinities stand for a
// number that float64 cannot hold.
func arrayBytes(descr string, fortran bool, values []float64, shape ...int) (out []byte) {
	var order binary.ByteOrder = binary.LittleEndian
	if descr[0] == '>' {
		order = binary.BigEndian
	}
	ordered := values
	if fortran { // the place of element i in C order with the first index fastest
		ordered = make([]float64, len(values))
		for i, v := range values {
			at, stride := 0, len(values)
			for k := len(shape) - 1; k >= 0; k-- {
				stride /= shape[k]
				at += i % shape[k] * stride
				i /= shape[k]
			}
			ordered[at] = v
		}
	}
	for _, v := range ordered {
		n := int64(1<<53 + 1)
		if v-v == 0 {
			n = int64(v)
		}
		e := any(v)
		switch descr[1:] {
		case "b1", "i1", "u1":
			e = uint8(n)
		case "i2", "u2":
			e = uint16(n)
		case "i4", "u4":
			e = uint32(n)
		case "i8", "u8":
			e = n
		case "f2":
			e = half(v)
		case "f4":
			e = float32(v)
		}
		out, _ = binary.Append(out, order, e) // all these types have a size
	}
	return out
}

// elementsOf is arrayBytes in C order.
func elementsOf(descr string, values []float64) []byte {
	return arrayBytes(descr, false, values, len(values))
}

// mustOpen opens a reader that the end of the test closes.
func mustOpen(t testing.TB, paths []string, opt Options) *Reader {
	t.Helper()
	r, err := Open(t.Context(), paths, opt)
	if err != nil {
		t.Fatalf("%v: %v", paths, err)
	}
	t.Cleanup(func() { testutil.NoError(t, r.Close()) })
	return r
}

func next(t testing.TB, r *Reader, n int) *Batch {
	t.Helper()
	b, err := r.Next(n)
	testutil.NoError(t, err)
	return b
}

type table struct {
	x, y   []float64
	w      []float64 // weights
	labels []string
	kept   []string
	rows   int
}

// readAll reads r in batches of the given size and checks what holds for every batch.
func readAll(t testing.TB, r *Reader, size int) (table, error) {
	t.Helper()
	var all table
	short := false
	for {
		b, err := r.Next(size)
		if err != nil {
			if _, again := r.Next(1); again != err {
				t.Errorf("error %v, and then %v", err, again)
			}
			if rows := r.Rows(); err == io.EOF && rows >= 0 && rows != int64(all.rows) {
				t.Errorf("%d of %d samples at the end", all.rows, rows)
			}
			return all, err
		}
		n, d := b.X.Dims()
		if short || n < 1 || n > size || d != r.Dim() || b.First != int64(all.rows) {
			t.Fatalf("a batch of %d×%d at %d after %d samples, size %d", n, d, b.First, all.rows, size)
		}
		short = n < size
		if b.Y != nil {
			if rows, cols := b.Y.Dims(); rows != n || cols != r.Outputs() {
				t.Fatalf("targets of %d×%d for %d samples", rows, cols, n)
			}
		}
		if b.Labels != nil && len(b.Labels) != n {
			t.Fatalf("%d labels for %d samples", len(b.Labels), n)
		}
		all.add(b)
	}
}

func (all *table) add(b *Batch) {
	rows, _ := b.X.Dims()
	all.rows += rows
	all.x = append(all.x, b.X.RawMatrix().Data...)
	if b.Y != nil {
		all.y = append(all.y, b.Y.RawMatrix().Data...)
	}
	all.labels = append(all.labels, b.Labels...)
	all.w = append(all.w, b.Weights...)
	all.kept = append(all.kept, b.Kept...)
}

func (all *table) equal(other *table) bool {
	return all.rows == other.rows && bitsEqual(all.x, other.x) && bitsEqual(all.y, other.y) && bitsEqual(all.w, other.w) &&
		slices.Equal(all.labels, other.labels)
}

// drain reads r to its end or a fault, in batches of size rows.
func drain(r *Reader, size int) (all table, err error) {
	for {
		b, err := r.Next(size)
		if err != nil {
			return all, err
		}
		all.add(b)
	}
}

// loadEach reads all samples of one path in batches of five, or of the given size.
func loadEach(t testing.TB, path string, opt Options, size ...int) (all table, err error) {
	t.Helper()
	r, err := Open(t.Context(), []string{path}, opt)
	if err != nil {
		return all, err
	}
	all, err = drain(r, append(size, 5)[0])
	if closeErr := r.Close(); err == io.EOF {
		err = closeErr
	}
	return all, err
}

// load opens and reads everything, in batches of several sizes, which must give the same result.
func load(t testing.TB, paths []string, opt Options) (first table, err error) {
	t.Helper()
	for i, size := range []int{1000, 1, 2, 3, 7} {
		r, err := Open(context.Background(), paths, opt)
		if err != nil {
			return table{}, err
		}
		all, err := readAll(t, r, size)
		testutil.NoError(t, r.Close())
		switch {
		case err != io.EOF:
			return all, err
		case i == 0:
			first = all
		case !all.equal(&first):
			t.Fatalf("batches of %d give other samples than one of all", size)
		}
	}
	return first, nil
}

// mustLoad is load for data without a fault.
func mustLoad(t testing.TB, paths []string, opt Options) table {
	t.Helper()
	all, err := load(t, paths, opt)
	testutil.NoError(t, err)
	return all
}

// wantTable loads paths and compares with what is expected; rows of 0 are not compared.
func wantTable(t testing.TB, paths []string, opt Options, want table) {
	t.Helper()
	got := mustLoad(t, paths, opt)
	if want.rows == 0 {
		want.rows = got.rows
	}
	if !got.equal(&want) {
		t.Errorf("%q, %+v: %+v, want %+v", paths, opt, got, want)
	}
}

// wantFault checks that err is an *Error that says what is expected.
func wantFault(t testing.TB, name string, err error, says string) *Error {
	t.Helper()
	var fault *Error
	if !errors.As(err, &fault) || !strings.Contains(err.Error(), says) {
		t.Errorf("%s: error %v, want %q", name, err, says)
		return &Error{}
	}
	if same := fault.With(Remedy.String); fault.Path == "" || same.What != fault.What {
		t.Errorf("%s: error %v has no path, or becomes %q with the same remedies", name, err, same.What)
	}
	return fault
}

// count returns start, start+1, ...
func count(start float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = start + float64(i)
	}
	return out
}
