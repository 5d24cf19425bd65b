package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"unsafe"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/dataset/stream"
	"blskernel/internal/io/memory"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas/blas64"
)

// A method is a row of the table in blskernel.h: the numbers of operands and results, and the function
// that runs. Methods for which reads is true do not change the object, and may run in parallel.
type method struct {
	operands, results int
	reads             bool
	run               func(c *call) error
}

type array struct {
	data               *float64
	rows, cols, stride int64
}

// A call holds the operands and options of one call of a method, and receives the results.
type call struct {
	ctx     context.Context
	backend blskernel.Backend
	name    string
	method
	text   []byte  // the options
	arrays []array // operands, then results
	in     []*mat.Dense
	other  object // the other object of merge, locked
	result []byte // the bytes for bls_result

	options
}

type options struct {
	Factor, Lambda   float64
	Coverage         float64
	Other            int64
	To               []int
	Classes, Threads int
	Packed           bool
	Groups           [][]int
	Repeats          int
	Seed             uint64
	Metadata         json.RawMessage

	Text  string // a tab-separated table
	Named bool   // its first line names the columns
	Words map[int]stream.Column
}

// check returns an error unless the method exists, takes this many arrays, and all arrays are valid.
func (c *call) check() error {
	if c.run == nil || len(c.arrays) != c.operands+c.results {
		return valueError("an object of this kind has no method %.40q for this number of arrays: %d", c.name, len(c.arrays))
	}
	for i, a := range c.arrays {
		impossible := a.rows < 0 || a.cols < 0 || memory.Floats(int(a.rows), int(max(a.cols, a.stride))) >= math.MaxInt64/2
		if impossible || a.rows*a.cols != 0 && (a.data == nil || a.stride < a.cols) {
			return valueError("array %d is invalid: %d×%d with stride %d at address %p", i, a.rows, a.cols, a.stride, a.data)
		}
	}
	return nil
}

func (a array) view() *mat.Dense {
	var d mat.Dense
	if a.rows*a.cols != 0 {
		d.SetRawMatrix(blas64.General{Rows: int(a.rows), Cols: int(a.cols), Stride: int(a.stride),
			Data: unsafe.Slice(a.data, int((a.rows-1)*a.stride+a.cols))})
	}
	return &d
}

// out returns the result array as a matrix, or an error if it is not rows×cols.
func (c *call) out(rows, cols int) (*mat.Dense, error) {
	a := c.arrays[len(c.arrays)-1]
	if a.rows != int64(rows) || a.cols != int64(cols) {
		return nil, valueError("the result is %d×%d; want %d×%d", a.rows, a.cols, rows, cols)
	}
	return a.view(), nil
}

// store copies d to the result. If err is not nil, store only returns err.
func (c *call) store(d *mat.Dense, err error) error {
	if err != nil {
		return err
	}
	to, err := c.out(d.Dims())
	if err == nil {
		to.Copy(d)
	}
	return err
}

// storeColumn copies values to the result, which is one column. If err is not nil, it only returns err.
func storeColumn[T int | float64](c *call, values []T, err error) error {
	if err != nil {
		return err
	}
	to, err := c.out(len(values), 1)
	if err == nil {
		for i, v := range values {
			to.Set(i, 0, float64(v))
		}
	}
	return err
}

// column returns operand i, which must have one column, as a slice, or nil if the operand is omitted.
func (c *call) column(i int) ([]float64, error) {
	if i >= len(c.in) || c.arrays[i].data == nil && c.arrays[i].rows == 0 {
		return nil, nil
	}
	if c.arrays[i].cols != 1 {
		return nil, valueError("array %d is %d×%d; want one column", i, c.arrays[i].rows, c.arrays[i].cols)
	}
	out := make([]float64, c.arrays[i].rows)
	for r := range out {
		out[r] = c.in[i].At(r, 0)
	}
	return out, nil
}

// targets returns operand 1. labels returns operand 1, which must be a column of class numbers.
func (c *call) targets() (*mat.Dense, error) { return c.in[1], nil }

func (c *call) labels() ([]int, error) {
	values, err := c.column(1)
	out := make([]int, len(values))
	for r, v := range values {
		if v != math.Trunc(v) || !(math.Abs(v) < math.MaxInt32) {
			return nil, valueError("label %v of sample %d is not a class number", v, r)
		}
		out[r] = int(v)
	}
	return out, err
}

// give sets the bytes for bls_result to v as JSON.
func (c *call) give(v any) (err error) {
	c.result, err = json.Marshal(v)
	return err
}

func (c *call) giveCondition(u blsupdate.Updater) error {
	k := u.Condition()
	return c.give(map[string]any{"rcond": k.RCond, "digits": k.Digits, "advice": k.Advice, "instead": k.Instead})
}

// room returns a *memory.Error that names what, unless the given number of bytes is available.
func room(bytes int64, what string) error {
	return memory.Check(bytes, "blskernel", "work with smaller arrays or in batches", "%s", what)
}

// roomToEncode returns an error if there is not enough memory to encode a model.
func roomToEncode(u blsupdate.Updater) error {
	state := blsupdate.StateBytes(u.Method(), u.Samples(), u.Nodes(), u.Targets())
	return room(memory.Sum(state, state), "encoding a model")
}

// parse decodes a JSON object into out and rejects unknown fields. An empty text leaves out unchanged.
func parse(text []byte, out any) error {
	if len(text) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(out); err != nil {
		return valueError("options: %v", err)
	}
	return nil
}
