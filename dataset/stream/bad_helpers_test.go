package stream

import (
	"encoding/csv"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A sampleAt is a sample of the data as a test expects it.
type sampleAt struct {
	x, y  []float64
	label string
	place Place // of the inputs
	fault Place // what Options.Bad is told of a bad one; empty for a good one
}

func (s *sampleAt) bad() bool { return s.fault != Place{} }

// checkLeftOut reads what open opens in batches of some sizes, behind the beginning too, and skips two
// samples behind every third batch: there are the good samples of want in their order with their
// numbers and places, and Options.Bad is told of the bad ones, but for those that are skipped, up to
// the last that is delivered.
func checkLeftOut(t testing.TB, name string, open func(bad func(*Error) error) (*Reader, error), want []sampleAt, sizes ...int) {
	t.Helper()
	for i, size := range sizes {
		at := i * len(want) / len(sizes)
		var told, toldWant []Place
		r, err := open(func(e *Error) error {
			told = append(told, Place{e.Path, e.Line, e.Row})
			return nil
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := r.Skip(int64(at)); err != nil || told != nil {
			t.Fatalf("%s: %v, and of samples that are skipped %v", name, err, told)
		}
		passBad := func() {
			for ; at < len(want) && want[at].bad(); at++ {
				toldWant = append(toldWant, want[at].fault)
			}
		}
		for rows, batches := size, 1; rows == size; batches++ {
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
			if hop := min(2, len(want)-at); batches%3 == 0 && rows == size {
				if err := r.Skip(int64(hop)); err != nil {
					t.Fatalf("%s by %d: %v", name, size, err)
				}
				at += hop
			}
		}
		if at != len(want) {
			t.Fatalf("%s by %d: %d samples, want %d", name, size, at, len(want))
		}
		if _, err := r.Next(1); err != io.EOF {
			t.Fatalf("%s by %d: at the end %v", name, size, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// referenceBad reads text by encoding/csv and strconv as reference does, goes on behind bad samples,
// and returns the line of what ends the reading, 0 where nothing does.
func referenceBad(path, text string, comma rune) (samples []sampleAt, line int64) {
	text = strings.TrimPrefix(text, "\ufeff")
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = comma
	r.FieldsPerRecord = -1
	width := 0
	for {
		begin := r.InputOffset()
		record, err := r.Read()
		var parse *csv.ParseError
		switch {
		case err == io.EOF:
			return samples, 0
		case errors.As(err, &parse):
			if width == 0 || strings.Count(text[begin:r.InputOffset()], `"`)%2 == 1 {
				return samples, lineOfFault(parse)
			}
			samples = append(samples, sampleAt{fault: Place{Path: path, Line: lineOfFault(parse)}})
			continue
		case width == 0:
			width = len(record)
		}
		lineOf := func(col int) Place {
			line, _ := r.FieldPos(col)
			return Place{Path: path, Line: int64(line)}
		}
		s := sampleAt{x: make([]float64, len(record)), place: lineOf(0)}
		for i, cell := range record {
			v, err := strconv.ParseFloat(strings.Trim(cell, " \t"), 64)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				s.fault = lineOf(i)
				break
			}
			s.x[i] = v
		}
		if len(record) != width {
			s.fault = lineOf(0)
		}
		samples = append(samples, s)
	}
}

// compareBad reads text from a reader, leaves out what is bad, and compares samples, their places and
// the faults with the reference.
func compareBad(t *testing.T, text string, comma rune, in io.Reader) {
	t.Helper()
	want, wantLine := referenceBad(stdinName, text, comma)
	var got []sampleAt
	r, err := Open(t.Context(), []string{"-"}, Options{Format: CSV, Header: HeaderAbsent, Comma: comma, Stdin: in, Bad: func(e *Error) error {
		checkFault(t, e)
		got = append(got, sampleAt{fault: Place{e.Path, e.Line, e.Row}})
		return nil
	}})
	for err == nil {
		var b *Batch
		if b, err = r.Next(1); err == nil {
			if b.First != int64(len(got)) {
				t.Fatalf("%q: sample %d has the number %d", text, len(got), b.First)
			}
			got = append(got, sampleAt{x: b.X.RawRowView(0), place: b.Where(0)})
		}
	}
	if r != nil {
		defer r.Close()
	}
	var fault *Error
	if errors.As(err, &fault) && strings.Contains(fault.What, "is empty") && len(want) == 0 && wantLine == 0 {
		return
	}
	if (err == io.EOF) != (wantLine == 0) || err != io.EOF && (fault == nil || fault.Line != wantLine) {
		t.Fatalf("%q: error %v, want one in line %d", text, err, wantLine)
	}
	if len(got) != len(want) {
		t.Fatalf("%q: %d samples, good and bad, want %d", text, len(got), len(want))
	}
	for i, w := range want {
		if got[i].fault != w.fault || !w.bad() && (!bitsEqual(got[i].x, w.x) || got[i].place != w.place) {
			t.Fatalf("%q: sample %d is %+v, want %+v", text, i, got[i], w)
		}
	}
}
