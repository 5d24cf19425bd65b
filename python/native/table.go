package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"blskernel/bls/modelfile"
	"blskernel/dataset/stream"
)

// described is the number of leading rows that determine the columns, as in the command train.
const described = 4096

// rows returns a reader of Text. The pandas words for missing values, <NA> and NaT, count as missing.
func (c *call) rows(opt stream.Options) (*stream.Reader, error) {
	opt.Format, opt.Comma, opt.Header = stream.CSV, '\t', stream.HeaderAbsent
	if c.Named {
		opt.Header = stream.HeaderPresent
	}
	opt.NA = append(opt.NA, "<NA>", "NaT")
	opt.Open = func(context.Context, string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(c.Text)), nil
	}
	return stream.Open(c.ctx, []string{"X"}, opt)
}

// describe gives three fields. metadata says how the columns of Text become inputs; it is absent if
// Survey describes no columns. indicated is the same with indicators of missing cells, or null if none
// may help or a file has no room for them. notes describe how numbers are written. The columns in Words
// are known already, and Text has numbers in their place.
func (c *call) describe() error {
	r, err := c.rows(stream.Options{Missing: stream.MissingMean})
	if err != nil {
		return err
	}
	defer r.Close()
	names, notes := r.Inputs(), []string(nil)
	if len(c.Words) > 0 {
		s := r.Selection()
		s.Columns = make(stream.Columns, r.Dim())
		for i := range s.Columns {
			if s.Columns[i] = c.Words[i]; s.Columns[i].Levels == nil {
				s.Columns[i].Fill = []float64{0}
			}
		}
		if err := r.Select(s); err != nil {
			return err
		}
	}
	d, err := r.Survey(described)
	if err != nil {
		return err
	}
	for i, column := range d.Columns {
		name := strconv.Itoa(i)
		if names != nil {
			name = strconv.Quote(names[i])
		}
		if written := column.Notation.String(); written != "" {
			notes = append(notes, fmt.Sprintf("column %s is read %s", name, written))
		}
		if odd := column.NotNumber(); odd != "" && c.Words[i].Levels == nil {
			notes = append(notes, fmt.Sprintf("column %s is read as words, since %.80q is not a number: make it None if it is a missing cell", name, odd))
		}
	}
	about := map[string]any{"notes": notes, "indicated": nil}
	for key, columns := range map[string]stream.Columns{"metadata": d.Columns, "indicated": d.Columns.Indicate(d.Gaps)} {
		if columns == nil {
			continue
		}
		m := modelfile.Metadata{Columns: columns, Inputs: columns.InputNames(names), Missing: stream.MissingMean.String()}
		if err := m.Check(); err == nil {
			about[key] = m
		} else if key == "metadata" {
			return err
		}
	}
	return c.give(about)
}

// inputs stores the inputs of the rows of Text, read according to Metadata, and gives the number of
// unknown words of each column. No row is left out: a row with missing cells is an error if the model
// would drop it.
func (c *call) inputs() error {
	var m modelfile.Metadata
	if err := parse(c.Metadata, &m); err != nil {
		return err
	}
	opt := m.Options()
	opt.Inputs, opt.Exclude = nil, nil
	if opt.Missing == stream.MissingDrop {
		opt.Missing = stream.MissingError
	}
	r, err := c.rows(opt)
	if err != nil {
		return err
	}
	defer r.Close()
	b, err := r.Next(int(max(1, c.arrays[0].rows)))
	if err != nil {
		return err
	}
	if err := c.store(b.X, nil); err != nil {
		return err
	}
	return c.give(r.Tally().Unknown)
}

// inFrame rewrites an error of a reader for users of a DataFrame: it counts rows from 0, and gives the
// remedies as pandas calls.
func (c *call) inFrame(err error) error {
	var e *stream.Error
	if !errors.As(err, &e) {
		return err
	}
	e = e.With(func(r stream.Remedy) string {
		switch r.Option {
		case stream.OptionMissing:
			return "X.dropna()"
		case stream.OptionExclude:
		default:
			return fmt.Sprintf("pandas.read_csv(%s=%q)", strings.ToLower(r.Option.String()), r.Value)
		}
		if r.Value == "" {
			return "X.drop(columns=...)"
		}
		var names []string
		for spec := range strings.SplitSeq(r.Value, ",") {
			if n, err := strconv.Atoi(spec); err == nil {
				names = append(names, fmt.Sprintf("X.columns[%d]", n-1))
			} else {
				names = append(names, strconv.Quote(spec))
			}
		}
		return fmt.Sprintf("X.drop(columns=[%s])", strings.Join(names, ", "))
	})
	if e.Line > 0 {
		row, marks := 0, 0
		if c.Named {
			row--
		}
		for line := range strings.Lines(c.Text) {
			if e.Line--; e.Line == 0 {
				break
			}
			if marks += strings.Count(line, `"`); marks%2 == 0 { // a cell may have several lines
				row++
			}
		}
		e.Path, e.Line = fmt.Sprintf("X, row %d", row), 0
	}
	return e
}
