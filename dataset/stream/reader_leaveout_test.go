package stream

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"blskernel/internal/testutil"
)

// A sampleAt is a sample of the data as a test expects it.
type sampleAt struct {
	x, y  []float64
	label string
	place Place // of the inputs
	end   int64 // bytes of the text up to its end; 0 if unknown
	fault Place // the place that Options.Bad gets for a bad one; empty for a good one
}

func (s *sampleAt) bad() bool { return s.fault != Place{} }

// at gives the samples their path.
func at(path string, want []sampleAt) []sampleAt {
	want = slices.Clone(want)
	for i := range want {
		want[i].place.Path = display(path)
		if want[i].bad() {
			want[i].fault.Path = display(path)
		}
	}
	return want
}

// checkLeftOut is checkSamples for data without a fault.
func checkLeftOut(t testing.TB, name string, open func(bad func(*Error) error) (*Reader, error), want []sampleAt, sizes ...int) {
	t.Helper()
	checkSamples(t, name, open, want, func(err error) bool { return err == io.EOF }, sizes...)
}

// checkSamples reads what open opens in batches of some sizes. It checks that the batches have the good
// samples of want in order, with their numbers, places and bytes. Options.Bad must get the bad ones up
// to the last sample delivered. Then every call must return an error that ends accepts.
func checkSamples(t testing.TB, name string, open func(bad func(*Error) error) (*Reader, error), want []sampleAt, ends func(error) bool, sizes ...int) {
	t.Helper()
	for _, size := range sizes {
		at := 0
		var told, toldWant []Place
		r, err := open(func(e *Error) error {
			told = append(told, Place{e.Path, e.Line, e.Row})
			return nil
		})
		passBad := func() {
			for ; at < len(want) && want[at].bad(); at++ {
				toldWant = append(toldWant, want[at].fault)
			}
		}
		for err == nil {
			var b *Batch
			rows := 0
			if b, err = r.Next(size); err == nil {
				rows, _ = b.X.Dims()
			}
			for i := range rows {
				passBad()
				if at == len(want) {
					t.Fatalf("%s by %d: more than %d samples", name, size, len(want))
				}
				s := &want[at]
				if i == 0 && b.First != int64(at) {
					t.Fatalf("%s by %d: the batch is at %d, want %d", name, size, b.First, at)
				}
				if n := b.Number(i); n != int64(at)+1 {
					t.Fatalf("%s by %d: sample %d has the number %d", name, size, at, n)
				}
				if !bitsEqual(b.X.RawRowView(i), s.x) || b.Where(i) != s.place || s.y != nil && !bitsEqual(b.Y.RawRowView(i), s.y) || s.label != "" && b.Labels[i] != s.label {
					t.Fatalf("%s by %d: sample %d is %v at %v, want %+v", name, size, at, b.X.RawRowView(i), b.Where(i), *s)
				}
				at++
			}
			if done, _ := r.Bytes(); rows == size && want[at-1].end > 0 && done != want[at-1].end {
				t.Fatalf("%s by %d: %d bytes up to sample %d, want %d", name, size, done, at-1, want[at-1].end)
			}
			if rows < size {
				passBad()
			}
			if !slices.Equal(told, toldWant) {
				t.Fatalf("%s by %d: bad are %v up to sample %d, want %v", name, size, told, at, toldWant)
			}
		}
		if at != len(want) || !ends(err) {
			t.Fatalf("%s by %d: %d samples, want %d, and then %v", name, size, at, len(want), err)
		}
		if r == nil {
			continue
		}
		if _, again := r.Next(1); again != err {
			t.Fatalf("%s by %d: %v, and then %v", name, size, err, again)
		}
		testutil.NoError(t, r.Close())
	}
}

