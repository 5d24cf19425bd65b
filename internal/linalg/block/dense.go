package block

import (
	"math"

	"gonum.org/v1/gonum/blas"
)

// On returns the Products of b, or Products made of its Level 3 routines: they copy packed operands to
// a dense workspace, some rows or columns at a time.
func On(b blas.Float64) Products {
	if p, ok := b.(Products); ok {
		return p
	}
	return viaDense{b}
}

// viaDense makes Products from Dgemm and Dtrsm. At most Size rows of a packed result, and Size terms of
// a sum with packed operands, go through the workspace together.
type viaDense struct{ b blas.Float64 }

// dense returns the rows×cols block m, or a copy of it in work if it is packed.
func dense(work []float64, m Matrix, rows, cols int) Matrix {
	if !m.Packed {
		return m
	}
	d := Dense(work[:rows*cols], max(1, cols))
	Copy(d, m, rows, cols)
	return d
}

// op returns op(X) from its row i and column j on.
func op(t blas.Transpose, x Matrix, i, j int) Matrix {
	i, j = Stored(t, i, j)
	return x.Sub(i, j)
}

// operand returns op(X)[0:r, p:p+c], dense.
func operand(work []float64, t blas.Transpose, x Matrix, r, p, c int) Matrix {
	rows, cols := Stored(t, r, c)
	return dense(work, op(t, x, 0, p), rows, cols)
}

// workspace returns storage for n elements if m is packed.
func workspace(m Matrix, n int) []float64 {
	if !m.Packed {
		return nil
	}
	return make([]float64, n)
}

func (v viaDense) BlockGemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a, b Matrix, beta float64, c Matrix) {
	if m == 0 || n == 0 || k == 0 {
		return
	}
	terms := k
	if a.Packed || b.Packed {
		terms = min(k, Size)
	}
	workA, workB, workC := workspace(a, m*terms), workspace(b, n*terms), workspace(c, min(Size, m)*n)
	for p := 0; p < k; p += terms {
		terms := min(terms, k-p)
		ap, bp := operand(workA, tA, a, m, p, terms), operand(workB, Other(tB), b, n, p, terms)
		for i := 0; i < m; {
			rows := m
			if c.Packed {
				rows = min(Size, m-i)
			}
			ai, ci := op(tA, ap, i, 0), c.Sub(i, 0)
			d := dense(workC, ci, rows, n)
			v.b.Dgemm(tA, tB, rows, n, terms, alpha, ai.X, ai.Ld, bp.X, bp.Ld, beta, d.X, d.Ld)
			if c.Packed {
				Copy(ci, d, rows, n)
			}
			i += rows
		}
		beta = 1
	}
}

func (v viaDense) BlockSyrk(t blas.Transpose, n, k int, alpha float64, a Matrix, d []float64, c Matrix) {
	if n == 0 || k == 0 {
		return
	}
	terms := min(k, Size)
	workA, workC := workspace(a, n*terms), make([]float64, min(Size, n)*n)
	var workB []float64
	if d != nil {
		workB = make([]float64, n*terms)
	}
	for p := 0; p < k; p += terms {
		terms := min(terms, k-p)
		left := operand(workA, t, a, n, p, terms)
		right := left
		if d != nil {
			rows, cols := Stored(t, n, terms)
			right = Dense(workB, cols)
			copyScaled(t, right, left, rows, cols, d[p:])
		}
		for i := 0; i < n; i += Size {
			rows, rest := min(Size, n-i), n-i
			ai, bi := op(t, left, i, 0), op(t, right, i, 0)
			v.b.Dgemm(t, Other(t), rows, rest, terms, alpha, ai.X, ai.Ld, bi.X, bi.Ld, 0, workC, rest)
			for r := range rows {
				row := c.Elements(i+r, i+r, i+rest)
				for j, x := range workC[r*rest+r : (r+1)*rest] {
					row[j] += x
				}
			}
		}
	}
}

// copyScaled copies the rows×cols src to dst and multiplies the columns of op(dst) by d.
func copyScaled(t blas.Transpose, dst, src Matrix, rows, cols int, d []float64) {
	for i := range rows {
		row := dst.Elements(i, 0, cols)
		for j, v := range src.Elements(i, 0, cols) {
			if t == blas.NoTrans {
				row[j] = v * d[j]
			} else {
				row[j] = v * d[i]
			}
		}
	}
}

// BlockTrsm solves for packed blocks with one diagonal block of A after the other, and subtracts the
// product of each part of X from the rest.
func (v viaDense) BlockTrsm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha float64, a, b Matrix) {
	if m == 0 || n == 0 {
		return
	}
	if !a.Packed && !b.Packed {
		v.b.Dtrsm(s, ul, t, d, m, n, alpha, a.X, a.Ld, b.X, b.Ld)
		return
	}
	if alpha != 1 {
		for i := range m {
			row := b.Elements(i, 0, n)
			for j := range row {
				row[j] *= alpha
			}
		}
	}
	order, across := m, n
	if s == blas.Right {
		order, across = n, m
	}
	size := min(Size, order)
	workA, workB := workspace(a, size*size), workspace(b, size*across)
	// Lower triangles on the left, and upper ones on the right, begin with their first block.
	forward := ((ul == blas.Lower) == (t == blas.NoTrans)) == (s == blas.Left)
	blocks := (order + size - 1) / size
	for at := range blocks {
		if !forward {
			at = blocks - 1 - at
		}
		i := at * size
		end := min(i+size, order)
		from, to := end, order
		if !forward {
			from, to = 0, i
		}
		diagonal := a.Sub(i, i)
		if a.Packed {
			diagonal = Dense(workA, size)
			CopyUpper(diagonal, a.Sub(i, i), end-i)
		}
		var own Matrix
		rows, cols := m, n
		if s == blas.Left {
			own, rows = b.Sub(i, 0), end-i
		} else {
			own, cols = b.Sub(0, i), end-i
		}
		x := dense(workB, own, rows, cols)
		v.b.Dtrsm(s, ul, t, d, rows, cols, 1, diagonal.X, diagonal.Ld, x.X, x.Ld)
		if b.Packed {
			Copy(own, x, rows, cols)
		}
		switch {
		case from >= to:
		case s == blas.Left:
			v.BlockGemm(t, blas.NoTrans, to-from, n, rows, -1, op(t, a, from, i), own, 1, b.Sub(from, 0))
		default:
			v.BlockGemm(blas.NoTrans, t, m, to-from, cols, -1, own, op(t, a, i, from), 1, b.Sub(0, from))
		}
	}
}

func (v viaDense) BlockRows(rows, nanoseconds int, do func(from, to int)) { do(0, rows) }

func (v viaDense) Transpose(m, n int, src []float64, lds int, dst []float64, ldd int) {
	CopyTransposed(Dense(dst, ldd), Dense(src, lds), m, n)
}

func (v viaDense) AbsMax(x []float64) (at int, size float64) {
	for i, v := range x {
		if a := math.Abs(v); a > size {
			at, size = i, a
		}
	}
	return at, size
}

func (v viaDense) AddAbs(x, sums []float64) float64 {
	total := 0.0
	for i, v := range x {
		a := math.Abs(v)
		sums[i] += a
		total += a
	}
	return total
}

func (v viaDense) Rot(c, s float64, x, y []float64) {
	for i, u := range x {
		w := y[i]
		x[i], y[i] = float64(c*u)+float64(s*w), float64(c*w)-float64(s*u)
	}
}
