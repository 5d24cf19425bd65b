package stream

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"blskernel/internal/testutil"
)

// An inMemory has an Options.Open for files in memory.
type inMemory struct {
	files  map[string][]byte
	paths  []string // in the order in which they were opened
	opened atomic.Int64
	closed atomic.Int64
	fails  error // of Close
}

func (m *inMemory) open(ctx context.Context, path string) (io.ReadCloser, error) {
	m.paths = append(m.paths, path)
	data, ok := m.files[path]
	if !ok {
		return nil, fmt.Errorf("bucket: %w", &fs.PathError{Op: "get", Path: path, Err: fs.ErrNotExist})
	}
	m.opened.Add(1)
	return &memoryFile{in: m, ctx: ctx, r: bytes.NewReader(data)}, nil
}

// A memoryFile returns its data in pieces of odd sizes, and panics when it is closed twice, or read
// during or after Close.
type memoryFile struct {
	in    *inMemory
	ctx   context.Context
	r     *bytes.Reader
	state atomic.Int32 // 1 while it is read, 2 when it is closed
}

func (f *memoryFile) Read(p []byte) (int, error) {
	if !f.state.CompareAndSwap(0, 1) {
		panic("read after Close, or twice at once")
	}
	defer f.state.Store(0)
	return f.r.Read(p[:min(len(p), 997)])
}

func (f *memoryFile) Close() error {
	if !f.state.CompareAndSwap(0, 2) {
		panic("closed twice, or during a Read")
	}
	f.in.closed.Add(1)
	return f.in.fails
}

// wait waits until all that was opened is closed.
func (m *inMemory) wait(t *testing.T, name string) {
	t.Helper()
	for range 1 << 24 {
		if m.opened.Load() == m.closed.Load() {
			return
		}
		runtime.Gosched()
	}
	t.Fatalf("%s: %d files were opened and %d closed", name, m.opened.Load(), m.closed.Load())
}

// TestOpenElsewhere reads files of every format from memory, and compares with the same files on disk.
// One of the paths names a folder of this machine, and another a file; neither is opened.
func TestOpenElsewhere(t *testing.T) {
	before := testutil.Goroutines()
	const rows = 5000
	var text, labels []byte
	var values []float64
	for i := range rows {
		text = fmt.Appendf(text, "%d,%d,%d\n", i, 3*i, -i)
		labels = fmt.Appendf(labels, "kind %d\n", i%7)
		values = append(values, float64(i), float64(3*i), float64(-i))
	}
	array := append(npyHeader(1, "<f8", false, rows, 3), float64s(values...)...)
	folder, other := t.TempDir(), write(t, "other.csv", []byte("no,such,number\n"))
	files := map[string][]byte{
		"gs://bucket/x.csv": text, "gs://bucket/x.csv.gz": zipped(text), "x.npy": array, "x.npy.gz": zipped(array),
		"images-idx3-ubyte": idxFile(8, text[:4*rows], rows, 2, 2), folder: text, other: array, "labels": labels, "labels.gz": zipped(labels),
	}
	for _, test := range []struct {
		paths []string
		opt   Options
	}{
		{[]string{"gs://bucket/x.csv"}, Options{}}, {[]string{"gs://bucket/x.csv.gz"}, Options{Targets: []string{"2"}}},
		{[]string{"x.npy"}, Options{}}, {[]string{"x.npy.gz"}, Options{Inputs: []string{"3", "1"}}},
		{[]string{"images-idx3-ubyte"}, Options{TargetPath: "labels", Classes: true}}, {[]string{folder}, Options{TargetPath: "labels.gz", Classes: true}},
		{[]string{other}, Options{Format: NPY}}, {[]string{"x.npy", "gs://bucket/x.csv", folder, "x.npy.gz"}, Options{Targets: []string{"3"}}},
	} {
		name := fmt.Sprint(test.paths, test.opt.TargetPath)
		onDisk, opened := test.opt, test.paths[:1:1]
		var paths []string
		for _, path := range test.paths {
			paths = append(paths, write(t, "x", files[path]))
		}
		if onDisk.TargetPath != "" {
			opened = append(opened, onDisk.TargetPath)
			onDisk.TargetPath = write(t, "y", files[onDisk.TargetPath])
		}
		want := mustLoad(t, paths, onDisk)
		m := &inMemory{files: files}
		test.opt.Open = m.open
		wantTable(t, test.paths, test.opt, want)
		m.wait(t, name)

		m.paths = nil
		r := mustOpen(t, test.paths, test.opt)
		if _, total := r.Bytes(); total != -1 || !slices.Equal(m.paths, opened) {
			t.Errorf("%s: Open has opened %v, %d bytes", name, m.paths, total)
		}
		if b, err := r.Peek(3); err != nil || b.Where(2).Path != test.paths[0] {
			t.Errorf("%s: Peek: %v, %v", name, b, err)
		}
		testutil.NoError(t, r.Select(r.Selection()))
		for i := range test.paths { // each is opened when a batch begins in it
			if b, err := r.Next(rows); err != nil || b.Where(0).Path != test.paths[i] || !slices.Equal(m.paths[:len(opened)], opened) || len(m.paths) != len(opened)+i {
				t.Errorf("%s: %v, %v, and %v are opened", name, b, err, m.paths)
			}
		}
		testutil.NoError(t, r.Close())
		m.wait(t, name)
	}
	m := &inMemory{files: files}
	if all, err := loadEach(t, "-", Options{Open: m.open, Stdin: strings.NewReader("1,2\n")}); err != nil || !slices.Equal(all.x, count(1, 2)) || m.paths != nil {
		t.Errorf("standard input: %v, %v, and %v were opened", all, err, m.paths)
	}
	testutil.WaitGoroutines(t, before)
}

