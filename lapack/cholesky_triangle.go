package lapack

import (
	"fmt"
	"sync/atomic"

	"blskernel"
	"blskernel/internal/block"
	"blskernel/internal/isfinite"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// SolveUTo computes the n×m X = U⁻¹B, or X = U⁻ᵀB if trans is set, for the n×m b and writes it to dst,
// which may be b but must not overlap it in part, which panics. The two are the halves of SolveTo,
// A⁻¹B = U⁻¹(U⁻ᵀB), and U⁻ᵀB gives quadratic forms without cancellation: bᵀA⁻¹b = ‖U⁻ᵀb‖². An empty dst
// is given its size. It takes n²m flops.
//
// The error matches ErrNotFinite where b holds NaN or an infinity; dst is then unchanged. It matches
// ErrSingular where X overflows; dst then holds what was computed. SolveUTo panics with mat.ErrShape
// if the shapes do not fit, and if the receiver is empty. (LAPACK: dtptrs.)
func (c *Cholesky) SolveUTo(dst, b *mat.Dense, trans bool) error {
	c.mustHold()
	return solveColumns(c.Backend, "Dtptrs", c.n, dst, b, func(bk blskernel.Backend, nrhs int, x []float64, ldx int) {
		block.On(bk).BlockTrsm(blas.Left, blas.Upper, transposed(trans), blas.NonUnit, c.n, nrhs, 1, c.upper(), block.Dense(x, ldx))
	})
}

// SolveURowsTo computes the m×n X = B U⁻¹, or X = B U⁻ᵀ if trans is set, for the m×n b and writes it to
// dst, which may be b: every row of b is a right-hand side. It is SolveUTo for the transposes, with the
// other value of trans, without transposing anything, and goes through the rows in panels of 1024.
// Sizes, flops (n²m), errors and panics are those of SolveUTo.
func (c *Cholesky) SolveURowsTo(dst, b *mat.Dense, trans bool) error {
	c.mustHold()
	return solveRows(c.Backend, "Dtptrs", c.n, dst, b, func(bk blskernel.Backend, m int, x []float64, ldx int) {
		block.On(bk).BlockTrsm(blas.Right, blas.Upper, transposed(trans), blas.NonUnit, m, c.n, 1, c.upper(), block.Dense(x, ldx))
	})
}

// SolveUTriangle overwrites the lower triangle L of the n×n l by U⁻ᵀL, which is lower triangular too.
// What l holds above its diagonal is neither read nor written. It takes n³/3 flops, a third of those
// of SolveUTo for all of a square matrix, and a workspace of about 128n numbers beside the buffers of the
// backend; one without products of packed blocks of its own takes 400n more.
//
// The error is an *ElementError that matches ErrNotFinite where the triangle holds NaN or an infinity;
// l is then unchanged. It matches ErrSingular where the result overflows; the triangle then holds what
// was computed. SolveUTriangle panics with mat.ErrShape if l is not n×n, and if the receiver is empty.
// (LAPACK has no such routine; a blskernel.Recorder is told of "Dttrsm", a dtrsm of two triangles.)
func (c *Cholesky) SolveUTriangle(l *mat.Dense) error {
	const routine = "Dttrsm"
	solve := func(bk blskernel.Backend, on block.Products, x block.Matrix) {
		solveTriangle(bk, on, c.triangleBase(), c.n, c.upper(), x)
	}
	return c.onTriangle(routine, blas.Lower, l, solve, func(on block.Products, g blas64.General) error {
		return checkFiniteTriangle(on, routine, blas.Lower, g, ErrSingular)
	})
}

// MulUTriangle overwrites the upper triangle R of the n×n r by U R, which is upper triangular too. What
// r holds below its diagonal is neither read nor written. It takes n³/3 flops and the workspace of
// SolveUTriangle.
//
// The error is an *ElementError that matches ErrNotFinite where the triangle holds NaN or an infinity;
// r is then unchanged. It matches ErrNotFinite too where the product overflows; the triangle then holds
// what was computed. MulUTriangle panics with mat.ErrShape if r is not n×n, and if the receiver is
// empty. (LAPACK has no such routine; a blskernel.Recorder is told of "Dttrmm", a dtrmm of two
// triangles.)
func (c *Cholesky) MulUTriangle(r *mat.Dense) error {
	const routine = "Dttrmm"
	multiply := func(bk blskernel.Backend, on block.Products, x block.Matrix) {
		multiplyTriangle(bk, on, c.triangleBase(), c.n, c.upper(), x)
	}
	return c.onTriangle(routine, blas.Upper, r, multiply, func(on block.Products, g blas64.General) error {
		if i, j := firstInfinite(on, blas.Upper, g); i >= 0 {
			return fmt.Errorf("lapack: %s: element (%d, %d) of the product overflows: %w; scale the matrices", routine, i, j, ErrNotFinite)
		}
		return nil
	})
}

// onTriangle is the frame of SolveUTriangle and MulUTriangle: it announces the routine, checks the
// triangle ul of x, lets do overwrite it, and returns what overflow says of the result.
func (c *Cholesky) onTriangle(routine string, ul blas.Uplo, x *mat.Dense, do func(bk blskernel.Backend, on block.Products, x block.Matrix), overflow func(on block.Products, g blas64.General) error) error {
	c.mustHold()
	rows, cols := x.Dims()
	checkShape(rows == c.n && cols == c.n)
	bk := blskernel.Begin(c.Backend, blskernel.Routine{Name: routine, M: c.n, N: c.n})
	if c.n == 0 {
		return nil
	}
	on, g := block.On(bk), x.RawMatrix()
	defer blskernel.Hold(bk, cube(c.n)/3)()
	if err := checkFiniteTriangle(on, routine, ul, g, ErrNotFinite); err != nil {
		return err
	}
	do(bk, on, block.Dense(g.Data, g.Stride))
	return overflow(on, g)
}

// upper returns U as a block.
func (c *Cholesky) upper() block.Matrix { return block.Packed(c.n, c.u, 0, 0) }

// triangleBase is the order up to which a triangle that is a result goes through a workspace, in which the
// other triangle is zero, and is then multiplied or solved for as a square: smaller halves would save
// fewer flops than their products lose by being small.
const triangleBase = 64

func (c *Cholesky) triangleBase() int { return min(c.base(), triangleBase) }

// solveTriangle overwrites the lower triangle of the n×n block l by U⁻ᵀL, for an upper triangular u. With
// the halves
//
//	L = | L11     |   X11 = U11⁻ᵀ L11
//	    | L21 L22 |,  X21 = U22⁻ᵀ(L21 - U12ᵀ X11),  X22 = U22⁻ᵀ L22,
//
// which is n³/3 flops, since X11 is a triangle where it is multiplied.
func solveTriangle(bk blskernel.Backend, on block.Products, base, n int, u, l block.Matrix) {
	if n <= base {
		inZeroed(blas.Lower, n, l, func(x block.Matrix) {
			on.BlockTrsm(blas.Left, blas.Upper, blas.Trans, blas.NonUnit, n, n, 1, u, x)
		})
		return
	}
	n1 := split(n)
	n2 := n - n1
	u12, u22 := u.Sub(0, n1), u.Sub(n1, n1)
	l21, l22 := l.Sub(n1, 0), l.Sub(n1, n1)
	solveTriangle(bk, on, base, n1, u, l)
	addTriangle(bk, blas.Trans, blas.Lower, n2, n1, -1, u12, l, l21)
	blockTrsm(on, blas.Left, blas.Trans, blas.NonUnit, n2, n1, 1, u22, l21)
	solveTriangle(bk, on, base, n2, u22, l22)
}

// multiplyTriangle overwrites the upper triangle of the n×n block r by U R, for an upper triangular u:
// with the halves U11 R11, U11 R12 + U12 R22 and U22 R22, n³/3 flops.
func multiplyTriangle(bk blskernel.Backend, on block.Products, base, n int, u, r block.Matrix) {
	if n <= base {
		inZeroed(blas.Upper, n, r, func(x block.Matrix) { blockTrmm(bk, on, n, n, u, x) })
		return
	}
	n1 := split(n)
	n2 := n - n1
	u12, u22 := u.Sub(0, n1), u.Sub(n1, n1)
	r12, r22 := r.Sub(0, n1), r.Sub(n1, n1)
	blockTrmm(bk, on, n1, n2, u, r12)
	addTriangle(bk, blas.NoTrans, blas.Upper, n1, n2, 1, u12, r22, r12)
	multiplyTriangle(bk, on, base, n1, u, r)
	multiplyTriangle(bk, on, base, n2, u22, r22)
}

// addTriangle computes C = C + alpha op(A) T for an m×n dense block c, op(A) m×n, and the triangle ul of
// the n×n dense block t, in mn² flops. The product overwrites a copy of op(A), some rows at a time.
func addTriangle(bk blskernel.Backend, tA blas.Transpose, ul blas.Uplo, m, n int, alpha float64, a, t, c block.Matrix) {
	panel, ld := min(m, productRows), squareStride(n)
	w := borrow(panel * ld)
	defer w.giveBack()
	p := block.Dense(w.take(panel*ld), ld)
	for i := 0; i < m; i += panel {
		rows := min(panel, m-i)
		if tA == blas.NoTrans {
			block.Copy(p, a.Sub(i, 0), rows, n)
		} else {
			transposeBlock(p, a.Sub(0, i), n, rows)
		}
		bk.Dtrmm(blas.Right, ul, blas.NoTrans, blas.NonUnit, rows, n, alpha, t.X, t.Ld, p.X, p.Ld)
		for r := range rows {
			sum := c.X[c.Row(i+r) : c.Row(i+r)+n]
			for j, v := range p.X[p.Row(r) : p.Row(r)+n] {
				sum[j] += v
			}
		}
	}
}

// productRows is the number of rows that addTriangle copies together: enough for Dtrmm to be as fast as
// with all of them.
const productRows = 256

// transposeBlock copies the transpose of the rows×cols block src to the dense dst, whole cache lines of
// it as far as there are any.
func transposeBlock(dst, src block.Matrix, rows, cols int) {
	i := 0
	for ; i+tileOrder <= rows; i += tileOrder {
		var r [tileOrder][]float64
		for k := range r {
			at := src.Row(i + k)
			r[k] = src.X[at : at+cols]
		}
		for j := range cols {
			d := tileRow(dst.X, dst.Row(j)+i)
			for k := range r {
				d[k] = r[k][j]
			}
		}
	}
	for ; i < rows; i++ {
		at := src.Row(i)
		for j, v := range src.X[at : at+cols] {
			dst.X[dst.Row(j)+i] = v
		}
	}
}

// blockTrmm computes B = U B for the m×n dense block b and an upper triangular m×m block u, in m²n
// flops. (BLAS: dtrmm, by halves, so that nearly all of the work is in products with long sums.)
func blockTrmm(bk blskernel.Backend, on block.Products, m, n int, u, b block.Matrix) {
	if m <= solveOrder {
		w := borrow(m * squareStride(m))
		defer w.giveBack()
		d := block.Dense(w.take(m*squareStride(m)), squareStride(m))
		block.CopyUpper(d, u, m)
		bk.Dtrmm(blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit, m, n, 1, d.X, d.Ld, b.X, b.Ld)
		return
	}
	m1 := half(m)
	m2 := m - m1
	b2 := b.Sub(m1, 0)
	blockTrmm(bk, on, m1, n, u, b)
	on.BlockGemm(blas.NoTrans, blas.NoTrans, m1, n, m2, 1, u.Sub(0, m1), b2, 1, b)
	blockTrmm(bk, on, m2, n, u.Sub(m1, m1), b2)
}

// inZeroed calls do with a dense copy of the triangle ul of the n×n dense block x, the other triangle of
// which is zero, and copies the triangle back.
func inZeroed(ul blas.Uplo, n int, x block.Matrix, do func(z block.Matrix)) {
	w := borrow(n * squareStride(n))
	defer w.giveBack()
	z := block.Dense(w.take(n*squareStride(n)), squareStride(n))
	copyZeroed(ul, n, z, x)
	do(z)
	for i := range n {
		from, to := rowOfTriangle(ul, n, i)
		copy(x.X[x.Row(i)+from:x.Row(i)+to], z.X[z.Row(i)+from:])
	}
}

// copyZeroed copies the triangle ul of the n×n block src to dst, and zeros to the other one.
func copyZeroed(ul blas.Uplo, n int, dst, src block.Matrix) {
	for i := range n {
		from, to := rowOfTriangle(ul, n, i)
		row := dst.X[dst.Row(i) : dst.Row(i)+n]
		clear(row[:from])
		copy(row[from:to], src.X[src.Row(i)+from:])
		clear(row[to:])
	}
}

// rowOfTriangle returns the columns, from and up to, that row i of an n×n triangle has.
func rowOfTriangle(ul blas.Uplo, n, i int) (from, to int) {
	if ul == blas.Upper {
		return i, n
	}
	return 0, i + 1
}

// checkFiniteTriangle is checkFinite for the triangle ul of the square g.
func checkFiniteTriangle(on block.Products, routine string, ul blas.Uplo, g blas64.General, kind error) error {
	i, j := firstInfinite(on, ul, g)
	if i < 0 {
		return nil
	}
	return &ElementError{Routine: routine, Row: i, Col: j, Value: g.Data[i*g.Stride+j], Err: kind}
}

// firstInfinite returns the place of the first element, row after row, of the triangle ul of the square
// g that is NaN or infinite, and -1, -1 if there is none.
func firstInfinite(on block.Products, ul blas.Uplo, g blas64.General) (i, j int) {
	n := g.Rows
	row := func(i int) []float64 {
		from, to := rowOfTriangle(ul, n, i)
		return g.Data[i*g.Stride+from : i*g.Stride+to]
	}
	var failed atomic.Bool
	on.BlockRows(n, 1+n/8, block.RowFunc(func(i, end int) {
		for ; i < end && !failed.Load(); i++ {
			if !isfinite.All(row(i)) {
				failed.Store(true)
			}
		}
	}))
	if !failed.Load() {
		return -1, -1
	}
	for i := range n {
		for j, v := range row(i) {
			if !isFinite(v) {
				from, _ := rowOfTriangle(ul, n, i)
				return i, from + j
			}
		}
	}
	return -1, -1
}

// transposed returns the argument of BLAS that says whether a matrix is to be transposed.
func transposed(t bool) blas.Transpose {
	if t {
		return blas.Trans
	}
	return blas.NoTrans
}
