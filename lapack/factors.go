package lapack

import (
	"errors"

	"blskernel/internal/block"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas/blas64"
	gonummat "gonum.org/v1/gonum/mat"
)

// UTo copies the upper triangular U of A = UᵀU to dst; see Factors in the package comment.
func (c *Cholesky) UTo(dst *gonummat.TriDense) {
	mustHold(c.routines != nil)
	triangleTo(dst, gonummat.Upper, c.n, c.upper(), false)
}

// UTo copies the unit upper triangular U of P A Pᵀ = Uᵀ D U to dst; see Factors in the package comment.
func (f *LDLT) UTo(dst *gonummat.TriDense) {
	mustHold(f.routines != nil)
	triangleTo(dst, gonummat.Upper, f.n, f.upper(), true)
}

// DTo copies the D of P A Pᵀ = Uᵀ D U, with zeros beside its 1×1 and 2×2 diagonal blocks, to dst;
// see Factors in the package comment.
func (f *LDLT) DTo(dst *mat.SymPacked) {
	mustHold(f.routines != nil)
	d := mat.NewSymPacked(f.n, nil)
	for i, v := range f.d.D {
		d.SetSym(i, i, v)
		if e := f.d.E[i]; e != 0 {
			d.SetSym(i, i+1, e)
		}
	}
	dst.CopySym(d)
}

// Pivots returns the permutation P of P A Pᵀ = Uᵀ D U: element i, j of P A Pᵀ is element p[i], p[j] of
// A. See Factors in the package comment.
func (f *LDLT) Pivots(dst []int) []int {
	mustHold(f.routines != nil)
	return permutation(dst, f.n, f.swap)
}

// LTo copies the lower triangular L of P A Q = L U to dst and returns it. Its diagonal has ones, except
// where a library factored the transpose (see LU): there that of U has them. See Factors in the package
// comment.
func (f *LU) LTo(dst *gonummat.TriDense) *gonummat.TriDense {
	mustHold(f.factorized)
	triangleTo(dst, gonummat.Lower, f.Dim(), blockOf(f.lu), !f.transposed())
	return dst
}

// UTo copies the upper triangular U of P A Q = L U to dst; see LTo.
func (f *LU) UTo(dst *gonummat.TriDense) {
	mustHold(f.factorized)
	triangleTo(dst, gonummat.Upper, f.Dim(), blockOf(f.lu), f.transposed())
}

// RowPivots returns the permutation P of P A Q = L U: row i of P A is row p[i] of A. P is the identity
// where a library factored the transpose (see LU). See Factors in the package comment.
func (f *LU) RowPivots(dst []int) []int { return f.pivots(dst, !f.transposed()) }

// ColumnPivots returns the permutation Q of P A Q = L U: column j of A Q is column q[j] of A. Q is the
// identity unless a library factored the transpose (see LU). See Factors in the package comment.
func (f *LU) ColumnPivots(dst []int) []int { return f.pivots(dst, f.transposed()) }

func (f *LU) pivots(dst []int, exchanged bool) []int {
	mustHold(f.factorized)
	swap := f.swap
	if !exchanged {
		swap = nil
	}
	return permutation(dst, f.Dim(), swap)
}

// permutation writes 0 to n-1 to dst, or new storage for nil, and exchanges the elements k and swap[k]
// for k = 0, 1, ...
func permutation(dst []int, n int, swap []int) []int {
	if dst == nil {
		dst = make([]int, n)
	}
	require(len(dst) == n, pivotsLength)
	for i := range dst {
		dst[i] = i
	}
	for k, s := range swap {
		dst[k], dst[s] = dst[s], dst[k]
	}
	return dst
}

// triangleTo copies the triangle of the n×n a to dst, with ones on the diagonal if unit is set.
func triangleTo(dst *gonummat.TriDense, kind gonummat.TriKind, n int, a block.Matrix, unit bool) {
	if dst.IsEmpty() {
		if n == 0 {
			return
		}
		dst.ReuseAsTri(n, kind)
	}
	order, of := dst.Triangle()
	checkShape(order == n)
	if of != kind {
		panic(gonummat.ErrTriangle)
	}
	raw := dst.RawTriangular()
	for i := range n {
		from, to := i, n
		if kind == gonummat.Lower {
			from, to = 0, i+1
		}
		copy(raw.Data[i*raw.Stride+from:], a.Elements(i, from, to))
		if unit {
			raw.Data[i*raw.Stride+i] = 1
		}
	}
}

// SolveVecTo computes the x with A x = b and writes it to dst, as SolveTo does for a matrix of one
// column. b may have any type, and may overlap dst.
func (f *symmetric) SolveVecTo(dst *gonummat.VecDense, b gonummat.Vector) error {
	mustHold(f.routines != nil)
	return solveVecTo(dst, f.n, b, f.SolveTo)
}

// SolveVecTo computes the x with A x = b, or Aᵀx = b if trans is set, and writes it to dst, as SolveTo
// does for a matrix of one column. b may have any type, and may overlap dst.
func (f *LU) SolveVecTo(dst *gonummat.VecDense, trans bool, b gonummat.Vector) error {
	mustHold(f.factorized)
	if trans {
		return solveVecTo(dst, f.Dim(), b, f.SolveTransTo)
	}
	return solveVecTo(dst, f.Dim(), b, f.SolveTo)
}

// solveVecTo is the body of every SolveVecTo.
func solveVecTo(dst *gonummat.VecDense, n int, b gonummat.Vector, solve func(dst, b *mat.Dense) error) error {
	checkShape(b.Len() == n && (dst.IsEmpty() || dst.Len() == n))
	x := denseOn(blas64.General{Rows: n, Cols: 1, Stride: 1, Data: make([]float64, n)})
	for i := range n {
		x.Set(i, 0, b.AtVec(i))
	}
	if dst.IsEmpty() && n > 0 {
		dst.ReuseAsVec(n)
	}
	err := solve(x, x)
	if errors.Is(err, ErrNotFinite) {
		return err
	}
	for i := range n {
		dst.SetVec(i, x.At(i, 0))
	}
	return err
}