// TestOpenElsewhereFaults makes Options.Open, or a Read or Close of its result, fail in every way: the
// error names the path as given, with its cause, and everything opened is closed.
func TestOpenElsewhereFaults(t *testing.T) {
	before := testutil.Goroutines()
	good, why := []byte("1,2\n3,4\n"), errors.New("the bucket leaks")
	files := map[string][]byte{"a://x": good, "a://y.npy": append(npyHeader(1, "<f8", false, 2), float64s(1, 2)...), "a://x.npz": npz(t, member{"X.npy", npyHeader(1, "<f8", false, 0, 1), zip.Store}),
		"a://short.npy": npyHeader(1, "<f8", false, 9, 9), "a://narrow": []byte("1\n"), "a://broken.csv.gz": zipped(bytes.Repeat(good, 100))[:30]}
	m := &inMemory{files: files}
	failing := &inMemory{files: files, fails: why}
	stopping := func(context.Context, string) (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(bytes.NewReader(good), iotest.ErrReader(why))), nil
	}
	for _, test := range []struct {
		paths []string
		opt   Options
		says  string
		cause error // nil for any
	}{
		{[]string{"a://none"}, Options{Open: m.open}, "stream: a://none: cannot be opened: bucket: get a://none: file does not exist", fs.ErrNotExist},
		{[]string{"a://x"}, Options{Open: m.open, TargetPath: "a://none"}, "stream: a://none: cannot be opened: bucket: ", fs.ErrNotExist},
		{[]string{"a://x", "a://none"}, Options{Open: m.open}, "stream: a://none: cannot be opened: bucket: ", fs.ErrNotExist},
		{[]string{"a://x", "a://narrow"}, Options{Open: m.open}, "stream: a://narrow: has 1 input, but a://x has 2", nil},
		{[]string{"a://x.npz"}, Options{Open: m.open}, "stream: a://x.npz: is an .npz that", nil},
		{[]string{"a://short.npy"}, Options{Open: m.open}, "stream: a://short.npy, row 1: the data ends", nil},
		{[]string{"a://broken.csv.gz"}, Options{Open: m.open}, "stream: a://broken.csv.gz: the data is cut off", nil},
		{[]string{"a://x"}, Options{Open: m.open, TargetPath: "a://y.npy", Targets: []string{"2"}}, "stream: a://y.npy: the selection 2 is out of range; the last column is 1", nil},
		{[]string{"a://x"}, Options{Open: stopping}, "stream: a://x: cannot be read: the bucket leaks", why},
		{[]string{"a://x", "a://x"}, Options{Open: failing.open}, "stream: a://x: cannot be read: the bucket leaks", why},
	} {
		r, err := Open(t.Context(), test.paths, test.opt)
		if err == nil {
			_, err = readAll(t, r, 10)
			testutil.NoError(t, r.Close())
		}
		if wantFault(t, test.says, err, test.says); test.cause != nil && !errors.Is(err, test.cause) {
			t.Errorf("the cause of %v is lost", err)
		}
		m.wait(t, test.says)
		failing.wait(t, test.says)
	}
	testutil.WaitGoroutines(t, before)
}

