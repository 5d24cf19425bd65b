package stream

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"blskernel/internal/io/names"
)

// MaxLevels is the largest number of levels of a column of words, without the level "".
const MaxLevels = 64

// maxDescribed is the largest length of Columns.
const maxDescribed = 1 << 16

const (
	panicCells  = "stream: there must be one cell for each column"
	panicNames  = "stream: there must be one name for each column"
	panicInputs = "stream: there must be one name for each input"
	panicFill   = "stream: a cell is missing, but its column has no Fill"
)

// Missing is the treatment of missing cells (empty, NA, N/A, NaN, null, None, ?, or NaN in an array).
type Missing int

const (
	MissingError Missing = iota // its sample is bad
	MissingMean                 // an input gets the Fill of its column; inputs without a Fill, targets, labels and weights are as with MissingError
	MissingDrop                 // a sample with a missing input, target, label or weight is left out and counted
)

var missingNames = []string{"error", "mean", "drop"}

// String returns "error", "mean" or "drop".
func (m Missing) String() string { return names.String(missingNames, m) }

func (m Missing) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

func (m *Missing) UnmarshalText(name []byte) (err error) {
	*m, err = ParseMissing(string(name))
	return err
}

// ParseMissing returns the Missing with the given name, ignoring case. "" is MissingError.
func ParseMissing(name string) (Missing, error) {
	return names.Parse[Missing]("stream", missingNames, cmp.Or(name, "error"))
}

// A Column describes how a column of the data becomes inputs, the columns of X. A column of numbers is
// one input. A column of words has one input for each level, which is 1 for a word of that level and 0
// for others. The level "", which comes first, stands for all unknown words. Without that level, an
// unknown word is 0 in all inputs. If Fill has one number more than these inputs, the column has one
// more input: the last number of Fill for a missing cell, and 0 for any other cell.
type Column struct {
	Levels   []string  `json:"levels,omitempty"`  // of a column of words, at most MaxLevels without ""; nil for numbers
	Fill     []float64 `json:"fill,omitempty"`    // the inputs of a missing cell; nil if not filled in
	Notation Notation  `json:"notation,omitzero"` // of a column of numbers
}

// Words returns the levels without "", or nil for a column of numbers.
func (c *Column) Words() []string {
	if len(c.Levels) > 0 && c.Levels[0] == "" {
		return c.Levels[1:]
	}
	return c.Levels
}

// NotNumber returns a word that is not a number if most words are numbers or begin like numbers, and
// otherwise "". The word may stand for a missing cell. NotNumber prefers words that do not begin like
// numbers, and then words without a comma. An interval such as (0, 10] does not begin like a number.
func (c *Column) NotNumber() string {
	n, odd, unit, comma := 0, "", "", ""
	for _, word := range c.Words() {
		_, err := strconv.ParseFloat(word, 64)
		start := strings.TrimLeft(word, "(+-$€£ ")
		switch begins := start != "" && start[0] >= '0' && start[0] <= '9' && !strings.HasSuffix(word, "]"); {
		case err == nil:
			n++
		case !begins:
			odd = cmp.Or(odd, word)
		case strings.Contains(word, ","):
			n++
			comma = cmp.Or(comma, word)
		default:
			n++
			unit = cmp.Or(unit, word)
		}
	}
	if 2*n <= len(c.Words()) {
		return ""
	}
	return cmp.Or(odd, unit, comma)
}

// Inputs returns the number of inputs of the column, including an indicator of missing cells.
func (c *Column) Inputs() int { return max(c.inputs(), len(c.Fill)) }

// inputs is Inputs without the indicator.
func (c *Column) inputs() int { return max(1, len(c.Levels)) }

// Columns describe all columns of the data that become inputs, in their order.
type Columns []Column

// UnmarshalJSON rejects more than 2^16 columns, so that memory stays in proportion to the text.
func (c *Columns) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return errors.New("the columns are not a JSON array")
	}
	*c = nil
	for d.More() {
		var column Column
		if err := d.Decode(&column); err != nil {
			return err
		}
		if *c = append(*c, column); len(*c) > maxDescribed {
			return fmt.Errorf("there are more than %d columns", maxDescribed)
		}
	}
	return nil
}

// Inputs returns the number of inputs of all columns.
func (c Columns) Inputs() int {
	n := 0
	for i := range c {
		n += c[i].Inputs()
	}
	return n
}

// Filled reports whether every column has a Fill for missing cells.
func (c Columns) Filled() bool {
	return !slices.ContainsFunc(c, func(c Column) bool { return c.Fill == nil })
}

// Indicate returns a copy of c with an indicator of missing cells in each column i for which
// indicate[i] is true. It returns nil if no element of indicate is true.
//
//	panics: unless indicate has an element for each column, and each column to indicate has a Fill.
func (c Columns) Indicate(indicate []bool) Columns {
	if !slices.Contains(indicate, true) {
		return nil
	}
	out := slices.Clone(c)
	for i := range out {
		if indicate[i] {
			out[i].Fill = append(slices.Clone(c[i].Fill[:c[i].inputs()]), 1)
		}
	}
	return out
}

