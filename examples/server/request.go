package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"blskernel/dataset/stream"
	"blskernel/mat"
)

// A row may have at most maxRow bytes plus maxCell bytes for each cell. The bound is needed because
// encoding/json takes about 30 bytes of memory for each byte of a row.
const maxRow, maxCell = 1 << 20, 64

// errTooManyRows is the error of a request with more rows than fit into maxNumbers.
var errTooManyRows = errors.New("too many rows for one request; send several requests")

// readRows returns the samples of a request and, for each column with unknown words, the number of such
// words. It decodes row by row, so that an error names the row.
func (m *served) readRows(body io.Reader) (x *mat.Dense, unknown map[string]int64, err error) {
	n := len(m.cells)
	tally := stream.Tally{Filled: make([]int64, n), Unknown: make([]int64, n)}
	d := json.NewDecoder(body)
	var data []float64
	rows := 0
	err = expect(d, json.Delim('{'), "rows", json.Delim('['))
	for ; err == nil && d.More(); rows++ {
		if rows > 0 && (rows+1)*(m.inputs+m.outputs) > maxNumbers {
			return nil, nil, errTooManyRows
		}
		var text json.RawMessage
		if err := d.Decode(&text); err != nil {
			return nil, nil, fmt.Errorf("row %d: %w", rows+1, err)
		}
		cells, err := m.row(text)
		if err != nil {
			return nil, nil, fmt.Errorf("row %d%w", rows+1, err)
		}
		data = m.cells.Append(data, cells, &tally)
	}
	if err == nil {
		err = expect(d, json.Delim(']'), json.Delim('}'))
	}
	if err != nil {
		return nil, nil, fmt.Errorf(`%w; a request is {"rows": [ROW, ...]}`, err)
	}
	if _, err := d.Token(); err == nil {
		return nil, nil, errors.New("data follows the JSON object")
	} else if !errors.Is(err, io.EOF) {
		return nil, nil, fmt.Errorf("after the JSON object: %w", err)
	}
	if rows == 0 {
		return nil, nil, errors.New("the request has no rows")
	}
	for j, n := range tally.Unknown {
		if n > 0 {
			if unknown == nil {
				unknown = map[string]int64{}
			}
			unknown[m.name(j)] = n
		}
	}
	return mat.NewDense(rows, m.inputs, data), unknown, nil
}

func expect(d *json.Decoder, want ...json.Token) error {
	for _, w := range want {
		if t, err := d.Token(); errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF
		} else if err != nil {
			return err
		} else if t != w {
			return fmt.Errorf("found %.40v instead of %v", t, w)
		}
	}
	return nil
}

// row returns the cells of a row in the order of the model's columns. text is valid JSON. The text of
// an error follows "row 1", as in " has 3 cells".
func (m *served) row(text []byte) ([]float64, error) {
	n := len(m.cells)
	if len(text) > maxRow+maxCell*n {
		return nil, fmt.Errorf(" has more than %d bytes", maxRow+maxCell*n)
	}
	var row any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&row); err != nil {
		return nil, fmt.Errorf(": %w", err)
	}
	list, isList := row.([]any)
	fields, isObject := row.(map[string]any)
	switch {
	case isList && len(list) != n:
		return nil, fmt.Errorf(" has %d cells; the model has %d columns", len(list), n)
	case isObject && !m.distinct:
		return nil, fmt.Errorf(": the model has no distinct column names; send lists of %d cells", n)
	case !isList && !isObject:
		return nil, errors.New(" is neither a list nor an object of cells")
	}
	at := func(j int, err error) error {
		name := ""
		if j < len(m.names) {
			name = fmt.Sprintf(" (%.80q)", m.names[j])
		}
		return fmt.Errorf(", column %d%s: %w", j+1, name, err)
	}
	cells := make([]float64, n)
	var lacks error
	for j := range cells {
		v, has := fields[m.name(j)]
		if isList {
			v, has = list[j], true
		}
		var err error
		if !has {
			lacks = cmp.Or(lacks, at(j, errors.New("missing from the row")))
		} else if cells[j], err = m.cell(j, v); err != nil {
			return nil, at(j, err)
		}
	}
	return cells, lacks
}

// cell returns the value of v in column j: a finite number, or NaN for a missing cell if missing cells
// are filled in. In a column of words it is the index of the word, which may be a JSON number, or -1
// for an unknown word.
func (m *served) cell(j int, v any) (float64, error) {
	levels := m.cells[j].Levels
	text, _ := json.Marshal(v) // v has been decoded from JSON, so this cannot fail
	number, isNumber := v.(json.Number)
	word, isWord := v.(string)
	word = strings.Trim(word+string(number), " \t")
	missing := (isNumber || isWord) && m.missing(j, word)
	switch {
	case (missing || v == nil) && m.fills:
		return math.NaN(), nil
	case missing:
		return 0, fmt.Errorf("%.40s is a missing value", text)
	case levels != nil && (isNumber || isWord):
		return float64(slices.Index(levels, word)), nil
	case isNumber:
		f, err := number.Float64()
		if err != nil {
			err = fmt.Errorf("%.40s is beyond the range of a float64", number)
		}
		return f, err
	case levels != nil:
		return 0, fmt.Errorf("%.40s is not a word", text)
	}
	return 0, fmt.Errorf("%.40s is not a number", text)
}

// missing reports whether a word or number in column j stands for a missing cell, as in the training
// data. -999.0 is the same as -999, but 9007199254740992 is not 9007199254740993.
func (m *served) missing(j int, word string) bool {
	opt, column := m.read, m.cells[j]
	if word != "" && slices.Contains(column.Levels, word) && !slices.Contains(opt.NA, word) {
		return false
	}
	if v, ok := opt.Number(word); ok && v != v {
		return true
	}
	f, err := strconv.ParseFloat(word, 64)
	if err != nil || opt.NA == nil {
		return false
	}
	bare := column.Notation
	bare.Unit = "" // JSON numbers have none
	opt.NA = nil
	return slices.ContainsFunc(m.read.NA, func(na string) bool {
		for _, of := range []stream.Notation{column.Notation, bare} {
			opt.TargetNotations = []stream.Notation{of}
			v, ok := opt.Number(na)
			if ok && v == f && (math.Abs(f) < 1<<53 || word == na || !whole(word) || !whole(na)) {
				return true
			}
		}
		return false
	})
}

// whole reports whether a number is written as an integer.
func whole(number string) bool { return strings.Trim(number, "-0123456789") == "" }
