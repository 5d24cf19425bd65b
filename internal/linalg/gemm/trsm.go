package gemm

import (
	"math"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/check"
	"blskernel/internal/linalg/kernel"
	"blskernel/internal/linalg/workers"

	"gonum.org/v1/gonum/blas"
)

// Dtrsm solves op(A)·X = alpha·B if side is blas.Left, in m²n flops, or X·op(A) = alpha·B otherwise, in
// mn² flops. The m×n matrix X overwrites B; A is triangular, m×m or n×n. Dtrsm reads the triangle ul of
// A, but not its diagonal if d is blas.Unit. A zero on the diagonal gives Inf or NaN. If alpha = 0, B
// becomes zero and A is not read.
//
// Dtrsm solves for blocks of rows (of columns if A is on the right) by substitution in registers with
// the reciprocals of the diagonal, or by division if a reciprocal in the block might lose digits. A
// product subtracts the contribution of each block from the rest. Each column (or row) of X is the
// exact solution for its own matrix A + E with |E| <= gamma_{r+2}·|A|, where r is the order of A. See
// Higham, sections 8.1 and 8.5; each reciprocal adds one rounding.
func (e *Engine) Dtrsm(side blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	if check.Triangular(side, ul, tA, d, m, n, a, lda, b, ldb) {
		e.triangular(solve, side, ul, tA, d, m, n, alpha, block.Dense(a, lda), block.Dense(b, ldb))
	}
}

// A triangular is one call of Dtrsm or Dtrmm: X = inv(T)·X or X = T·X. X is B and T is op(A); with A on
// the right, both are transposed. T is always lower triangular: if it would be upper, its rows and
// columns and the rows of X are counted from the last.
type triangular struct {
	engine    *Engine
	op        operation
	a         block.Matrix
	ul        blas.Uplo
	trans     blas.Transpose
	diag      blas.Diag
	order     int
	backwards bool
	right     bool
	b         block.Matrix // its rows are columns of X if right
	n         int          // columns of X
}

// An operation says which of Dtrsm and Dtrmm a triangular call computes.
type operation uint8

const (
	solve operation = iota
	multiply
)

// triangular computes Dtrsm or Dtrmm. It does not check arguments.
func (e *Engine) triangular(op operation, side blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a, b block.Matrix) {
	if m == 0 || n == 0 {
		return
	}
	c := dense(b)
	c.scale(alpha, 0, m, 0, n)
	if alpha == 0 {
		return
	}
	t := triangular{engine: e, op: op, a: a, ul: ul, trans: tA, diag: d, order: m, b: b, n: n}
	if side == blas.Right { // X·op(A) = B is op(A)ᵀ·Xᵀ = Bᵀ
		t.right, t.trans, t.order, t.n = true, block.Other(tA), n, m
	}
	t.backwards = (ul == blas.Upper) == (t.trans == blas.NoTrans)
	team := e.pool.Acquire(float64(t.order) * float64(t.order) * float64(t.n) / e.kernel.Speed)
	if team == nil {
		t.sweep(nil)
		return
	}
	defer team.Release()
	if t.sharesColumns(team.Threads()) {
		t.share(team)
	} else {
		t.sweep(team)
	}
}

// sharesColumns reports whether each thread sweeps over its own columns of X, so that threads
// synchronize only at the end. Each thread then packs all of T. That takes too long if T is on the left
// and not transposed, or if it is much larger than X.
func (t *triangular) sharesColumns(threads int) bool {
	const least, most = 16, 8
	return (t.right || t.trans != blas.NoTrans) && t.n >= least*threads && t.order <= most*t.n
}

