package block

import (
	"math"

	"gonum.org/v1/gonum/blas"
)

// On returns the Products of b, or else ones that are made of its Level 3 routines: packed operands are copied to
// a dense workspace, as large as the smaller operand or panelRows rows of the result.
func On(b blas.Float64) Products {
	if p, ok := b.(Products); ok {
		return p
	}
	return viaDense{b}
}

// panel is the number of rows of a packed result, and of terms of a sum with packed operands, that go through the
// workspace together: enough for a product to reach its speed and to hide the copies.
const panel = 192

// viaDense makes the Products from Dgemm, Dtrsm and Dtrmm.
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

// stored returns the rows and columns in storage of an operand X with op(X) r×c.
func stored(t blas.Transpose, r, c int) (rows, cols int) {
	if t == blas.NoTrans {
		return r, c
	}
	return c, r
}

// op is op(X) from its row i and column j on.
func op(t blas.Transpose, x Matrix, i, j int) Matrix {
	if t == blas.NoTrans {
		return x.Sub(i, j)
	}
	return x.Sub(j, i)
}

// operand returns op(X)[0:r, p:p+c], dense.
func operand(work []float64, t blas.Transpose, x Matrix, r, p, c int) Matrix {
	rows, cols := stored(t, r, c)
	return dense(work, op(t, x, 0, p), rows, cols)
}

func (v viaDense) BlockGemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a, b Matrix, beta float64, c Matrix) {
	if m == 0 || n == 0 || k == 0 {
		return
	}
	terms := k
	if a.Packed || b.Packed {
		terms = min(k, panel)
	}
	workA, workB, workC := room(a, m*terms), room(b, n*terms), room(c, min(panel, m)*n)
	other := blas.NoTrans // op(B) has its terms in rows
	if tB == blas.NoTrans {
		other = blas.Trans
	}
	for p := 0; p < k; p += terms {
		terms := min(terms, k-p)
		ap, bp := operand(workA, tA, a, m, p, terms), operand(workB, other, b, n, p, terms)
		for i := 0; i < m; {
			rows := m
			if c.Packed {
				rows = min(panel, m-i)
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

// room returns storage for n elements if m is packed.
func room(m Matrix, n int) []float64 {
	if !m.Packed {
		return nil
	}
	return make([]float64, n)
}

func (v viaDense) BlockSyrk(t blas.Transpose, n, k int, alpha float64, a Matrix, d []float64, c Matrix) {
	if n == 0 || k == 0 {
		return
	}
	other := blas.Trans
	if t != blas.NoTrans {
		other = blas.NoTrans
	}
	terms := min(k, panel)
	workA, workB, workC := room(a, n*terms), make([]float64, n*terms), make([]float64, min(panel, n)*n)
	for p := 0; p < k; p += terms {
		terms := min(terms, k-p)
		rows, cols := stored(t, n, terms)
		left := operand(workA, t, a, n, p, terms)
		right := left
		if d != nil {
			right = Dense(workB, cols)
			Copy(right, left, rows, cols)
			scale(t, right, rows, cols, d[p:])
		}
		for i := 0; i < n; i += panel {
			rows, rest := min(panel, n-i), n-i
			ai, bi := op(t, left, i, 0), op(t, right, i, 0)
			v.b.Dgemm(t, other, rows, rest, terms, alpha, ai.X, ai.Ld, bi.X, bi.Ld, 0, workC, rest)
			for r := range rows {
				at := c.Row(i+r) + i
				row := c.X[at+r : at+rest]
				for j, x := range workC[r*rest+r : (r+1)*rest] {
					row[j] += x
				}
			}
		}
	}
}

// scale multiplies the columns of op(X) by d.
func scale(t blas.Transpose, x Matrix, rows, cols int, d []float64) {
	for i := range rows {
		row := x.X[x.Row(i):][:cols]
		for j := range row {
			if t == blas.NoTrans {
				row[j] *= d[j]
			} else {
				row[j] *= d[i]
			}
		}
	}
}

func (v viaDense) BlockTrsm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha float64, a, b Matrix) {
	if a.Packed || b.Packed {
		v.triangular(v.b.Dtrsm, true, s, ul, t, d, m, n, alpha, a, b)
	} else {
		v.b.Dtrsm(s, ul, t, d, m, n, alpha, a.X, a.Ld, b.X, b.Ld)
	}
}

func (v viaDense) BlockTrmm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha float64, a, b Matrix) {
	if a.Packed || b.Packed {
		v.triangular(v.b.Dtrmm, false, s, ul, t, d, m, n, alpha, a, b)
	} else {
		v.b.Dtrmm(s, ul, t, d, m, n, alpha, a.X, a.Ld, b.X, b.Ld)
	}
}

// triangular is BlockTrsm or BlockTrmm for packed blocks: act, which is Dtrsm or Dtrmm, for one block on the diagonal of
// A after the other and its rows or columns of B, and a product for what these do to the others. Of equations a
// block is solved first and goes then to the others; for a product it goes to the others as it was.
func (v viaDense) triangular(act func(blas.Side, blas.Uplo, blas.Transpose, blas.Diag, int, int, float64, []float64, int, []float64, int), solves bool,
	s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha float64, a, b Matrix) {
	order, across, sign := m, n, 1.0
	if s == blas.Right {
		order, across = n, m
	}
	if solves {
		sign = -1
	}
	if alpha != 1 {
		for i := range m {
			row := b.X[b.Row(i):][:n]
			for j := range row {
				row[j] *= alpha
			}
		}
	}
	size := min(panel, order)
	workA, workB := make([]float64, size*size), room(b, size*across)
	// Lower triangles on the left, and upper ones on the right, go from their first block to the others after it.
	forward := ((ul == blas.Lower) == (t == blas.NoTrans)) == (s == blas.Left)
	blocks := (order + size - 1) / size
	for at := range blocks {
		if forward != solves {
			at = blocks - 1 - at
		}
		i := at * size
		end := min(i+size, order)
		from, to := end, order
		if !forward {
			from, to = 0, i
		}
		others := func() {
			if s == blas.Left {
				v.BlockGemm(t, blas.NoTrans, to-from, n, end-i, sign, op(t, a, from, i), b.Sub(i, 0), 1, b.Sub(from, 0))
			} else {
				v.BlockGemm(blas.NoTrans, t, m, to-from, end-i, sign, b.Sub(0, i), op(t, a, i, from), 1, b.Sub(0, from))
			}
		}
		if !solves && from < to {
			others()
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
		act(s, ul, t, d, rows, cols, 1, diagonal.X, diagonal.Ld, x.X, x.Ld)
		if b.Packed {
			Copy(own, x, rows, cols)
		}
		if solves && from < to {
			others()
		}
	}
}

func (v viaDense) BlockRows(rows, nanoseconds int, work RowWork) { work.Rows(0, rows) }

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
