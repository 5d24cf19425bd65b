package mat

import (
	"blskernel/internal/io/memory"
	"blskernel/internal/linalg/block"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// SymPacked is a symmetric n×n matrix whose upper triangle is stored row by row: element (i, j), i <=
// j, at data[i*(2n-i-1)/2+j]. The zero value is an empty matrix.
type SymPacked struct {
	n    int
	data []float64
}

var (
	_ mat.Symmetric        = (*SymPacked)(nil)
	_ mat.MutableSymmetric = (*SymPacked)(nil)
)

// NewSymPacked returns an n×n matrix on data, which has n(n+1)/2 elements and is not copied, or on new
// zeroed storage if data is nil. n = 0 gives an empty matrix. It panics with gonum's
// mat.ErrNegativeDimension if n is negative, and with mat.ErrShape if data has any other length.
func NewSymPacked(n int, data []float64) *SymPacked {
	if n < 0 {
		panic(mat.ErrNegativeDimension)
	}
	if data == nil {
		data = memory.Zeros(block.PackedLen(n))
	}
	if len(data) != block.PackedLen(n) {
		panic(mat.ErrShape)
	}
	return &SymPacked{n: n, data: data}
}

// SymmetricDim returns the order n.
func (s *SymPacked) SymmetricDim() int { return s.n }

// Dims returns the numbers of rows and columns, both n.
func (s *SymPacked) Dims() (r, c int) { return s.n, s.n }

// At returns element (i, j). It panics with gonum's mat.ErrRowAccess or mat.ErrColAccess if i or j is
// out of range.
func (s *SymPacked) At(i, j int) float64 { return s.data[s.index(i, j)] }

// SetSym sets elements (i, j) and (j, i), which are stored once, to v. It panics as At does.
func (s *SymPacked) SetSym(i, j int, v float64) { s.data[s.index(i, j)] = v }

func (s *SymPacked) index(i, j int) int {
	if uint(i) >= uint(s.n) {
		panic(mat.ErrRowAccess)
	}
	if uint(j) >= uint(s.n) {
		panic(mat.ErrColAccess)
	}
	return block.PackedIndex(s.n, i, j)
}

// T returns the matrix itself, which is its own transpose.
func (s *SymPacked) T() mat.Matrix { return s }

// RawSymPacked returns the matrix as gonum's blas64.SymmetricPacked, which shares its storage.
func (s *SymPacked) RawSymPacked() blas64.SymmetricPacked {
	return blas64.SymmetricPacked{N: s.n, Data: s.data, Uplo: blas.Upper}
}

// IsEmpty reports whether n is zero.
func (s *SymPacked) IsEmpty() bool { return s.n == 0 }

// Reset makes the matrix empty and keeps its storage for a later result.
func (s *SymPacked) Reset() { s.n, s.data = 0, s.data[:0] }

// CopySym copies a to s and returns the order of a. An empty s gets the order of a. CopySym panics with
// mat.ErrShape if s has any other order.
func (s *SymPacked) CopySym(a mat.Symmetric) int {
	n := a.SymmetricDim()
	s.reuse(n)
	if p, ok := a.(*SymPacked); ok {
		copy(s.data, p.data)
		return n
	}
	for i := range n {
		row := s.block().Elements(i, i, n)
		for j := range row {
			row[j] = a.At(i, i+j)
		}
	}
	return n
}

// SymDense returns a copy of s as gonum's mat.SymDense.
func (s *SymPacked) SymDense() *mat.SymDense {
	if s.n == 0 {
		return &mat.SymDense{}
	}
	dst := mat.NewSymDense(s.n, nil)
	block.CopyUpper(block.Dense(dst.RawSymmetric().Data, s.n), s.block(), s.n)
	return dst
}

// Dense returns a copy of s with both triangles stored.
func (s *SymPacked) Dense() *Dense {
	if s.n == 0 {
		return &Dense{}
	}
	dst := NewDense(s.n, s.n, nil)
	raw := dst.RawMatrix().Data
	block.CopyUpper(block.Dense(raw, s.n), s.block(), s.n)
	for i := range s.n {
		for j := range i {
			raw[i*s.n+j] = raw[j*s.n+i]
		}
	}
	return dst
}

func (s *SymPacked) block() block.Matrix { return block.Packed(s.n, s.data, 0, 0) }

// AddDiagonal adds v to every diagonal element: S = S + v I.
func (s *SymPacked) AddDiagonal(v float64) {
	for i := range s.n {
		s.data[block.PackedIndex(s.n, i, i)] += v
	}
}

// reuse gives an empty s the order n, with undefined elements. It leaves an s of order n unchanged, and
// panics if s has any other order.
func (s *SymPacked) reuse(n int) {
	if s.n == n {
		return
	}
	if s.n != 0 {
		panic(mat.ErrShape)
	}
	if s.data = s.storage(n); s.data == nil {
		s.data = memory.Zeros(block.PackedLen(n))
	}
	s.n = n
}

// storage returns the storage that reuse gives a matrix of order n, or nil if reuse must allocate it.
func (s *SymPacked) storage(n int) []float64 {
	if want := block.PackedLen(n); cap(s.data) >= want {
		return s.data[:want]
	}
	return nil
}