// share sweeps over ranges of columns of X, each on one thread.
func (t *triangular) share(team *workers.Team) {
	const columns = 256
	threads := team.Threads()
	tasks := threads * max(t.n/(threads*columns), 1)
	width := roundUp((t.n+tasks-1)/tasks, t.engine.kernel.NR)
	own := *t // so that t itself stays on the caller's stack
	team.Run((t.n+width-1)/width, func(i int) {
		part := own
		part.n = min(width, own.n-i*width)
		if part.right {
			part.b = own.b.Sub(i*width, 0)
		} else {
			part.b = own.b.Sub(0, i*width)
		}
		part.sweep(nil)
	})
}

// sweep goes through the diagonal blocks of T. Dtrsm solves for a block of X and then subtracts its
// contribution from the rows below. Dtrmm starts at the last block, adds the contribution of a block to
// the rows below, and then multiplies the block itself.
func (t *triangular) sweep(team *workers.Team) {
	w := workspaces.Get().(*workspace)
	size := t.engine.diagonalBlock()
	switch t.op {
	case solve:
		for i0 := 0; i0 < t.order; i0 += size {
			i1 := min(i0+size, t.order)
			t.apply(w, team, i0, i1)
			t.update(w, team, i0, i1)
		}
	case multiply:
		for i0 := (t.order - 1) / size * size; i0 >= 0; i0 -= size {
			i1 := min(i0+size, t.order)
			t.update(w, team, i0, i1)
			t.apply(w, team, i0, i1)
		}
	}
	workspaces.Put(w)
}

// diagonalBlock returns the order of diagonal blocks: half of KC, so that products have long sums but
// still do most of the work. Like KC, this order affects results, so it is the same on every machine.
func (e *Engine) diagonalBlock() int { return e.blocks.KC / 2 }

// rowOf returns the index in storage of the row of X that T counts as row i.
func (t *triangular) rowOf(i int) int {
	if t.backwards {
		return t.order - 1 - i
	}
	return i
}

// step returns the distance in storage from a row to the next, as T counts rows, if rows are ld apart.
func (t *triangular) step(ld int) int {
	if t.backwards {
		return -ld
	}
	return ld
}

// update multiplies the part of T below the diagonal block of rows [i0, i1) by these rows of X.
// Dtrmm adds the product to the rows of X below them, and Dtrsm subtracts it.
func (t *triangular) update(w *workspace, team *workers.Team, i0, i1 int) {
	if i1 == t.order {
		return
	}
	// In storage the block begins at row own of X, and the rows below it are [from, to); rows and
	// columns of T likewise.
	from, to, own := i1, t.order, i0
	if t.backwards {
		from, to, own = 0, t.order-i1, t.order-i1
	}
	row, col := from, own
	if t.trans != blas.NoTrans {
		row, col = own, from
	}
	tt := t.a.Sub(row, col)
	p := product{engine: t.engine, k: i1 - i0, alpha: 1, beta: 1}
	if t.op == solve {
		p.alpha = -1
	}
	if t.right {
		p.m, p.n = t.n, to-from
		p.a, p.b = opA(blas.NoTrans, t.b.Sub(0, own)), opA(t.trans, tt)
		p.c = dense(t.b.Sub(0, from))
	} else {
		p.m, p.n = to-from, t.n
		p.a, p.b = opA(t.trans, tt), opB(blas.NoTrans, t.b.Sub(own, 0))
		p.c = dense(t.b.Sub(from, 0))
	}
	if team != nil {
		p.parallel(team)
	} else {
		p.on(w)
	}
}

// apply applies the diagonal block of rows [i0, i1) to these rows of X. Threads share the columns of X.
func (t *triangular) apply(w *workspace, team *workers.Team, i0, i1 int) {
	d := t.diagonal(w, i0, i1)
	if team != nil {
		t.shareColumns(team, d)
	} else {
		t.columns(w, &d, 0, t.n)
	}
}

