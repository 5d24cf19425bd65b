package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"blskernel/dataset/stream"
	"blskernel/mat"
)

// errTooManyRows is the error of a request with more rows than fit into mostNumbers.
var errTooManyRows = errors.New("too many rows for one request; send several")

// A reader reads the rows of a request token by token: encoding/json alone would take null for 0, and
// could not say where a value is wrong.
type reader struct {
	*json.Decoder
	*served
	row   []float64 // the cells of a row
	data  []float64 // the inputs of the rows so far
	tally stream.Tally
}

// readRows returns the samples of a request, and how many words of it the model does not know.
func readRows(body io.Reader, m *served) (x *mat.Dense, unknown map[string]int64, err error) {
	n := len(m.cells)
	r := &reader{Decoder: json.NewDecoder(body), served: m, row: make([]float64, n),
		tally: stream.Tally{Filled: make([]int64, n), Unknown: make([]int64, n)}}
	r.UseNumber()
	rows := 0
	err = r.expect(json.Delim('{'), "rows", json.Delim('['))
	for ; err == nil && r.More(); rows++ {
		if rows > 0 && (rows+1)*(m.inputs+m.outputs) > mostNumbers {
			return nil, nil, errTooManyRows
		}
		if err := r.readRow(rows); err != nil {
			return nil, nil, err
		}
	}
	if err == nil {
		err = r.expect(json.Delim(']'), json.Delim('}'))
	}
	if err != nil {
		return nil, nil, fmt.Errorf(`%w; a request is {"rows": [ROW, ...]}`, err)
	}
	end := r.InputOffset()
	var large *http.MaxBytesError
	if _, err := r.Token(); errors.As(err, &large) {
		return nil, nil, err
	} else if !errors.Is(err, io.EOF) {
		return nil, nil, fmt.Errorf("after row %d: there is more than the JSON object, which ends at byte %d", rows, end)
	}
	if rows == 0 {
		return nil, nil, errors.New("the request has no rows")
	}
	for j, n := range r.tally.Unknown {
		if n > 0 {
			if unknown == nil {
				unknown = map[string]int64{}
			}
			unknown[m.name(j)] = n
		}
	}
	return mat.NewDense(rows, m.inputs, r.data), unknown, nil
}

// readRow appends row i, from 0, to the data: a list of cells in the order of the columns, or an object
// of cells by the names of the columns.
func (r *reader) readRow(i int) error {
	t, err := r.token()
	inRow := func(err error) error { return fmt.Errorf("row %d: %w", i+1, err) }
	end := json.Delim(']')
	switch {
	case err != nil:
		return inRow(err)
	case t == json.Delim('{') && r.columns == nil:
		return inRow(fmt.Errorf("the model has no distinct names of columns; send lists of %d cells", len(r.row)))
	case t == json.Delim('{'):
		end = '}'
	case t != json.Delim('['):
		return inRow(fmt.Errorf("%s is neither a list nor an object of cells", text(t)))
	}
	has := make([]bool, len(r.row))
	next := 0 // in a list
	for ; r.More(); next++ {
		j := next
		if end == '}' {
			if t, err = r.token(); err != nil {
				return inRow(err)
			}
			name, _ := t.(string) // as all keys are
			column, known := r.columns[name]
			if !known {
				if err := r.Decode(new(json.RawMessage)); err != nil {
					return fmt.Errorf("row %d, %.80q: %w", i+1, name, early(err))
				}
				continue
			}
			j = column
		}
		switch {
		case j == len(has):
			err = fmt.Errorf("the model has %d columns, and the row goes on", len(has))
		case has[j]:
			err = errors.New("the row has it twice")
		default:
			has[j] = true
			r.row[j], err = r.cell(j)
		}
		if err != nil {
			return r.at(i, j, err)
		}
	}
	if err := r.expect(end); err != nil && end == ']' {
		return r.at(i, next, err)
	} else if err != nil {
		return inRow(err)
	}
	if j := slices.Index(has, false); j >= 0 {
		return r.at(i, j, errors.New("the row lacks it"))
	}
	r.data = r.cells.Append(r.data, r.row, &r.tally)
	return nil
}

// cell reads a cell of column j: a finite number; null where the model fills it in; or a word, which
// may be written as a number. Of a word it returns the index of the level, -1 for an unknown one.
func (r *reader) cell(j int) (float64, error) {
	t, err := r.token()
	if err != nil {
		return 0, err
	}
	levels := r.cells[j].Levels
	n, number := t.(json.Number)
	word, isWord := t.(string)
	switch {
	case t == nil && r.fills:
		return math.NaN(), nil
	case levels != nil && number:
		return float64(slices.Index(levels, string(n))), nil
	case levels != nil && isWord:
		return float64(slices.Index(levels, strings.Trim(word, " \t"))), nil
	case levels != nil:
		return 0, fmt.Errorf("%s is not a word", text(t))
	case !number:
		return 0, fmt.Errorf("%s is not a number", text(t))
	}
	v, err := strconv.ParseFloat(string(n), 64)
	if err != nil {
		return 0, fmt.Errorf("%.40s is beyond the largest number", n)
	}
	return v, nil
}

// expect reads the tokens want.
func (r *reader) expect(want ...json.Token) error {
	for _, w := range want {
		t, err := r.token()
		if err != nil {
			return err
		}
		if t != w {
			return fmt.Errorf("%s where %s should be", text(t), text(w))
		}
	}
	return nil
}

// token reads a token.
func (r *reader) token() (json.Token, error) {
	t, err := r.Token()
	return t, early(err)
}

// early names the error of JSON that is cut off.
func early(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the JSON ends too early")
	}
	return err
}

// at adds the place to an error: row i and column j, from 0.
func (r *reader) at(i, j int, err error) error {
	name := ""
	if j < len(r.names) {
		name = fmt.Sprintf(" (%.80q)", r.names[j])
	}
	return fmt.Errorf("row %d, column %d%s: %w", i+1, j+1, name, err)
}

// text returns a token for a message.
func text(t json.Token) string {
	switch t := t.(type) {
	case nil:
		return "null"
	case string:
		return fmt.Sprintf("%.40q", t)
	default:
		return fmt.Sprintf("%.40v", t)
	}
}
