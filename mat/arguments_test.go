package mat

import (
	"math"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// storage holds the operands of a call on a backend in one slice of 60 elements.
type storage struct {
	b    blskernel.Backend
	data []float64
}

// sized returns an r×c matrix of stride 4 that begins at data[at], and at returns a 3×3 matrix there.
func (s storage) sized(at, r, c int) *Dense {
	d := new(Dense)
	d.SetRawMatrix(blas64.General{Rows: r, Cols: c, Stride: 4, Data: s.data[at:]})
	return d
}

func (s storage) at(i int) *Dense { return s.sized(i, 3, 3) }

// kept returns an empty matrix that keeps its storage, data[at:], for a result of 9 elements.
func (s storage) kept(at int) *Dense {
	d := NewDense(1, 9, s.data[at:at+9])
	d.Reset()
	return d
}

// sym returns a packed matrix of order n that begins at data[at].
func (s storage) sym(at, n int) *SymPacked { return NewSymPacked(n, s.data[at:at+n*(n+1)/2]) }

// A misuse is a call with bad arguments, and the value of its panic.
type misuse struct {
	what string
	want any
	call func(s storage)
}

// misuses lists bad arguments of the products and the matrix type; FuzzSymPacked tests indices.
func misuses() []misuse {
	shape, overlap, other := any(mat.ErrShape), any(regionOverlap), NewDense(3, 3, nil)
	all := []misuse{
		{"inner dimensions", shape, func(s storage) { Mul(s.b, s.at(0), s.sized(20, 3, 2), s.at(40)) }},
		{"inner dimensions", shape, func(s storage) { MulTrans(s.b, s.at(0), s.sized(20, 3, 2), false, s.at(40), true) }},
		{"inner dimensions", shape, func(s storage) { MulTrans(s.b, s.at(0), s.sized(20, 2, 3), true, s.at(40), true) }},
		{"empty operand", shape, func(s storage) { Mul(s.b, s.at(0), &Dense{}, s.at(40)) }},
		{"rows of the result", shape, func(s storage) { Mul(s.b, s.sized(0, 2, 3), s.at(20), s.at(40)) }},
		{"columns of the result", shape, func(s storage) { Mul(s.b, s.sized(0, 3, 4), s.at(20), s.at(40)) }},
		{"order of the outer product", shape, func(s storage) { SymOuterK(s.b, s.sym(0, 2), 1, s.at(20), false) }},
		{"order of the inner product", shape, func(s storage) { SymOuterK(s.b, s.sym(0, 3), 1, s.sized(20, 3, 2), true) }},
		{"outer product over its operand", overlap, func(s storage) { SymOuterK(s.b, s.sym(15, 3), 1, s.at(20), false) }},
		{"outer product on the kept storage of its operand", overlap, func(s storage) {
			dst := s.sym(15, 3)
			dst.Reset()
			SymOuterK(s.b, dst, 1, s.at(20), false)
		}},
		{"order on the left", shape, func(s storage) { SymMul(s.b, s.at(0), s.sym(20, 2), s.at(40)) }},
		{"order on the right", shape, func(s storage) { MulSym(s.b, s.at(0), s.at(40), s.sym(20, 4)) }},
		{"shape of the result on the left", shape, func(s storage) { SymMul(s.b, s.sized(0, 2, 3), s.sym(20, 3), s.at(40)) }},
		{"shape of the result on the right", shape, func(s storage) { MulSym(s.b, s.sized(0, 3, 2), s.at(40), s.sym(20, 3)) }},
		{"result over the packed operand", overlap, func(s storage) { SymMul(s.b, s.at(10), s.sym(20, 3), s.at(40)) }},
		{"result over the packed operand", overlap, func(s storage) { MulSym(s.b, s.at(10), s.at(40), s.sym(20, 3)) }},
		{"kept storage in the packed operand", overlap, func(s storage) { SymMul(s.b, s.kept(15), s.sym(20, 3), s.at(40)) }},
		{"kept storage in the dense operand", overlap, func(s storage) { MulSym(s.b, s.kept(35), s.at(40), s.sym(20, 3)) }},
		{"negative order", mat.ErrNegativeDimension, func(s storage) { NewSymPacked(math.MinInt, s.data) }},
		{"short data", shape, func(s storage) { NewSymPacked(3, s.data[:5]) }},
		{"long data", shape, func(s storage) { NewSymPacked(2, s.data[:6]) }},
		{"no data", shape, func(s storage) { NewSymPacked(2, []float64{}) }},
		{"negative rows", mat.ErrNegativeDimension, func(storage) { NewDense(-1, 2, nil) }},
		{"no columns", mat.ErrZeroLength, func(storage) { NewDense(2, 0, nil) }},
		{"short data", shape, func(s storage) { NewDense(3, 3, s.data[:8]) }},
		{"order of a copy", shape, func(s storage) { s.sym(0, 3).CopySym(NewSymPacked(2, nil)) }},
		{"order of a copy", shape, func(s storage) { s.sym(0, 3).CopySym(mat.NewSymDense(4, nil)) }},
	}
	// dst overlaps a part of an operand, or is empty and keeps such storage; see FuzzAliasing.
	for _, shift := range []int{-10, -5, -4, -1, 1, 4, 5, 10} {
		all = append(all,
			misuse{"result over the operand of SymMul", overlap, func(s storage) { SymMul(s.b, s.at(25+shift), NewSymPacked(3, nil), s.at(25)) }},
			misuse{"result over the second operand", overlap, func(s storage) { MulTrans(s.b, s.at(25+shift), other, true, s.at(25), true) }})
		if shift > -10 {
			all = append(all, misuse{"kept storage over the first operand", overlap, func(s storage) { Mul(s.b, s.kept(25+shift), s.at(25), other) }})
		}
	}
	return all
}

// TestArguments checks that every function panics with a constant on bad arguments, before it writes
// anything. If gonum has an error for the mistake, this error is the value, and mat.Maybe recovers it.
func TestArguments(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		for _, m := range misuses() {
			data := make([]float64, 60)
			for i := range data {
				data[i] = float64(i + 1)
			}
			before := slices.Clone(data)
			if got := testutil.PanicValue(func() { m.call(storage{b, data}) }); got != m.want {
				t.Errorf("%s: panics with %v, want %v", m.what, got, m.want)
			}
			if !slices.Equal(data, before) {
				t.Errorf("%s: storage was written: %v", m.what, data)
			}
		}
	})
}
