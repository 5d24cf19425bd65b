package qr

import (
	"cmp"
	"math"
	"sync/atomic"

	"blskernel"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// A Tpqrt reduces
//
//	[R Z]      [R' Z']
//	[B Y]  to  [0  Y']
//
// by reflections from the left. R is upper triangular. B has any number of rows or, as in PLASMA's
// dttqrt, is upper triangular too. (LAPACK: dtpqrt, dtpmqrt.)
//
// It copies as many rows of [B Y] at a time as fit into w; if B is triangular, w leaves out the zero
// columns in front of these rows. Then it eliminates one panel of columns after another: it computes
// the reflections I - [I; V] T [I; V]ᵀ (tpqrt2.factor) and applies them to the columns on the right and
// to the right-hand sides. Both are split into strips; one thread carries a strip through all products,
// in its own cache. The first strip is the next panel, which its thread factors at once.
type Tpqrt struct {
	R, Z, B, Y blas64.General
	Triangle   bool // B is upper triangular
	Plan       TpqrtPlan

	bk   factor.Backend
	w    block.Matrix // rows i to i+q-1 of [B Y], starting at column from
	i, q int
	from int
	top  []float64 // the M of apply for all strips of a panel

	panels [2]tpqrt2   // the current panel and the next one, in turn
	large  atomic.Bool // the result of anyLarge
}

// A TpqrtPlan holds the sizes of blocks. A zero stands for the size that planFor returns.
type TpqrtPlan struct {
	Panel int // columns of a panel
	Base  int // columns at which the recursion in a panel stops
	Strip int // columns of a strip
	Room  int // number of elements of [B Y] that are processed together
}

// planFor returns the plan for a problem of q rows. The sizes were measured on one core of Zen 4 with k
// = q = 1000. In GFLOP/s, panels of 24, 32, 48 and 64 columns give 47, 48, 44 and 45: products with a V
// of up to 32 columns read the strip in place, others pack it. Room for 2¹⁸, 2¹⁹ and 2²⁰ numbers, which
// stay in the cache from panel to panel, gives 46, 48 and 48. Strips of 96 to 240 columns are equally
// fast. On two threads, strips of 96 columns are up to 1.07 times as fast as wider strips, the last of
// which leaves a thread idle. Few rows get narrower panels, since T costs more than it saves.
//
// A backend without block operations has its own threads: it needs large products from one goroutine.
func planFor(bk factor.Backend, q int) TpqrtPlan {
	panel := max(8, (q/4+7)/8*8)
	if bk.Ours() {
		strip := 192
		if blskernel.Threads() > 1 {
			strip = 96
		}
		return TpqrtPlan{Panel: min(32, panel), Base: 8, Strip: strip, Room: 1 << 20}
	}
	return TpqrtPlan{Panel: min(64, panel), Base: 8, Strip: math.MaxInt, Room: 1 << 20}
}

// Run does the elimination. If the input holds NaN or an infinity, Run returns the first such element
// and writes nothing. If the result holds one, Run returns the first row with such an element as a
// Pivot. Otherwise it returns nil, nil.
func (e *Tpqrt) Run(bk factor.Backend) (*factor.Element, *factor.Pivot) {
	k, c, q := e.R.Cols, e.Z.Cols, e.B.Rows
	if k == 0 || q == 0 {
		return e.notFinite(false), nil
	}
	e.bk = bk
	plan := planFor(bk, q)
	e.Plan = TpqrtPlan{
		Panel: cmp.Or(e.Plan.Panel, plan.Panel), Base: cmp.Or(e.Plan.Base, plan.Base),
		Strip: cmp.Or(e.Plan.Strip, plan.Strip), Room: cmp.Or(e.Plan.Room, plan.Room),
	}
	large := e.anyLarge()
	if large {
		if bad := e.notFinite(false); bad != nil {
			return bad, nil
		}
	}
	most := max(1, e.Plan.Room/(k+c))
	chunks := (q + most - 1) / most
	rows := (q + chunks - 1) / chunks
	w := factor.Acquire()
	defer w.Release()
	nb := min(e.Plan.Panel, k)
	t, v := nb*nb, nb*factor.Stride(rows)
	w.Reserve(rows*factor.Stride(k+c), nb*(k+c), t, v, nb, t, v, nb)
	e.w, e.top = w.Matrix(rows, k+c), w.Take(nb*(k+c))
	for i := range e.panels {
		e.panels[i] = newTpqrt2(bk, w, nb, rows, e.Plan.Base)
	}
	for i := 0; i < q; i += rows {
		e.i, e.q = i, min(rows, q-i)
		if e.Triangle {
			e.from = i
		}
		e.rows(&e.panels[0], &e.panels[1])
	}
	if large {
		if bad := e.notFinite(true); bad != nil {
			return nil, &factor.Pivot{Index: min(bad.Row, k-1), Value: bad.Value}
		}
	}
	return nil, nil
}

// rows eliminates the rows of B in w, rows i to i+q-1, with p and next as the storage of two panels.
func (e *Tpqrt) rows(p, next *tpqrt2) {
	k, all := e.R.Cols, e.R.Cols+e.Z.Cols
	e.factor(p, e.from)
	for j := e.from; j < k; {
		right := j + p.n                   // the first column on the right of the panel
		rest := min(right+e.Plan.Panel, k) // the first column on the right of the next panel
		width := max(1, min(e.Plan.Strip, all-rest))
		strips := 1 + (all-rest+width-1)/width
		step := panelStep{e, p, next, j, right, rest, width}
		factor.Share(e.bk, strips, 4*float64(p.q*p.n*width), step, panelStep.strip)
		j, p, next = right, next, p
	}
	if c := all - k; c > 0 {
		for r := range e.q {
			copy(e.Y.Data[(e.i+r)*e.Y.Stride:][:c], e.w.X[e.w.Row(r)+k-e.from:])
		}
	}
}

// A panelStep applies panel p, which begins with column at, to strips of the columns on its right. The
// first strip is the next panel, [right, rest), which it also factors.
type panelStep struct {
	*Tpqrt
	p, next                *tpqrt2
	at, right, rest, width int
}

func (s panelStep) strip(i int) {
	if i > 0 {
		from := s.rest + (i-1)*s.width
		s.apply(s.p, s.at, from, min(from+s.width, s.R.Cols+s.Z.Cols))
	} else if s.right < s.R.Cols {
		s.apply(s.p, s.at, s.right, s.rest)
		s.factor(s.next, s.right)
	}
}

// factor computes the reflections of the panel that begins with column j. It loads the first panel of a
// group of rows; apply loads the columns on its right.
func (e *Tpqrt) factor(p *tpqrt2, j int) {
	n := min(e.Plan.Panel, e.R.Cols-j)
	if j == e.from {
		e.load(j, j+n)
	}
	first := e.q
	if e.Triangle {
		first = j - e.i
	}
	p.start(block.Dense(e.R.Data[j*e.R.Stride+j:], e.R.Stride), e.w.Sub(0, j-e.from), first, min(e.q, first+n), n)
	p.factor(0, n)
}

// load copies the columns [from, to) of rows i to i+q-1 of [B Y] to w.
func (e *Tpqrt) load(from, to int) {
	k := e.R.Cols
	mid := min(max(k, from), to) // B ends and Y begins here
	for r := range e.q {
		row := e.w.Elements(r, from-e.from, to-e.from)
		at := from
		if e.Triangle {
			at = max(from, min(e.i+r, mid))
			clear(row[:at-from])
		}
		if at < mid {
			copy(row[at-from:mid-from], e.B.Data[(e.i+r)*e.B.Stride+at:])
		}
		if mid < to {
			copy(row[mid-from:], e.Y.Data[(e.i+r)*e.Y.Stride+mid-k:])
		}
	}
}

// apply applies the reflections of the panel that begins with column j to the columns [from, to). With
// C1 in rows j to j+n-1 of [R Z] and C2 in rows i to i+q-1 of [B Y], it computes
//
//	M = Tᵀ(C1 + VᵀC2),   C1 = C1 - M,   C2 = C2 - V M,
//
// in 4qn flops per column and n² for T.
func (e *Tpqrt) apply(p *tpqrt2, j, from, to int) {
	n := to - from
	if n == 0 {
		return
	}
	if j == e.from {
		e.load(from, to)
	}
	m, c2 := block.Dense(e.top[from*min(e.Plan.Panel, e.R.Cols):], n), e.w.Sub(0, from-e.from)
	for r := range p.n {
		rc, zc := e.row(j+r, from, to)
		copy(m.X[r*n:], rc)
		copy(m.X[r*n+len(rc):], zc)
	}
	e.bk.Gemm(blas.NoTrans, blas.NoTrans, p.n, n, p.q, 1, p.v, c2, 1, m)
	e.bk.Trmm(blas.Left, blas.Upper, blas.Trans, blas.NonUnit, p.n, n, 1, p.t, m)
	for r := range p.n {
		rc, zc := e.row(j+r, from, to)
		e.bk.Add(-1, m.X[r*n:r*n+len(rc)], rc)
		e.bk.Add(-1, m.X[r*n+len(rc):(r+1)*n], zc)
	}
	e.bk.Gemm(blas.Trans, blas.NoTrans, p.q, n, p.n, -1, p.v, m, 1, c2)
}

// row returns the elements [from, to) of row i of [R Z], split into R and Z.
func (e *Tpqrt) row(i, from, to int) (r, z []float64) {
	k := e.R.Cols
	if from < k {
		r = e.R.Data[i*e.R.Stride+from : i*e.R.Stride+min(to, k)]
	}
	if to > k {
		z = e.Z.Data[i*e.Z.Stride+max(from, k)-k : i*e.Z.Stride+to-k]
	}
	return r, z
}

// safeSquares is the sum of squares of a row of [R Z; B Y] below which nothing overflows. A column then
// has a norm below sqrt(k+q) 2⁴⁸⁰, and reflections preserve norms. In a panel of n columns, no
// intermediate number exceeds 4 sqrt(n(1+q)) times this norm: |V| <= 1, and ‖T‖ <= 2 since I - T is
// part of an orthogonal matrix.
const safeSquares = 0x1p960

// anyLarge reports whether a row holds a NaN, an infinity or numbers so large that they may overflow.
func (e *Tpqrt) anyLarge() bool {
	k, c := e.R.Cols, e.Z.Cols
	e.large.Store(false)
	tasks, flops := (k+e.B.Rows+largeRows-1)/largeRows, float64(8*largeRows*(k+c))
	factor.Share(e.bk, tasks, flops, e, (*Tpqrt).findLarge)
	return e.large.Load()
}

// largeRows is the number of rows in a task of anyLarge; an element takes about as long as 8 flops.
const largeRows = 64

func (e *Tpqrt) findLarge(task int) {
	for i := task * largeRows; i < min((task+1)*largeRows, e.R.Cols+e.B.Rows); i++ {
		left, right, _ := e.stored(i)
		if !(e.squares(left)+e.squares(right) < safeSquares) {
			e.large.Store(true)
		}
	}
}

func (e *Tpqrt) squares(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return e.bk.Ddot(len(x), x, 1, x, 1)
}

// notFinite returns the first non-finite element of [R Z; B Y] or, if result is set, of [R' Z'; 0 Y'].
func (e *Tpqrt) notFinite(result bool) *factor.Element {
	k := e.R.Cols
	for i := range k + max(e.B.Rows, e.Y.Rows) {
		left, right, from := e.stored(i)
		if result && i >= k {
			left = nil
		}
		if bad := cmp.Or(factor.NotFiniteInRow(i, from, left), factor.NotFiniteInRow(i, k, right)); bad != nil {
			return bad
		}
	}
	return nil
}

// stored returns both parts of row i of [R Z; B Y], and the column in which the left part begins.
func (e *Tpqrt) stored(i int) (left, right []float64, from int) {
	a, y := e.R, e.Z
	if k := e.R.Cols; i >= k {
		a, y, i = e.B, e.Y, i-k
		if e.Triangle {
			from = i
		}
	} else {
		from = i
	}
	return rowFrom(a, i, from), rowFrom(y, i, 0), from
}

// rowFrom returns row i of g from column j on, or nil if g has no such row.
func rowFrom(g blas64.General, i, j int) []float64 {
	if i >= g.Rows {
		return nil
	}
	return g.Data[i*g.Stride+j : i*g.Stride+g.Cols]
}