// TestBadEnds reads data of every format with bad samples. Options.Bad gets the error that ends the
// reading without it, after the same samples. An error of Options.Bad, at each bad sample, ends the
// reading: Next returns exactly that error from then on, and does not call Bad again.
func TestBadEnds(t *testing.T) {
	values := count(1, 12)
	values[3], values[7], values[8] = math.NaN(), math.Inf(1), math.NaN()
	labels := append(npyHeader(1, "<f8", false, 3, 2), float64s(1, 2, 3, 4.5, 5, 6)...)
	text := write(t, "text.npy", append(npyHeader(1, "|S1", false, 3), "a\x00b"...))
	why := errors.New("too many")
	for name, d := range map[string]struct {
		data []byte
		opt  Options
	}{
		"csv":         {[]byte("a,b\n1,2\n3,x\n4,5\n6\n7,8\n,9\n"), Options{}},
		"quoted":      {[]byte("a,b\n1,\"2\"\n3,\"x\"\n4,5\n6\"\",7\n"), Options{}},
		"csv, labels": {[]byte("1,a\n2,\n3,\"\"\n4,b\n"), Options{Targets: []string{"2"}, Classes: true}},
		"npy":         {append(npyHeader(1, "<f8", false, 6, 2), float64s(values...)...), Options{}},
		"npy, labels": {labels, Options{Targets: []string{"2"}, Classes: true}},
		"text":        {[]byte("1\n2\n3\n"), Options{TargetPath: text, Classes: true}},
		"npz":         {npz(t, member{"X.npy", append(npyHeader(1, ">f8", false, 6, 2), elementsOf(">f8", values)...), 8}), Options{}},
		"idx":         {idxFile(13, elementsOf(">f4", values), 4, 3), Options{}},
	} {
		path := write(t, "x", d.data)
		before, want := loadEach(t, path, d.opt, 1)
		wantFault(t, name, want, "")
		var told []string
		d.opt.Bad = func(e *Error) error { told = append(told, e.Error()); return nil }
		all, err := loadEach(t, path, d.opt)
		if err != nil || len(told) == 0 || told[0] != want.Error() || all.rows <= before.rows || !bitsEqual(all.x[:len(before.x)], before.x) {
			t.Fatalf("%s: %d samples and %q, %v; want more than %d and first %q", name, all.rows, told, err, before.rows, want)
		}
		total := len(told)
		for last := 1; last <= total; last++ {
			calls := 0
			var given error
			d.opt.Bad = func(e *Error) error {
				if calls++; calls < last {
					return nil
				}
				if given = why; last == 2 {
					given = e // as a caller does that has counted enough
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

	// io.EOF is the end. The end of the context also ends the reading of nothing but bad lines.
	r := mustOpen(t, []string{"-"}, Options{Stdin: strings.NewReader("1\n2\nx\n3\n"), Header: HeaderAbsent, Bad: func(*Error) error { return io.EOF }})
	if all, err := readAll(t, r, 10); err != io.EOF || !slices.Equal(all.x, count(1, 2)) {
		t.Errorf("%v, %v", all.x, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	calls := 0
	r, err := Open(ctx, []string{"-"}, Options{Stdin: strings.NewReader("1,2\n" + strings.Repeat("3;4\n", 30_000)), Bad: func(*Error) error {
		if calls++; calls == 20_000 {
			cancel(why)
		}
		return nil
	}})
	testutil.NoError(t, err)
	if b, err := r.Next(1); err != nil || b.X.At(0, 1) != 2 {
		t.Errorf("%v, %v", b, err)
	}
	if _, err = r.Next(1); !errors.Is(err, why) || calls != 20_000 {
		t.Errorf("%d calls and %v", calls, err)
	}
	testutil.NoError(t, r.Close())
}

// TestBadReadFault reads from a reader that fails in a piece after bad samples: a fault of the file.
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
		write(t, "d.npy", append(npyHeader(1, "<f4", false, 2, 2), elementsOf("<f4", []float64{6, 7, 8, math.NaN()})...))}
	line := func(k int, n int64) Place { return Place{Path: paths[k], Line: n} }
	row := func(n int64) Place { return Place{Path: paths[3], Row: n} }
	checkLeftOut(t, "several", func(bad func(*Error) error) (*Reader, error) {
		return Open(t.Context(), paths, Options{Bad: bad})
	}, []sampleAt{{fault: line(0, 2)}, {x: count(2, 2), place: line(0, 3)}, {fault: line(0, 4)}, {fault: line(1, 2)}, {fault: line(2, 1)}, {x: count(4, 2), place: line(2, 2)},
		{fault: line(2, 3)}, {x: count(6, 2), place: row(1)}, {fault: row(2)}}, 1, 2, 3, 100)
}

// TestBadPeek peeks at samples, some of them bad, which Peek leaves out. Options.Bad gets each once,
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
			{nil, 1, nil, 0, []int64{2}}, // one is bad, and Peek looks at no more
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
