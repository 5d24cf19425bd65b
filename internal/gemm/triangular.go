package gemm

import (
	"blskernel/internal/block"
	"blskernel/internal/workers"

	"gonum.org/v1/gonum/blas"
)

// A trxm is one call of Dtrsm or Dtrmm: X = inv(T)·X or X = T·X for the columns of B, or for its rows
// if T is on the right, transposed.
//
// Threads share the columns of X, and each goes through all diagonal blocks of T. Dtrsm solves for a
// block of X and then subtracts it from the rows below. Dtrmm goes from the last block to the first,
// adds a block to the rows below and then multiplies it. Either way a block is packed once.
type trxm struct {
	triangle
	stored block.Matrix // A; if that is packed, the triangle has only order, backwards and unit
	ul     blas.Uplo
	trans  blas.Transpose // T is op(A)
	solves bool
	right  bool
	b      block.Matrix // its rows are columns of X if right
	n      int          // columns of X
	alpha  float64
}

// triangular runs Dtrsm or Dtrmm.
func (e *Engine) triangular(solves bool, side blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a, b block.Matrix) {
	if m == 0 || n == 0 {
		return
	}
	if alpha == 0 {
		s := all(b)
		s.scale(0, 0, m, 0, n)
		return
	}
	t := trxm{stored: a, ul: ul, trans: tA, solves: solves, right: side == blas.Right, b: b, n: n, alpha: alpha}
	order := m
	if t.right {
		// X·op(A) = B is op(A)ᵀ·Xᵀ = Bᵀ.
		t.trans, t.n, order = block.Other(tA), m, n
	}
	t.triangle = newTriangle(e, ul, t.trans, d, order, a.X, a.Ld)
	t.run()
}

// run applies T to all columns, on as many threads as are worth it.
func (t *trxm) run() {
	if team := t.engine.team(float64(t.order) * float64(t.order) * float64(t.n)); team != nil {
		defer team.Release()
		t.parallel(team)
		return
	}
	w := scratches.Get().(*scratch)
	t.columns(w, 0, t.n)
	scratches.Put(w)
}

// parallel applies T to all columns on the caller's thread and those of the pool.
func (t *trxm) parallel(team *workers.Team) {
	own := *t // so that t itself stays on the caller's stack
	width := own.slice(team.Threads())
	team.Run((own.n+width-1)/width, func(i int) {
		w := scratches.Get().(*scratch)
		own.columns(w, i*width, min((i+1)*width, own.n))
		scratches.Put(w)
	})
}

// slice returns the number of columns of a task, a tile or more: a few tasks for each thread, each the
// same number.
func (t *trxm) slice(threads int) int {
	tasks := threads * max(min(perThread, t.n/leastSlice/threads), 1)
	return max(roundUp((t.n+tasks-1)/tasks, line/8), t.engine.kernel.NR)
}

// perThread is the largest number of tasks for each thread, leastSlice the number of columns that repay
// packing T.
const (
	perThread  = 3
	leastSlice = 48
)

// columns applies T to the columns j0 to j1 of X.
func (t *trxm) columns(w *scratch, j0, j1 int) {
	t.scale(j0, j1)
	size := t.engine.diagonalBlock()
	blocks := (t.order + size - 1) / size
	for s := range blocks {
		if !t.solves {
			s = blocks - 1 - s
		}
		i0 := s * size
		i1 := min(i0+size, t.order)
		if !t.solves {
			t.update(w, i0, i1, j0, j1)
		}
		t.apply(w, i0, i1, j0, j1)
		if t.solves {
			t.update(w, i0, i1, j0, j1)
		}
	}
}

// diagonalBlock is the order of diagonal blocks: half of KC, so that products have long sums and still
// most of the work. Like KC it is part of results, and depends on nothing else.
func (e *Engine) diagonalBlock() int { return e.blocks.KC / 2 }

// scale multiplies the columns j0 to j1 of X by alpha.
func (t *trxm) scale(j0, j1 int) {
	s := all(t.b)
	if t.right {
		s.scale(t.alpha, j0, j1, 0, t.order)
	} else {
		s.scale(t.alpha, 0, t.order, j0, j1)
	}
}

// rowOf returns the row of X in B that T counts as i.
func (t *trxm) rowOf(i int) int {
	if t.backwards {
		return t.order - 1 - i
	}
	return i
}