// InputNames returns the names of the inputs of columns with the given names. A column of numbers keeps
// its name. A column of words has a name for each level, as in "color=red", and "color=" for unknown
// words. An indicator of missing cells is "color=NA". If c is nil, InputNames returns names.
//
//	panics: unless there is a name for each column.
func (c Columns) InputNames(names []string) []string {
	if names == nil || c == nil {
		return slices.Clone(names)
	}
	if len(names) != len(c) {
		panic(panicNames)
	}
	var out []string
	for i, name := range names {
		if c[i].Levels == nil {
			out = append(out, name)
		}
		for _, level := range c[i].Levels {
			out = append(out, name+"="+level)
		}
		if c[i].Inputs() > c[i].inputs() {
			out = append(out, name+"=NA")
		}
	}
	return out
}

// Names is the inverse of InputNames: it returns the names of the columns, given the names of their
// inputs. If c is nil, it returns inputs.
//
//	panics: unless there is a name for each input.
func (c Columns) Names(inputs []string) []string {
	if inputs == nil || c == nil {
		return slices.Clone(inputs)
	}
	if len(inputs) != c.Inputs() {
		panic(panicInputs)
	}
	out := make([]string, len(c))
	at := 0
	for i := range c {
		out[i] = inputs[at]
		if levels := c[i].Levels; levels != nil {
			out[i] = out[i][:max(0, len(out[i])-len(levels[0])-1)]
		}
		at += c[i].Inputs()
	}
	return out
}

// Check returns an error for columns that Survey cannot return: with Levels that are empty, too many,
// repeated or not UTF-8, with a Fill of the wrong length or not finite, or with a Notation that is
// invalid or comes with Levels.
func (c Columns) Check() error {
	if len(c) > maxDescribed {
		return fmt.Errorf("there are more than %d columns", maxDescribed)
	}
	for i := range c {
		levels, fill := c[i].Levels, c[i].Fill
		switch {
		case levels != nil && len(c[i].Words()) == 0:
			return fmt.Errorf("column %d has levels without a word", i+1)
		case len(c[i].Words()) > MaxLevels:
			return fmt.Errorf("column %d has %d levels; want at most %d", i+1, len(c[i].Words()), MaxLevels)
		case fill != nil && len(fill) != c[i].inputs() && len(fill) != c[i].inputs()+1:
			return fmt.Errorf("column %d has %s, but %s for a missing cell; want one for each input, and at most one more", i+1, names.Count(c[i].inputs(), "input"), names.Count(len(fill), "value"))
		}
		if err := c[i].Notation.Check(); err != nil {
			return fmt.Errorf("column %d %w", i+1, err)
		}
		if levels != nil && c[i].Notation != (Notation{}) {
			return fmt.Errorf("column %d has both levels and a number notation", i+1)
		}
		for k, level := range levels {
			if !utf8.ValidString(level) || slices.Contains(levels[:k], level) || level == "" && k > 0 {
				return fmt.Errorf("column %d has the level %.100q, which is repeated, not UTF-8, or empty but not the first", i+1, level)
			}
		}
		for _, v := range fill {
			if v-v != 0 {
				return fmt.Errorf("column %d has %v for a missing cell; want finite numbers", i+1, v)
			}
		}
	}
	return nil
}

// checkColumns returns an error for invalid Columns, for Columns without the Fill that Missing needs,
// and for an invalid Notation of a target.
func (o *Options) checkColumns() error {
	if err := o.Columns.Check(); err != nil {
		return fmt.Errorf("stream: %w", err)
	}
	if o.Missing == MissingMean && !o.Columns.Filled() {
		return errors.New("stream: missing cells cannot be filled in, because a column has no value for them; choose another treatment of missing cells")
	}
	for i, n := range o.TargetNotations {
		if err := n.Check(); err != nil {
			return fmt.Errorf("stream: target %d %w", i+1, err)
		}
	}
	return nil
}

// A Tally counts left-out samples, filled-in cells and unknown words.
type Tally struct {
	Dropped int64   // samples left out by MissingDrop
	Filled  []int64 // missing cells that were filled in, for each of Options.Columns; nil without them
	Unknown []int64 // words that are not levels, for each of Options.Columns; nil without them
}

// Append appends the inputs of one sample to x and returns the result. Each cell is a number or, in a
// column of words, the index of its level, or -1 for an unknown word. A missing cell is NaN. Append
// counts filled-in cells and unknown words in t, unless t is nil.
//
//	panics: unless there is a cell for each column, and a Fill for each missing cell.
func (c Columns) Append(x, cells []float64, t *Tally) []float64 {
	if len(cells) != len(c) {
		panic(panicCells)
	}
	for i, v := range cells {
		column, at := &c[i], len(x)
		if math.IsNaN(v) {
			if column.Fill == nil {
				panic(panicFill)
			}
			x = append(x, column.Fill...)
			if t != nil {
				t.Filled[i]++
			}
			continue
		}
		x = append(x, make([]float64, column.Inputs())...)
		switch {
		case column.Levels == nil:
			x[at] = v
		case v >= 0:
			x[at+int(v)] = 1
		default:
			if column.Levels[0] == "" {
				x[at] = 1
			}
			if t != nil {
				t.Unknown[i]++
			}
		}
	}
	return x
}
