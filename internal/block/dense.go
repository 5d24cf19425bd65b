package block

import "gonum.org/v1/gonum/blas"

// On returns the Products of b, or else ones that are made of its Level 3 routines: packed operands are copied to
// a dense workspace, as large as the smaller operand or panelRows rows of the result.
func On(b blas.Float64) Products {
	if p, ok := b.(Products); ok {
		return p
	}
	return viaDense{b}
}

// panelRows is the number of rows of a packed result that are computed together: enough for a product to reach its
// speed, and to make what is computed in excess beside a diagonal small.
const panelRows = 192

// viaDense makes the Products from Dgemm and Dtrsm.
type viaDense struct{ b blas.Float64 }

// dense returns m, or a dense copy of its rows×cols elements.
func dense(m Matrix, rows, cols int) Matrix {
	if !m.Packed {
		return m
	}
	d := Dense(make([]float64, rows*cols), max(1, cols))
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

// opRows is op(X) from its row i on.
func opRows(t blas.Transpose, x Matrix, i int) Matrix {
	if t == blas.NoTrans {
		return x.Sub(i, 0)
	}
	return x.Sub(0, i)
}

func (v viaDense) BlockGemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a, b, c Matrix) {
	if m == 0 || n == 0 || k == 0 {
		return
	}
	rows, cols := stored(tA, m, k)
	a = dense(a, rows, cols)
	rows, cols = stored(tB, k, n)
	b = dense(b, rows, cols)
	if !c.Packed {
		v.b.Dgemm(tA, tB, m, n, k, alpha, a.X, a.Ld, b.X, b.Ld, 1, c.X, c.Ld)
		return
	}
	work := Dense(make([]float64, min(panelRows, m)*n), n)
	for i := 0; i < m; i += panelRows {
		rows := min(panelRows, m-i)
		ai, ci := opRows(tA, a, i), c.Sub(i, 0)
		Copy(work, ci, rows, n)
		v.b.Dgemm(tA, tB, rows, n, k, alpha, ai.X, ai.Ld, b.X, b.Ld, 1, work.X, n)
		Copy(ci, work, rows, n)
	}
}

func (v viaDense) BlockSyrk(t blas.Transpose, n, k int, alpha float64, a Matrix, d []float64, c Matrix) {
	if n == 0 || k == 0 {
		return
	}
	rows, cols := stored(t, n, k)
	a = dense(a, rows, cols)
	right := a
	if d != nil {
		right = Dense(make([]float64, rows*cols), cols)
		Copy(right, a, rows, cols)
		for i := range rows {
			row := right.X[i*cols : (i+1)*cols]
			for j := range row {
				if t == blas.NoTrans {
					row[j] *= d[j]
				} else {
					row[j] *= d[i]
				}
			}
		}
	}
	other := blas.Trans
	if t != blas.NoTrans {
		other = blas.NoTrans
	}
	work := Dense(make([]float64, min(panelRows, n)*n), n)
	for i := 0; i < n; i += panelRows {
		rows, rest := min(panelRows, n-i), n-i
		ai, bi := opRows(t, a, i), opRows(t, right, i)
		v.b.Dgemm(t, other, rows, rest, k, alpha, ai.X, ai.Ld, bi.X, bi.Ld, 0, work.X, n)
		for r := range rows {
			at := c.Row(i+r) + i
			row := c.X[at+r : at+rest]
			for j, x := range work.X[r*n+r : r*n+rest] {
				row[j] += x
			}
		}
	}
}

func (v viaDense) BlockTrsm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b Matrix) {
	if m == 0 || n == 0 {
		return
	}
	x := dense(b, m, n)
	v.b.Dtrsm(s, ul, t, d, m, n, alpha, a, lda, x.X, x.Ld)
	if b.Packed {
		Copy(b, x, m, n)
	}
}
