package mat

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"

	"gonum.org/v1/gonum/mat"
)

// A misuse is a call with bad arguments, on operands whose storage can be compared afterwards.
type misuse struct {
	what string
	want any // what it panics with
	call func(b blskernel.Backend, data []float64)
}

// dense is the r×c matrix with the given stride that begins at data[at].
func dense(data []float64, at, r, c, stride int) *Dense {
	d := NewDense(1, 1, nil)
	raw := d.RawMatrix()
	raw.Rows, raw.Cols, raw.Stride, raw.Data = r, c, stride, data[at:]
	d.SetRawMatrix(raw)
	return d
}

// kept is an empty matrix that keeps its storage, data[at:], for a result of n elements.
func kept(data []float64, at, n int) *Dense {
	d := NewDense(1, n, data[at:at+n])
	d.Reset()
	return d
}

// misuses are all kinds of bad arguments of the products. data has 60 elements.
func misuses() (all []misuse) {
	type data = []float64
	add := func(what string, want any, call func(b blskernel.Backend, d data)) {
		all = append(all, misuse{what, want, call})
	}
	at := func(d data, i int) *Dense { return dense(d, i, 3, 3, 4) }
	sized := func(d data, i, r, c int) *Dense { return dense(d, i, r, c, 4) }
	sym := func(d data, i, n int) *SymPacked { return NewSymPacked(n, d[i:i+n*(n+1)/2]) }
	other := func() *Dense { return NewDense(3, 3, nil) }
	shape, overlap := any(mat.ErrShape), any(regionOverlap)
	add("inner dimensions", shape, func(b blskernel.Backend, d data) { Mul(b, at(d, 0), sized(d, 20, 3, 2), at(d, 40)) })
	add("inner dimensions", shape, func(b blskernel.Backend, d data) {
		MulTrans(b, at(d, 0), sized(d, 20, 3, 2), false, at(d, 40), true)
	})
	add("inner dimensions", shape, func(b blskernel.Backend, d data) {
		MulTrans(b, at(d, 0), sized(d, 20, 2, 3), true, at(d, 40), true)
	})
	add("empty operand", shape, func(b blskernel.Backend, d data) { Mul(b, at(d, 0), &Dense{}, at(d, 40)) })
	add("rows of the result", shape, func(b blskernel.Backend, d data) { Mul(b, sized(d, 0, 2, 3), at(d, 20), at(d, 40)) })
	add("columns of the result", shape, func(b blskernel.Backend, d data) { Mul(b, sized(d, 0, 3, 4), at(d, 20), at(d, 40)) })
	add("order of the outer product", shape, func(b blskernel.Backend, d data) { SymOuterK(b, sym(d, 0, 2), 1, at(d, 20), false) })
	add("order of the inner product", shape, func(b blskernel.Backend, d data) { SymOuterK(b, sym(d, 0, 3), 1, sized(d, 20, 3, 2), true) })
	add("outer product over its operand", overlap, func(b blskernel.Backend, d data) { SymOuterK(b, sym(d, 15, 3), 1, at(d, 20), false) })
	add("outer product on the kept storage of its operand", overlap, func(b blskernel.Backend, d data) {
		s := sym(d, 15, 3)
		s.Reset()
		SymOuterK(b, s, 1, at(d, 20), false)
	})
	add("order on the left", shape, func(b blskernel.Backend, d data) { SymMul(b, at(d, 0), sym(d, 20, 2), at(d, 40)) })
	add("order on the right", shape, func(b blskernel.Backend, d data) { MulSym(b, at(d, 0), at(d, 40), sym(d, 20, 4)) })
	add("shape of the result on the left", shape, func(b blskernel.Backend, d data) { SymMul(b, sized(d, 0, 2, 3), sym(d, 20, 3), at(d, 40)) })
	add("shape of the result on the right", shape, func(b blskernel.Backend, d data) { MulSym(b, sized(d, 0, 3, 2), at(d, 40), sym(d, 20, 3)) })
	add("result over the packed operand", overlap, func(b blskernel.Backend, d data) { SymMul(b, at(d, 10), sym(d, 20, 3), at(d, 40)) })
	add("result over the packed operand", overlap, func(b blskernel.Backend, d data) { MulSym(b, at(d, 10), at(d, 40), sym(d, 20, 3)) })
	add("kept storage in the packed operand", overlap, func(b blskernel.Backend, d data) {
		SymMul(b, kept(d, 15, 9), sym(d, 20, 3), at(d, 40))
	})
	add("kept storage in the dense operand", overlap, func(b blskernel.Backend, d data) {
		MulSym(b, kept(d, 35, 9), at(d, 40), sym(d, 20, 3))
	})
	// dst over a part of the operand of SymMul, and on storage that it keeps; FuzzAliasing has the
	// rest.
	for _, shift := range []int{-10, -5, -4, -1, 1, 4, 5, 10} {
		add(fmt.Sprintf("result %d beside the operand of SymMul", shift), overlap, func(b blskernel.Backend, d data) {
			SymMul(b, at(d, 25+shift), NewSymPacked(3, nil), at(d, 25))
		})
		add(fmt.Sprintf("result %d beside the second operand", shift), overlap, func(b blskernel.Backend, d data) {
			MulTrans(b, at(d, 25+shift), other(), true, at(d, 25), true)
		})
	}
	for _, shift := range []int{-8, -1, 0, 1, 10} {
		add(fmt.Sprintf("kept storage %d beside the first operand", shift), overlap, func(b blskernel.Backend, d data) {
			Mul(b, kept(d, 25+shift, 9), at(d, 25), other())
		})
	}
	return all
}