// A stuck is a reader whose Read waits for the channel let, whatever the context does. Closing it
// during a Read is an error.
type stuck struct {
	memoryFile
	reads chan struct{} // one for each Read that has begun
	let   chan struct{}
}

func (s *stuck) Read(p []byte) (int, error) {
	if !s.state.CompareAndSwap(0, 1) {
		panic("read after Close, or twice at once")
	}
	defer s.state.Store(0)
	s.reads <- struct{}{}
	<-s.let
	return s.r.Read(p)
}

// TestOpenElsewhereContext ends readers whose Options.Open, or whose Read, does not return: the Reader
// does not wait for it, and its result is closed when it returns.
func TestOpenElsewhereContext(t *testing.T) {
	before := testutil.Goroutines()
	why := errors.New("enough")
	m := &inMemory{files: map[string][]byte{"x": []byte("1,2\n")}}
	openBy := func(ctx context.Context, open func(context.Context) (io.ReadCloser, error)) (*Reader, error) {
		return Open(ctx, []string{"x"}, Options{Open: func(ctx context.Context, _ string) (io.ReadCloser, error) { return open(ctx) }})
	}
	opens, let, result := make(chan context.Context), make(chan struct{}), make(chan error)
	for _, fails := range []bool{false, true} {
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			_, err := openBy(ctx, func(ctx context.Context) (io.ReadCloser, error) {
				opens <- ctx
				<-let
				if fails {
					return nil, errors.New("after all")
				}
				return m.open(ctx, "x")
			})
			result <- err
		}()
		given := <-opens
		cancel(why)
		if err := <-result; !errors.Is(err, why) || !errors.Is(context.Cause(given), why) {
			t.Errorf("Open that waits: %v, and the context of Options.Open %v", err, context.Cause(given))
		}
		let <- struct{}{}
	}
	// An error that the context has caused is the error of the context.
	ctx, cancel := context.WithCancelCause(t.Context())
	if _, err := openBy(ctx, func(ctx context.Context) (io.ReadCloser, error) {
		cancel(why)
		return nil, ctx.Err()
	}); !errors.Is(err, why) {
		t.Errorf("Open that is canceled: %v", err)
	}

	// Close does not wait for a Read either. TestCancel checks what the context does to it.
	s := &stuck{reads: make(chan struct{}), let: make(chan struct{})}
	s.in, s.r = m, bytes.NewReader([]byte("1,2\n3,4\n"))
	var given context.Context
	var r *Reader
	go func() {
		var err error
		r, err = openBy(t.Context(), func(ctx context.Context) (io.ReadCloser, error) {
			given = ctx
			m.opened.Add(1)
			return s, nil
		})
		result <- err
	}()
	<-s.reads
	s.let <- struct{}{}
	<-s.reads // the Read of the end, which does not come
	testutil.NoError(t, <-result)
	testutil.NoError(t, r.Close())
	if given.Err() == nil || m.closed.Load() == m.opened.Load() {
		t.Errorf("after Close the context of Options.Open is %v, and closed during a Read: %v", given.Err(), m.closed.Load() == m.opened.Load())
	}
	s.let <- struct{}{}
	m.wait(t, "a Read that returns late")
	testutil.WaitGoroutines(t, before)
}