// shareColumns applies a diagonal block to X on the threads of a team.
func (t *triangular) shareColumns(team *workers.Team, d diagonal) {
	tasks := min(team.Threads()*tasksPerThread, (t.n+columnsPerTask-1)/columnsPerTask)
	width := roundUp((t.n+tasks-1)/tasks, line/8)
	own := *t // so that t itself stays on the caller's stack
	team.Run((t.n+width-1)/width, func(i int) {
		w := workspaces.Get().(*workspace)
		own.columns(w, &d, i*width, min((i+1)*width, own.n))
		workspaces.Put(w)
	})
}

// X is cut into at most tasksPerThread tasks per thread, of at least about columnsPerTask columns.
const (
	tasksPerThread = 3
	columnsPerTask = 48
)

// fewRows is the order up to which a diagonal block of a T on the left is applied in place.
const fewRows = 64

// columns applies a diagonal block to the columns [j0, j1) of X: in place if the rows are contiguous
// and few, and otherwise in a packed copy, panel by panel.
func (t *triangular) columns(w *workspace, d *diagonal, j0, j1 int) {
	i0, rows := d.from, d.rows
	if !t.right && !t.b.Packed && rows <= fewRows {
		t.act(d, rhsPanel{x: t.b.X, first: t.rowOf(i0)*t.b.Ld + j0, ld: t.step(t.b.Ld), n: j1 - j0})
		return
	}
	nr := t.engine.kernel.NR
	w.c = aligned(w.c, rows*nr)
	// lowest is the first row in storage and therefore the first row of the copy.
	lowest := min(t.rowOf(i0), t.rowOf(i0+rows-1))
	x := rhsPanel{x: w.c, first: (t.rowOf(i0) - lowest) * nr, ld: t.step(nr)}
	b := opB(blas.NoTrans, t.b)
	if t.right {
		b = opB(blas.Trans, t.b)
	}
	for j := j0; j < j1; j += nr {
		x.n = min(nr, j1-j)
		b.panel(&t.engine.kernel, w.c, nr, j, j+x.n, lowest, lowest+rows)
		t.act(d, x)
		t.unpack(w, lowest, rows, j, x.n)
	}
}

// unpack copies a panel of the given number of rows and n columns from w.c back to X, at row i and
// column j. If T is on the right and B is packed, the panel passes through w.a.
func (t *triangular) unpack(w *workspace, i, rows, j, n int) {
	k := &t.engine.kernel
	from, ld := w.c, k.NR
	if t.right {
		i, rows, j, n = j, n, i, rows
		if !t.b.Packed {
			k.Transpose(n, rows, &w.c[0], ld, 0, &t.b.X[t.b.Row(i)+j], t.b.Ld)
			return
		}
		w.a = aligned(w.a, rows*n)
		k.Transpose(n, rows, &w.c[0], ld, 0, &w.a[0], n)
		from, ld = w.a, n
	}
	ldb, step := t.b.Down(i)
	k.Copy(rows, n, &from[0], ld, 0, &t.b.X[t.b.Row(i)+j], ldb, step)
}

// act applies a diagonal block to a panel of right-hand sides.
func (t *triangular) act(d *diagonal, x rhsPanel) {
	if t.op == solve {
		d.solve(&t.engine.kernel, x)
	} else {
		d.multiply(&t.engine.kernel, x)
	}
}

// A diagonal is a diagonal block of T, rows [from, from+rows), in the layout of the kernels: T[i,j] =
// a[first+i*row+j*col], j <= i, counted from the start of the block. Elements above the diagonal are
// never read. A unit diagonal is not read either.
type diagonal struct {
	from, rows      int
	a               []float64
	first, row, col int
	values          []float64 // the diagonal, or its reciprocals; nil for ones
	divide          bool      // a reciprocal would overflow or lose digits: values is the diagonal
}

// A rhsPanel holds the rows of n right-hand sides for a diagonal block: row i is x[first+i*ld:][:n].
type rhsPanel struct {
	x         []float64
	first, ld int
	n         int
}