// Bad arguments of every function panic with a constant, and nothing has been written then.
func TestArguments(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		for _, m := range misuses() {
			data := make([]float64, 60)
			for i := range data {
				data[i] = float64(i + 1)
			}
			before := slices.Clone(data)
			if got := testutil.PanicValue(func() { m.call(b, data) }); got != m.want {
				t.Errorf("%s: panics with %v, want %v", m.what, got, m.want)
			}
			if !slices.Equal(data, before) {
				t.Errorf("%s: storage was written: %v", m.what, data)
			}
		}
	})
}

// The same of the matrix type.
func TestSymPackedArguments(t *testing.T) {
	data := []float64{1, 2, 3, 4, 5, 6}
	s := NewSymPacked(3, data)
	for _, m := range []struct {
		what string
		want any
		call func()
	}{
		{"negative order", "mat: negative dimension", func() { NewSymPacked(-1, nil) }},
		{"negative order", "mat: negative dimension", func() { NewSymPacked(math.MinInt, data) }},
		{"short data", "mat: SymPacked: length of data is not n(n+1)/2", func() { NewSymPacked(3, data[:5]) }},
		{"long data", "mat: SymPacked: length of data is not n(n+1)/2", func() { NewSymPacked(2, data) }},
		{"no data", "mat: SymPacked: length of data is not n(n+1)/2", func() { NewSymPacked(2, []float64{}) }},
		{"row", mat.ErrRowAccess, func() { s.At(3, 0) }},
		{"negative row", mat.ErrRowAccess, func() { s.At(-1, 0) }},
		{"row", mat.ErrRowAccess, func() { s.SetSym(3, 0, 7) }},
		{"negative row", mat.ErrRowAccess, func() { s.SetSym(-1, 2, 7) }},
		{"column", mat.ErrColAccess, func() { s.SetSym(0, 3, 7) }},
		{"negative column", mat.ErrColAccess, func() { s.SetSym(2, -1, 7) }},
		{"order of a copy", mat.ErrShape, func() { s.CopySym(NewSymPacked(2, nil)) }},
		{"order of a copy", mat.ErrShape, func() { s.CopySym(mat.NewSymDense(4, nil)) }},
	} {
		if got := testutil.PanicValue(m.call); got != m.want {
			t.Errorf("%s: panics with %v, want %v", m.what, got, m.want)
		}
	}
	if !slices.Equal(data, []float64{1, 2, 3, 4, 5, 6}) {
		t.Errorf("storage was written: %v", data)
	}
}
