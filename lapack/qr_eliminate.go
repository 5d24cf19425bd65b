package lapack

import (
	"math"

	"blskernel"
	"blskernel/internal/block"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// An elimination reduces
//
//	[R z]      [R' z']
//	[B Y]  to  [0  Y']
//
// by reflections from the left; B has any number of rows, or is upper triangular itself.
//
// Rows of B are taken as many at a time as have room in w, where [B Y] is copied to; with B triangular
// the columns in front of these rows are zero and left out. Then one panel of columns after the other
// is eliminated: its reflections I - [I; V] T [I; V]ᵀ are made (panel.factor) and applied to the
// columns on its right, those of the right-hand sides among them. The columns fall into strips, each of
// which one thread carries through all products, from the cache of its own; the first of them is the
// next panel, which is factored at once while other threads are at the other strips.
type elimination struct {
	routine    string
	r, z, b, y blas64.General
	triangle   bool // B is upper triangular
	plan       eliminationPlan

	bk   blskernel.Backend
	w    []float64 // columns from and on of rows i to i+q of [B Y], ldw apart
	ldw  int
	i, q int
	from int
	top  []float64 // room for a product of a panel's columns by those of [R z]
}

// An eliminationPlan has the sizes of blocks. The zero value stands for those in use.
type eliminationPlan struct {
	panel int // columns of a panel
	base  int // columns at which the recursion in a panel stops
	strip int // columns of a strip
	room  int // number of elements of [B Y] that are treated together
}

// planFor returns the plan for a problem of q rows on a backend. The sizes were measured on one core of
// Zen 4 with k = q = 1000: panels of 24, 32, 48 and 64 columns give 47, 48, 44 and 45 GFLOP/s, since
// products with a V of up to 32 columns read the strip where it lies and others pack it; room for 2¹⁸,
// 2¹⁹ and 2²⁰ numbers, which is to stay in the cache from one panel to the next, gives 46, 48 and 48;
// strips of 96 to 240 columns make no difference. Few rows pay for few elements of T, so their panels
// are narrower.
//
// A backend with threads of its own would not gain by calls from several goroutines and is not called
// by more than one; it wants large products.
func planFor(bk blskernel.Backend, q int) eliminationPlan {
	panel := max(8, (q/4+7)/8*8)
	if _, ours := bk.(block.Products); ours {
		return eliminationPlan{panel: min(32, panel), base: 8, strip: 192, room: 1 << 20}
	}
	return eliminationPlan{panel: min(64, panel), base: 8, strip: math.MaxInt, room: 1 << 20}
}

// newElimination checks the shapes of a problem.
func newElimination(routine string, r, z, b, y *mat.Dense) *elimination {
	e := &elimination{routine: routine, r: r.RawMatrix(), z: rawOrNone(z), b: rawOrNone(b), y: rawOrNone(y)}
	k, q := e.r.Rows, e.b.Rows
	checkShape(e.r.Cols == k)
	checkShape(q == 0 || e.b.Cols == k)
	checkShape(e.z.Cols == 0 || e.z.Rows == k)
	if k > 0 {
		checkShape(e.y.Rows == q || e.y.Rows == 0)
		checkShape(e.y.Cols == e.z.Cols || q == 0)
	}
	return e
}

// rawOrNone returns the matrix of d, without rows and columns where d is nil.
func rawOrNone(d *mat.Dense) blas64.General {
	if d == nil {
		return blas64.General{}
	}
	return d.RawMatrix()
}

// run checks the elements and does the elimination.
func (e *elimination) run(bk blskernel.Backend) error {
	k, c, q := e.r.Cols, e.z.Cols, e.b.Rows
	if k == 0 || q == 0 {
		return e.checkInput()
	}
	e.bk = bk
	defer blskernel.Hold(bk, e.flops())()
	if e.plan == (eliminationPlan{}) {
		e.plan = planFor(bk, q)
	}
	large := e.anyLarge()
	if large {
		if err := e.checkInput(); err != nil {
			return err
		}
	}
	most := max(1, e.plan.room/(k+c))
	chunks := (q + most - 1) / most
	rows := (q + chunks - 1) / chunks
	e.ldw = apart(k + c)
	e.w = make([]float64, rows*e.ldw)
	nb := min(e.plan.panel, k)
	p, next := newPanel(bk, nb, rows, e.plan.base), newPanel(bk, nb, rows, e.plan.base)
	e.top = make([]float64, nb*(k+c))
	for i := 0; i < q; i += rows {
		e.i, e.q = i, min(rows, q-i)
		if e.triangle {
			e.from = i
		}
		e.rows(p, next)
	}
	if large {
		return e.checkResult()
	}
	return nil
}

// flops returns the number of flops of the elimination: row i of a triangle B begins with i zeros.
func (e *elimination) flops() float64 {
	k, c, q := float64(e.r.Cols), float64(e.z.Cols), float64(e.b.Rows)
	if e.triangle {
		return 2 * k * k * (k/3 + c)
	}
	return 2 * k * q * (k + 2*c)
}

// rows eliminates rows i to i+q of B, with p and next as the storage of two panels.
func (e *elimination) rows(p, next *panel) {
	k, all := e.r.Cols, e.r.Cols+e.z.Cols
	e.factor(p, e.from)
	for j := e.from; j < k; {
		right := j + p.n                   // the columns from here on are on the right of the panel,
		rest := min(right+e.plan.panel, k) // and those from here on also of the next one
		width := max(1, min(e.plan.strip, all-rest))
		strips := 1 + (all-rest+width-1)/width
		at, cur, ahead := j, p, next
		e.share(strips, 4*p.q*p.n*width, func(s int) {
			if s > 0 {
				from := rest + (s-1)*width
				e.apply(cur, at, from, min(from+width, all))
			} else if right < k {
				e.apply(cur, at, right, rest)
				e.factor(ahead, right)
			}
		})
		j, p, next = right, next, p
	}
	if c := all - k; c > 0 {
		for r := range e.q {
			copy(e.y.Data[(e.i+r)*e.y.Stride:][:c], e.w[r*e.ldw+k-e.from:])
		}
	}
}

// share calls do for 0 to tasks-1, which take so many flops each, in this order or on several threads.
func (e *elimination) share(tasks, flops int, do func(task int)) {
	block.On(e.bk).BlockRows(tasks, flops/flopsPerNanosecond, block.RowFunc(func(from, to int) {
		for t := from; t < to; t++ {
			do(t)
		}
	}))
}

// flopsPerNanosecond is about the speed of the kernels, by which to judge what is worth a thread.
const flopsPerNanosecond = 50

// factor makes the reflections of the panel that begins with column j; on the right of the first panel
// of some rows, apply loads the columns.
func (e *elimination) factor(p *panel, j int) {
	n := min(e.plan.panel, e.r.Cols-j)
	if j == e.from {
		e.load(j, j+n)
	}
	first := e.q
	if e.triangle {
		first = j - e.i
	}
	p.start(e.r.Data[j*e.r.Stride+j:], e.r.Stride, e.w[j-e.from:], e.ldw, first, min(e.q, first+n), n)
	p.factor(0, n)
}

// load copies columns from to to-1 of rows i to i+q of [B Y] to w.
func (e *elimination) load(from, to int) {
	k := e.r.Cols
	mid := min(max(k, from), to) // columns of B end and those of Y begin here
	for r := range e.q {
		row := e.w[r*e.ldw+from-e.from : r*e.ldw+to-e.from]
		at := from
		if e.triangle {
			at = max(from, min(e.i+r, mid))
			clear(row[:at-from])
		}
		if at < mid {
			copy(row[at-from:mid-from], e.b.Data[(e.i+r)*e.b.Stride+at:])
		}
		if mid < to {
			copy(row[mid-from:], e.y.Data[(e.i+r)*e.y.Stride+mid-k:])
		}
	}
}

// apply applies the reflections of the panel that begins with column j to columns from to to-1, of
// which C1 are rows j to j+n of [R z], and C2 rows i to i+q of [B Y]:
//
//	M = Tᵀ(C1 + VᵀC2),   C1 = C1 - M,   C2 = C2 - V M,
//
// in 4qn flops a column and n² for T.
func (e *elimination) apply(p *panel, j, from, to int) {
	n := to - from
	if n == 0 {
		return
	}
	if j == e.from {
		e.load(from, to)
	}
	m, c2 := e.top[from*min(e.plan.panel, e.r.Cols):], e.w[from-e.from:]
	for r := range p.n {
		rc, zc := e.row(j+r, from, to)
		copy(m[r*n:], rc)
		copy(m[r*n+len(rc):], zc)
	}
	e.bk.Dgemm(blas.NoTrans, blas.NoTrans, p.n, n, p.q, 1, p.v, p.ldv, c2, e.ldw, 1, m, n)
	e.bk.Dtrmm(blas.Left, blas.Upper, blas.Trans, blas.NonUnit, p.n, n, 1, p.t, p.ldt, m, n)
	for r := range p.n {
		rc, zc := e.row(j+r, from, to)
		e.bk.Daxpy(len(rc), -1, m[r*n:], 1, rc, 1)
		e.bk.Daxpy(len(zc), -1, m[r*n+len(rc):], 1, zc, 1)
	}
	e.bk.Dgemm(blas.Trans, blas.NoTrans, p.q, n, p.n, -1, p.v, p.ldv, m, n, 1, c2, e.ldw)
}

// row returns elements from to to-1 of row i of [R z]: those of R and those of z.
func (e *elimination) row(i, from, to int) (r, z []float64) {
	k := e.r.Cols
	if from < k {
		r = e.r.Data[i*e.r.Stride+from : i*e.r.Stride+min(to, k)]
	}
	if to > k {
		z = e.z.Data[i*e.z.Stride+max(from, k)-k : i*e.z.Stride+to-k]
	}
	return r, z
}

// apart returns a distance between rows of n elements: whole cache lines, an odd number of them, so
// that elements of one column do not fall on the same places of a cache.
func apart(n int) int { return ((n+7)/8 | 1) * 8 }
