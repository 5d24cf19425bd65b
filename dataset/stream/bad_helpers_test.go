package stream

import (
	"io"
	"slices"
	"testing"

	"blskernel/internal/testutil"
)

// A sampleAt is a sample of the data as a test expects it.
type sampleAt struct {
	x, y  []float64
	label string
	place Place // of the inputs
	fault Place // what Options.Bad is told of a bad one; empty for a good one
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

// checkLeftOut reads what open opens in batches of some sizes: there are the good samples of want in
// their order with their numbers and places, and Options.Bad is told of the bad ones up to the last
// that is delivered.
func checkLeftOut(t testing.TB, name string, open func(bad func(*Error) error) (*Reader, error), want []sampleAt, sizes ...int) {
	t.Helper()
	for _, size := range sizes {
		at := 0
		var told, toldWant []Place
		r, err := open(func(e *Error) error {
			told = append(told, Place{e.Path, e.Line, e.Row})
			return nil
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		passBad := func() {
			for ; at < len(want) && want[at].bad(); at++ {
				toldWant = append(toldWant, want[at].fault)
			}
		}
		for rows := size; rows == size; {
			b, err := r.Next(size)
			if rows = 0; err == nil {
				rows, _ = b.X.Dims()
			} else if err != io.EOF {
				t.Fatalf("%s by %d: %v behind sample %d", name, size, err, at)
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
			if rows < size {
				passBad()
			}
			if !slices.Equal(told, toldWant) {
				t.Fatalf("%s by %d: bad are %v up to sample %d, want %v", name, size, told, at, toldWant)
			}
		}
		if at != len(want) {
			t.Fatalf("%s by %d: %d samples, want %d", name, size, at, len(want))
		}
		if _, err := r.Next(1); err != io.EOF {
			t.Fatalf("%s by %d: at the end %v", name, size, err)
		}
		testutil.NoError(t, r.Close())
	}
}
