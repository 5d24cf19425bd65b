package stream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faults"
)

// badData is data of every format with bad samples, and options for it.
func badData(t *testing.T) map[string]struct {
	data []byte
	opt  Options
} {
	t.Helper()
	values := count(1, 12)
	values[3], values[7], values[8] = math.NaN(), math.Inf(1), math.NaN()
	labels := append(npyHeader(1, "<f8", false, 3, 2), float64s(1, 2, 3, 4.5, 5, 6)...)
	return map[string]struct {
		data []byte
		opt  Options
	}{
		"csv":         {[]byte("a,b\n1,2\n3,x\n4,5\n6\n7,8\n,9\n"), Options{}},
		"quoted":      {[]byte("a,b\n1,\"2\"\n3,\"x\"\n4,5\n6\"\",7\n"), Options{}},
		"csv, labels": {[]byte("1,a\n2,\n3,\"\"\n4,b\n"), Options{Targets: []string{"2"}, Classes: true}},
		"npy":         {append(npyHeader(1, "<f8", false, 6, 2), float64s(values...)...), Options{}},
		"npy, labels": {labels, Options{Targets: []string{"2"}, Classes: true}},
		"text":        {append(npyHeader(1, "|S1", false, 3), "a\x00b"...), Options{}},
		"npz":         {npz(t, member{"X.npy", append(npyHeader(1, ">f8", false, 6, 2), elementsOf(t, ">f8", values)...), 8}), Options{}},
		"idx":         {idxFile(13, elementsOf(t, ">f4", values), 4, 3), Options{}},
	}
}

// TestBadMessages checks that Options.Bad gets the error that ends the reading without Bad, after the
// same samples.
func TestBadMessages(t *testing.T) {
	for name, d := range badData(t) {
		path, opt := write(t, "x", d.data), d.opt
		if name == "text" {
			opt.TargetPath, opt.Classes = path, true
			path = write(t, "y.csv", []byte("1\n2\n3\n"))
		}
		r := mustOpen(t, []string{path}, opt)
		before, want := readAll(t, r, 1)
		r.Close()
		wantFault(t, name, want, "")

		var told []string
		opt.Bad = func(e *Error) error {
			told = append(told, e.Error())
			return nil
		}
		all, err := loadEach(t, path, opt)
		if err != nil || len(told) == 0 || told[0] != want.Error() || all.rows <= before.rows || !bitsEqual(all.x[:len(before.x)], before.x) {
			t.Errorf("%s: %d samples and %q, %v; want more than %d and first %q", name, all.rows, told, err, before.rows, want)
		}
	}
}

// TestBadEnds ends the reading by an error of Options.Bad, at each bad sample: Next returns exactly
// that error from then on, and does not call Bad again.
func TestBadEnds(t *testing.T) {
	why := errors.New("too many")
	for name, d := range badData(t) {
		if name == "text" {
			continue
		}
		total := 0
		d.opt.Bad = func(*Error) error { total++; return nil }
		path := write(t, "x", d.data)
		if _, err := loadEach(t, path, d.opt); err != nil || total == 0 {
			t.Fatalf("%s: %d bad, %v", name, total, err)
		}
		for last := 1; last <= total; last++ {
			calls := 0
			var given error
			d.opt.Bad = func(e *Error) error {
				if calls++; calls < last {
					return nil
				}
				if given = why; last == 2 {
					given = e // as a caller does who has counted enough
				}
				return given
			}
			r := mustOpen(t, []string{path}, d.opt)
			if b, err := r.Next(100); err != given || b != nil {
				t.Errorf("%s, bad sample %d: %v, %v, want %v", name, last, b, err, given)
			}
			if _, err := r.Next(1); err != given {
				t.Errorf("%s, bad sample %d, once more: %v", name, last, err)
			}
			if err := r.Close(); err != nil || calls != last {
				t.Errorf("%s: %d calls, want %d; %v", name, calls, last, err)
			}
		}
	}

	// io.EOF is the end.
	r := mustOpen(t, []string{"-"}, Options{Stdin: strings.NewReader("1\n2\nx\n3\n"), Header: HeaderAbsent, Bad: func(*Error) error { return io.EOF }})
	if all, err := readAll(t, r, 10); err != io.EOF || !slices.Equal(all.x, count(1, 2)) {
		t.Errorf("%v, %v", all.x, err)
	}
}