// apply applies the diagonal block of rows i0 to i1 to these rows of X, columns j0 to j1: in place if
// rows are contiguous and few, else in a packed copy, panel by panel.
func (t *trxm) apply(w *scratch, i0, i1, j0, j1 int) {
	w.diagonal = aligned(w.diagonal, i1-i0)
	on, d := t.diagonal(w, i0, i1)
	if !t.right && !t.b.Packed && i1-i0 <= fewRows {
		t.act(on, d, rhsPanel{x: t.b.X, first: t.rowOf(i0)*t.b.Ld + j0, ld: t.step(t.b.Ld), n: j1 - j0})
		return
	}
	nr := t.engine.kernel.NR
	w.c = aligned(w.c, (i1-i0)*nr)
	// lowest is the first row in storage, and so the first of the copy.
	lowest, rows := min(t.rowOf(i0), t.rowOf(i1-1)), i1-i0
	x := rhsPanel{x: w.c, first: (t.rowOf(i0) - lowest) * nr, ld: t.step(nr)}
	b := left(!t.right, t.b)
	for j := j0; j < j1; j += nr {
		x.n = min(nr, j1-j)
		b.panel(&t.engine.kernel, w.buffer, w.c, nr, j, j+x.n, lowest, lowest+rows)
		t.act(on, d, x)
		t.unpack(w, lowest, rows, j, x.n)
	}
}

// unpack copies a panel back from w.c: the given rows of X from i on, n columns from j on. If they are
// rows of a packed B, they go through w.a.
func (t *trxm) unpack(w *scratch, i, rows, j, n int) {
	k := &t.engine.kernel
	from, ld := w.c, k.NR
	if t.right {
		i, rows, j, n = j, n, i, rows
		if !t.b.Packed {
			k.Transpose(n, rows, &w.c[0], ld, &t.b.X[t.b.Row(i)+j], t.b.Ld)
			return
		}
		w.a = aligned(w.a, rows*n)
		k.Transpose(n, rows, &w.c[0], ld, &w.a[0], n)
		from, ld = w.a, n
	}
	if !t.b.Packed {
		k.Copy(rows, n, &from[0], ld, &t.b.X[t.b.Row(i)+j], t.b.Ld)
		return
	}
	for r := range rows {
		k.Copy(1, n, &from[r*ld], 0, &t.b.X[t.b.Row(i+r)+j], 0)
	}
}

// fewRows is the order up to which a block on the left is applied in place.
const fewRows = 64

// step is the distance between rows that are ld apart, in the order in which T counts them.
func (t *trxm) step(ld int) int {
	if t.backwards {
		return -ld
	}
	return ld
}

// diagonal returns the diagonal block of rows i0 to i1 and its triangle: T, or a dense copy of the
// block if A is packed.
func (t *trxm) diagonal(w *scratch, i0, i1 int) (*triangle, diagonal) {
	if !t.stored.Packed {
		return &t.triangle, t.triangle.diagonal(i0, i1, t.solves, w.diagonal)
	}
	size, first := i1-i0, i0
	if t.backwards {
		first = t.order - i1
	}
	w.triangle = aligned(w.triangle, size*size)
	block.CopyUpper(block.Dense(w.triangle, size), t.stored.Sub(first, first), size)
	diag := blas.NonUnit
	if t.unit {
		diag = blas.Unit
	}
	w.copied = newTriangle(t.engine, t.ul, t.trans, diag, size, w.triangle, size)
	return &w.copied, w.copied.diagonal(0, size, t.solves, w.diagonal)
}

// act applies a diagonal block of a triangle to a panel of right-hand sides.
func (t *trxm) act(on *triangle, d diagonal, x rhsPanel) {
	if t.solves {
		on.solve(d, x)
	} else {
		on.multiply(d, x)
	}
}

// update adds or subtracts the product of T below the block of rows i0 to i1 with these rows of X to
// the rows below.
func (t *trxm) update(w *scratch, i0, i1, j0, j1 int) {
	if i1 == t.order {
		return
	}
	// In storage the rows of X below the block are [from, to) and those of the block begin at own;
	// so are the rows and columns of T.
	from, to, own := i1, t.order, i0
	if t.backwards {
		from, to, own = 0, t.order-i1, t.order-i1
	}
	tt := left(false, t.stored.Sub(from, own))
	if t.trans != blas.NoTrans {
		tt = left(true, t.stored.Sub(own, from))
	}
	p := product{engine: t.engine, k: i1 - i0, alpha: 1, beta: 1}
	if t.solves {
		p.alpha = -1
	}
	if t.right {
		p.m, p.n = j1-j0, to-from
		p.a = left(false, t.b.Sub(j0, own))
		p.b = tt
		p.c = all(t.b.Sub(j0, from))
	} else {
		p.m, p.n = to-from, j1-j0
		p.a = tt
		p.b = right(false, t.b.Sub(own, j0))
		p.c = all(t.b.Sub(from, j0))
	}
	p.blocks(w)
}
