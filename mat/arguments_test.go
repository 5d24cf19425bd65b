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

// keptSym is the same for a packed matrix of order n.
func keptSym(data []float64, at, n int) *SymPacked {
	s := NewSymPacked(n, data[at:at+n*(n+1)/2])
	s.Reset()
	return s
}

// misuses are all kinds of bad arguments of the products. data has 60 elements.
func misuses() []misuse {
	at := func(data []float64, i int) *Dense { return dense(data, i, 3, 3, 4) }
	other := func() *Dense { return NewDense(3, 3, nil) }
	all := []misuse{
		{"inner dimensions", mat.ErrShape, func(b blskernel.Backend, d []float64) { Mul(b, at(d, 0), dense(d, 20, 3, 2, 4), at(d, 40)) }},
		{"inner dimensions", mat.ErrShape, func(b blskernel.Backend, d []float64) {
			MulTrans(b, at(d, 0), dense(d, 20, 3, 2, 4), false, at(d, 40), true)
		}},
		{"inner dimensions", mat.ErrShape, func(b blskernel.Backend, d []float64) {
			MulTrans(b, at(d, 0), dense(d, 20, 2, 3, 4), true, at(d, 40), true)
		}},
		{"empty operand", mat.ErrShape, func(b blskernel.Backend, d []float64) { Mul(b, at(d, 0), &Dense{}, at(d, 40)) }},
		{"rows of the result", mat.ErrShape, func(b blskernel.Backend, d []float64) { Mul(b, dense(d, 0, 2, 3, 4), at(d, 20), at(d, 40)) }},
		{"columns of the result", mat.ErrShape, func(b blskernel.Backend, d []float64) { Mul(b, dense(d, 0, 3, 4, 4), at(d, 20), at(d, 40)) }},
		{"order of the outer product", mat.ErrShape, func(b blskernel.Backend, d []float64) {
			SymOuterK(b, NewSymPacked(2, d[:3]), 1, at(d, 20), false)
		}},
		{"order of the inner product", mat.ErrShape, func(b blskernel.Backend, d []float64) {
			SymOuterK(b, NewSymPacked(3, d[:6]), 1, dense(d, 20, 3, 2, 4), true)
		}},
		{"outer product over its operand", regionOverlap, func(b blskernel.Backend, d []float64) {
			SymOuterK(b, NewSymPacked(3, d[15:21]), 1, at(d, 20), false)
		}},
		{"outer product on the kept storage of its operand", regionOverlap, func(b blskernel.Backend, d []float64) {
			SymOuterK(b, keptSym(d, 15, 3), 1, at(d, 20), false)
		}},
		{"order on the left", mat.ErrShape, func(b blskernel.Backend, d []float64) { SymMul(b, at(d, 0), NewSymPacked(2, d[20:23]), at(d, 40)) }},
		{"order on the right", mat.ErrShape, func(b blskernel.Backend, d []float64) { MulSym(b, at(d, 0), at(d, 40), NewSymPacked(4, d[20:30])) }},
		{"shape of the result on the left", mat.ErrShape, func(b blskernel.Backend, d []float64) {
			SymMul(b, dense(d, 0, 2, 3, 4), NewSymPacked(3, d[20:26]), at(d, 40))
		}},
		{"shape of the result on the right", mat.ErrShape, func(b blskernel.Backend, d []float64) {
			MulSym(b, dense(d, 0, 3, 2, 4), at(d, 40), NewSymPacked(3, d[20:26]))
		}},
		{"result over the packed operand", regionOverlap, func(b blskernel.Backend, d []float64) {
			SymMul(b, at(d, 10), NewSymPacked(3, d[20:26]), at(d, 40))
		}},
		{"result over the packed operand", regionOverlap, func(b blskernel.Backend, d []float64) {
			MulSym(b, at(d, 10), at(d, 40), NewSymPacked(3, d[20:26]))
		}},
		{"kept storage in the packed operand", regionOverlap, func(b blskernel.Backend, d []float64) {
			SymMul(b, kept(d, 15, 9), NewSymPacked(3, d[20:26]), at(d, 40))
		}},
		{"kept storage in the dense operand", regionOverlap, func(b blskernel.Backend, d []float64) {
			MulSym(b, kept(d, 35, 9), at(d, 40), NewSymPacked(3, d[20:26]))
		}},
	}
	// dst over a part of either operand of a product, and on storage that it keeps.
	for _, shift := range []int{-10, -5, -4, -1, 1, 4, 5, 10} {
		all = append(all,
			misuse{fmt.Sprintf("result %d beside the first operand", shift), regionOverlap, func(b blskernel.Backend, d []float64) {
				Mul(b, at(d, 25+shift), at(d, 25), other())
			}},
			misuse{fmt.Sprintf("result %d beside the second operand", shift), regionOverlap, func(b blskernel.Backend, d []float64) {
				MulTrans(b, at(d, 25+shift), other(), true, at(d, 25), true)
			}},
			misuse{fmt.Sprintf("result %d beside the operand of SymMul", shift), regionOverlap, func(b blskernel.Backend, d []float64) {
				SymMul(b, at(d, 25+shift), NewSymPacked(3, nil), at(d, 25))
			}})
	}
	for _, shift := range []int{-8, -1, 0, 1, 10} {
		all = append(all,
			misuse{fmt.Sprintf("kept storage %d beside the first operand", shift), regionOverlap, func(b blskernel.Backend, d []float64) {
				Mul(b, kept(d, 25+shift, 9), at(d, 25), other())
			}},
			misuse{fmt.Sprintf("kept storage %d beside the second operand", shift), regionOverlap, func(b blskernel.Backend, d []float64) {
				Mul(b, kept(d, 25+shift, 9), other(), at(d, 25))
			}})
	}
	return all
}

// Bad arguments of every function panic with a constant, and nothing has been written then.
func TestArguments(t *testing.T) {
	backends.OnKernels(t, func(t *testing.T, b blskernel.Backend) {
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