// TestBadAll reads a text in which every line differs from the first in its number of cells: the
// limit of the caller ends the reading, or the end of the text, or the context.
func TestBadAll(t *testing.T) {
	text := "1,2\n" + strings.Repeat("3;4\n", 30_000)
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	for _, test := range []struct {
		limit int
		stop  func() error
		want  error
		calls int
	}{{1 << 30, nil, io.EOF, 30_000}, {100, func() error { return enough }, enough, 100}, {20_000, func() error { cancel(enough); return nil }, enough, 20_000}} {
		calls := 0
		r, err := Open(ctx, []string{"-"}, Options{Stdin: strings.NewReader(text), Bad: func(e *Error) error {
			if calls++; e.Line != int64(calls+1) {
				t.Fatalf("call %d is about line %d", calls, e.Line)
			}
			if calls == test.limit {
				return test.stop()
			}
			return nil
		}})
		testutil.NoError(t, err)
		if b, err := r.Next(1); err != nil || b.X.At(0, 1) != 2 {
			t.Errorf("%v, %v", b, err)
		}
		if _, err = r.Next(1); !errors.Is(err, test.want) || calls != test.calls {
			t.Errorf("%d calls and %v, want %d and %v", calls, err, test.calls, test.want)
		}
		r.Close()
	}
}

// TestBadReadFault reads from a reader that fails after bad samples, in a later piece: that is a
// fault of the file.
func TestBadReadFault(t *testing.T) {
	why := errors.New("the line is dead")
	for lines := range 12 {
		text := strings.Repeat("1\nx\n", lines)
		calls := 0
		all, err := loadEach(t, "-", Options{Format: CSV, Header: HeaderAbsent, Stdin: io.MultiReader(iotest.OneByteReader(strings.NewReader("1\n"+text)), iotest.ErrReader(why)),
			Bad: func(*Error) error { calls++; return nil }})
		if wantFault(t, "dead", err, "cannot be read: the line is dead"); !errors.Is(err, why) || calls != lines || all.rows != (1+lines)/5*5 {
			t.Errorf("%d lines of each: %d samples, %d bad ones, %v", lines, all.rows, calls, err)
		}
	}
}

// TestBadSeveral reads several files, with headers, and with bad samples at their ends.
func TestBadSeveral(t *testing.T) {
	paths := []string{write(t, "a.csv", []byte("u,v\nx,1\n2,3\n?,?\n")), write(t, "b.csv", []byte("u,v\n,\n")), write(t, "c.csv", []byte("NA,1\n4,5\n,\n")),
		write(t, "d.npy", append(npyHeader(1, "<f4", false, 2, 2), elementsOf(t, "<f4", []float64{6, 7, 8, math.NaN()})...))}
	line := func(k int, n int64) Place { return Place{Path: paths[k], Line: n} }
	row := func(n int64) Place { return Place{Path: paths[3], Row: n} }
	checkLeftOut(t, "several", func(bad func(*Error) error) (*Reader, error) {
		return Open(t.Context(), paths, Options{Bad: bad})
	}, []sampleAt{{fault: line(0, 2)}, {x: count(2, 2), place: line(0, 3)}, {fault: line(0, 4)}, {fault: line(1, 2)}, {fault: line(2, 1)}, {x: count(4, 2), place: line(2, 2)},
		{fault: line(2, 3)}, {x: count(6, 2), place: row(1)}, {fault: row(2)}}, 1, 2, 3, 100)
}

