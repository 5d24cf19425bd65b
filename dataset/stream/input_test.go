package stream

import (
	"archive/zip"
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"blskernel/internal/testutil"
)

// TestChangedWhileRead reads files that become shorter or longer after their header was read. The
// samples before the fault are right.
func TestChangedWhileRead(t *testing.T) {
	const rows, cols = 1 << 12, 64
	values := make([]float64, rows*cols)
	array := append(npyHeader(1, "<f8", false, rows, cols), float64s(values...)...)
	fortran := append(npyHeader(1, "<f8", true, rows, cols), float64s(values...)...)
	text := []byte(strings.Repeat("1,2\n", 1<<19))
	idx := idxFile(8, make([]byte, rows*cols), rows, cols)
	archive := func(method uint16) []byte { return npz(t, member{"X.npy", array, method}) }
	for _, test := range []struct {
		name string
		data []byte
		size int64 // that the file then has
		says string
	}{
		{"a.npy", array, 1 << 16, "cut off"},
		{"b.npy", fortran, 1 << 16, "cut off"},
		{"c.npy", array, 0, "cut off"},
		{"d.idx", idx, 1 << 14, "cut off"},
		{"e.npz", archive(zip.Store), 1 << 16, "cut off"},
		{"f.npy", array, 1 << 22, ""},
		{"g.idx", idx, 1 << 22, ""},
		{"h.csv", text, 1 << 20, ""}, // a text has no length: a shorter one is another text
	} {
		path := write(t, test.name, test.data)
		r := mustOpen(t, []string{path}, Options{})
		if err := os.Truncate(path, test.size); err != nil && runtime.GOOS == "windows" {
			r.Close()
			continue // a system where an open file cannot be changed
		} else if err != nil {
			t.Fatal(err)
		}
		all, err := drain(r, 100)
		switch {
		case test.says != "":
			wantFault(t, test.name, err, test.says)
		case err != io.EOF:
			t.Errorf("%s: %v after %d samples", test.name, err, all.rows)
		case test.name != "h.csv" && all.rows != rows:
			t.Errorf("%s: %d samples", test.name, all.rows)
		}
	}
}

// TestReplacedWhileOpened opens a path where a short and a long file take turns: each is read whole.
func TestReplacedWhileOpened(t *testing.T) {
	testutil.NotEmulated(t, "thousands of files")
	if runtime.GOOS == "windows" {
		t.Skip("an opened file is not replaced there")
	}
	for _, ending := range []string{".npy", ".npz"} {
		path := write(t, "x"+ending, nil)
		var files [2]string
		for i, rows := range []int{1, 5000} {
			data := append(npyHeader(1, "|u1", false, rows, 1), make([]byte, rows)...)
			if ending == ".npz" {
				data = npz(t, member{"X.npy", data, 0})
			}
			files[i] = path + strconv.Itoa(i)
			testutil.NoError(t, os.WriteFile(files[i], data, 0o666))
		}
		replace := func(i int) error {
			return errors.Join(os.Link(files[i%2], path+".next"), os.Rename(path+".next", path))
		}
		testutil.NoError(t, replace(1))
		ctx, cancel := context.WithCancel(t.Context())
		replaced := make(chan error)
		go func() {
			var err error
			for i := 0; err == nil && ctx.Err() == nil; i++ {
				err = replace(i)
			}
			replaced <- err
		}()
		for range 1500 {
			r, err := Open(t.Context(), []string{path}, Options{})
			if err == nil {
				_, err = drain(r, 1<<13)
				r.Close()
			}
			if err != io.EOF {
				t.Errorf("%s: %v", ending, err)
				break
			}
		}
		cancel()
		testutil.NoError(t, <-replaced)
	}
}

// TestKeptOfPipe reads pipes that would exceed what may be kept, one with a byte in each Read, and
// labels that are too long.
func TestKeptOfPipe(t *testing.T) {
	for _, r := range []io.Reader{endless('1'), iotest.OneByteReader(endless('1'))} {
		in := &rewindable{r: r, room: 1 << 20}
		n, err := io.Copy(io.Discard, in)
		if err == nil || !strings.Contains(err.Error(), "save the data to a local file") || n > 1<<20+1<<16 {
			t.Errorf("%d bytes were kept: %v", n, err)
		}
		if int64(len(in.kept)) != n {
			t.Errorf("%d of %d bytes are kept", len(in.kept), n)
		}
		testutil.NoError(t, in.rewind())
		again, err := io.CopyN(io.Discard, in, n)
		if again != n || err != nil {
			t.Errorf("%d of %d bytes again: %v", again, n, err)
		}
	}
	long := strings.Repeat("x", maxLabel)
	for text, says := range map[string]string{long + ",1\n": "", long + "x,1\n": "label of 65537 bytes"} {
		r := mustOpen(t, []string{write(t, "x.csv", []byte(text))}, Options{Targets: []string{"1"}, Classes: true, Header: HeaderAbsent})
		if _, err := r.Next(1); says != "" {
			wantFault(t, says, err, says)
		} else if err != nil {
			t.Error(err)
		}
	}
}