// diagonal returns the diagonal block of the rows [i0, i1), in place if possible. If A is packed, or
// has rows a multiple of a page apart, which evict each other from the caches, w gets a dense copy.
func (t *triangular) diagonal(w *workspace, i0, i1 int) diagonal {
	size, first := i1-i0, i0 // in storage
	if t.backwards {
		first = t.order - i1
	}
	at := t.a.Sub(first, first)
	if t.a.Packed || 8*t.a.Ld%page == 0 {
		ld, unit := size+line/8, 0
		w.triangle = aligned(w.triangle, size*ld)
		if t.diag == blas.Unit {
			unit = 1 // the diagonal is not read
		}
		for r := range size {
			from, to := 0, r+1-unit
			if t.ul == blas.Upper {
				from, to = r+unit, size
			}
			row := at.Row(r)
			copy(w.triangle[r*ld+from:r*ld+to], at.X[row+from:row+to])
		}
		at = block.Dense(w.triangle, ld)
	}
	d := diagonal{from: i0, rows: size, a: at.X, row: at.Ld, col: 1}
	if t.trans != blas.NoTrans {
		d.row, d.col = d.col, d.row
	}
	if t.backwards {
		d.first, d.row, d.col = (size-1)*(at.Ld+1), -d.row, -d.col
	}
	if t.diag == blas.Unit {
		return d
	}
	w.diagonal = aligned(w.diagonal, size)
	d.values = w.diagonal
	for i := range d.values {
		d.values[i] = d.a[d.at(i, i)]
		// Outside these limits reciprocals overflow or lose digits; zero, NaN, Inf do no harm.
		if v := math.Abs(d.values[i]); v > 0 && v < 0x1p-1022 || v > 0x1p1021 && v <= math.MaxFloat64 {
			d.divide = t.op == solve
		}
	}
	if t.op == solve && !d.divide {
		for i, v := range d.values {
			d.values[i] = 1 / v
		}
	}
	return d
}

// at returns the index of T[i,j] in a.
func (d *diagonal) at(i, j int) int { return d.first + i*d.row + j*d.col }

// element returns the address of element i of the diagonal, or nil for ones.
func (d *diagonal) element(i int) *float64 {
	if d.values == nil {
		return nil
	}
	return &d.values[i]
}

// solve overwrites the rows of a panel with the solution of the block's equations. For row i, one chain
// of fused multiply-adds adds -t_ij·x_j to x_i, from the block's first row to j = i-1. Then x_i is
// divided by t_ii or multiplied by its reciprocal. Thus the strips of MR rows do not affect results. A
// chain that ends in zero gives +0, because the sign of a zero within a chain may depend on the strips.
func (d *diagonal) solve(k *kernel.Kernel, x rhsPanel) {
	for i := 0; i < d.rows; i += k.MR {
		m := min(k.MR, d.rows-i)
		xi := &x.x[x.first+i*x.ld]
		if i > 0 {
			k.Gemm(m, x.n, i, -1, &d.a[d.at(i, 0)], d.row, d.col, &x.x[x.first], x.ld, k.NR, kernel.Continue, xi, x.ld)
		}
		if d.divide {
			d.substitute(k, i, m, x)
		} else {
			k.Solve(m, x.n, &d.a[d.at(i, i)], d.row, d.col, d.element(i), xi, x.ld)
		}
	}
}

// substitute solves for m rows of a panel, from row i on, by division. It subtracts the rows above as
// the kernels do, so that results do not depend on the strips.
func (d *diagonal) substitute(k *kernel.Kernel, i, m int, x rhsPanel) {
	row := func(r int) []float64 {
		at := x.first + (i+r)*x.ld
		return x.x[at : at+x.n]
	}
	for r := range m {
		xr := row(r)
		for s := range r {
			k.Axpy(x.n, -d.a[d.at(i+r, i+s)], &row(s)[0], &xr[0])
		}
		t := d.a[d.at(i+r, i+r)]
		for j, v := range xr {
			xr[j] = v/t + 0 // as in kernel.Solve
		}
	}
}