// TestBadPeek peeks at samples of which some are bad. Peek leaves them out. Options.Bad gets each once,
// from Next, and none that only another selection finds bad.
func TestBadPeek(t *testing.T) {
	const text = "u,v\nx,1\n2,3\n?,5\n6,y\n8,9\n"
	for name, source := range sources(t, "x.csv", []byte(text)) {
		var told []int64
		opt := Options{Bad: func(e *Error) error { told = append(told, e.Line); return nil }}
		var path string
		path, opt.Stdin = source()
		r := mustOpen(t, []string{path}, opt)
		for _, test := range []struct {
			inputs []string
			rows   int
			want   []float64
			first  int64
			lines  []int64
		}{
			{nil, 1, nil, 0, []int64{2}}, // one is bad, and no more are looked at
			{nil, 2, []float64{2, 3}, 1, []int64{3}},
			{nil, 9, []float64{2, 3, 8, 9}, 1, []int64{3, 6}},
			{[]string{"v"}, 3, []float64{1, 3, 5}, 0, []int64{2, 3, 4}},
			{[]string{"u"}, 1, nil, 0, []int64{2}},
			{[]string{"u"}, 2, []float64{2}, 1, []int64{3}},
			{[]string{"u"}, 3, []float64{2, 6, 8}, 1, []int64{3, 5, 6}},
		} {
			testutil.NoError(t, r.Select(Selection{Inputs: test.inputs}))
			b, err := r.Peek(test.rows)
			if told != nil {
				t.Fatalf("%s: Peek has told of lines %v", name, told)
			}
			if test.want == nil {
				if fault := wantFault(t, name, err, "not a number"); fault.Line != test.lines[0] {
					t.Errorf("%s: %v, want line %d", name, err, test.lines[0])
				}
				continue
			}
			if err != nil || b.First != test.first || !slices.Equal(b.X.RawMatrix().Data, test.want) {
				t.Fatalf("%s: Peek(%d) of %v: %v, %v; want %v", name, test.rows, test.inputs, b, err, test.want)
			}
			for i, line := range test.lines {
				if b.Where(i).Line != line {
					t.Errorf("%s: sample %d of %v is at %v, want line %d", name, i, test.inputs, b.Where(i), line)
				}
			}
		}
		testutil.NoError(t, r.Select(Selection{}))
		if b, err := r.Next(9); err != nil || b.First != 1 || !slices.Equal(b.X.RawMatrix().Data, []float64{2, 3, 8, 9}) || !slices.Equal(told, []int64{2, 4, 5}) {
			t.Errorf("%s: Next: %v, %v, told of lines %v", name, b, err, told)
		}
	}
	r := mustOpen(t, []string{"-"}, Options{Stdin: strings.NewReader("a,b\nx,y\n"), Bad: func(e *Error) error { return e }})
	_, err := r.Peek(9)
	wantFault(t, "nothing else", err, `:2: column "a"`)
}

// TestBadBytes checks how many bytes were taken, up to the last sample that was delivered or left
// out.
func TestBadBytes(t *testing.T) {
	const text = "u,v\nx,1\n2,3\n\n?,5\n6,yyy\n8,9\n,\n"
	r := mustOpen(t, []string{write(t, "x.csv", []byte(text))}, Options{Bad: func(*Error) error { return nil }})
	at := func(want string) {
		t.Helper()
		if done, total := r.Bytes(); done != int64(strings.Index(text, want)+len(want)) || total != int64(len(text)) {
			t.Errorf("%d of %d bytes, want those up to %q", done, total, want)
		}
	}
	if done, _ := r.Bytes(); done != 0 {
		t.Error(done)
	}
	if _, err := r.Next(1); err != nil {
		t.Fatal(err)
	}
	at("2,3\n")
	if b, err := r.Next(1); err != nil || b.First != 4 {
		t.Fatal(b, err)
	}
	at("8,9\n")
	if _, err := r.Next(1); err != io.EOF {
		t.Fatal(err)
	}
	at("\n,\n")
}

// TestBadMemory reads short samples that are all bad, and bounds the memory of their errors.
func TestBadMemory(t *testing.T) {
	const rows = 1 << 13
	for _, test := range []struct {
		name string
		data []byte
	}{
		{"one letter", []byte("1\n" + strings.Repeat("x\n", rows))}, {"one mark", []byte("1\n" + strings.Repeat("\"\"\n", rows))},
		{"one cell too many", []byte("1\n" + strings.Repeat(",\n", rows))}, {"marks in pairs", []byte("1\n" + strings.Repeat("2\"\"\n", rows))},
		{"many cells", []byte("1\n" + strings.Repeat(strings.Repeat("\"\",", 1000)+"\n", rows>>10))},
		{"halves", append(npyHeader(1, "<f2", false, rows+1), append([]byte{0, 0}, bytes.Repeat([]byte{0, 0x7e}, rows)...)...)},
		{"wide", append(npyHeader(1, "<f2", false, 2, rows), bytes.Repeat([]byte{0, 0x7e}, 2*rows)...)},
	} {
		for _, size := range []int{1, 1 << 20} {
			path := write(t, "x", test.data)
			bad := 0
			got := faults.Allocated(func() {
				r := mustOpen(t, []string{path}, Options{Bad: func(*Error) error { bad++; return nil }})
				var err error
				for err == nil {
					_, err = r.Next(size)
				}
				if err != io.EOF {
					t.Errorf("%s: %v", test.name, err)
				}
			})
			if most := 256*len(test.data) + 8<<10*bad + 512 + 2<<20; bad == 0 || got > uint64(most) {
				t.Errorf("%s: %d bytes allocated for %d and %d bad samples, at most %d may be", test.name, got, len(test.data), bad, most)
			}
		}
	}
}
