package eigen

import (
	"math"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/factor/qr"

	"gonum.org/v1/gonum/blas"
)

// deflate brings a window of the given order, the last rows and columns of the active block ktop to
// kbot, to Schur form. The column left of the window becomes a spike. An eigenvalue with a negligible
// component of the spike is an eigenvalue of h to working precision and is deflated. The rest of the
// window becomes Hessenberg again. left counts the other converged eigenvalues, which serve as shifts.
// w holds both kinds up to kbot, the deflated ones last. (Aggressive early deflation; LAPACK: dlaqr3.)
func (m *multishift) deflate(ktop, kbot, order int) (left, deflated int) {
	at := kbot - order + 1
	spike := 0.0
	if at != ktop {
		spike = m.at(at, at-1)
	}
	t, v := square0(order), square0(order)
	for i := range order {
		from := max(0, i-1)
		copy(t.Elements(i, from, order), m.h.Elements(at+i, at+from, at+order))
		v.X[i*v.Ld+i] = 1
	}
	p := &problem{n: order, h: t, z: v, zRows: order, whole: true, w: m.w[at : kbot+1]}
	// If QR fails, the eigenvalues that converged are used.
	failed := p.solve(m.bk, 0, order-1, m.depth-1)
	clearBelow(t, 0, order-1)
	left = p.detect(failed, spike, m.tiny())
	if left == 0 {
		spike = 0
	}
	if left < order {
		p.sort(failed, left)
	}
	for i := failed; i < order; {
		if blockOrder(t, order, i) == 1 {
			p.w[i] = complex(p.at(i, i), 0)
			i++
			continue
		}
		p.w[i], p.w[i+1] = squareAt(t, i).eigenvalues()
		i += 2
	}
	if left < order || spike == 0 {
		if left > 1 && spike != 0 {
			p.restore(m.bk, left)
		}
		if at > 0 {
			m.set(at, at-1, spike*v.X[0])
		}
		for i := range order {
			from := max(0, i-1)
			copy(m.h.Elements(at+i, at+from, at+order), t.Elements(i, from, order))
		}
		m.spread(v, order, at, ktop, kbot, at, kbot+1)
	}
	return left - failed, order - left
}

// detect moves up, to the rows from failed on, all eigenvalues whose component of the spike is not
// negligible. It returns the row after them; the eigenvalues from that row on can be deflated.
func (p *problem) detect(failed int, spike, tiny float64) (left int) {
	left = p.n
	for failed < left {
		last, size := left-1, math.Abs(p.at(left-1, left-1))
		component := math.Abs(spike * p.z.X[last])
		if left >= 2 && p.at(last, last-1) != 0 {
			last--
			component = max(component, math.Abs(spike*p.z.X[last]))
			size += squareAt(p.h, last).imaginary()
		}
		if size == 0 {
			size = math.Abs(spike)
		}
		if component <= max(tiny, ulp*size) {
			left = last
			continue
		}
		order := left - last
		failed = p.moveUp(last, failed) + order
	}
	return left
}

// sort sorts the diagonal blocks in rows [from, end) by descending magnitude, as far as they can be
// exchanged, with a bubble sort. The order makes the results for graded matrices more accurate.
func (p *problem) sort(from, end int) {
	size := func(i int) float64 {
		s := math.Abs(p.at(i, i))
		if blockOrder(p.h, end, i) == 2 {
			s += squareAt(p.h, i).imaginary()
		}
		return s
	}
	for sorted := false; !sorted; {
		sorted = true
		last := from
		for i := from; ; {
			k := i + blockOrder(p.h, end, i)
			if k >= end {
				break
			}
			if size(i) < size(k) {
				n1, n2 := k-i, blockOrder(p.h, end, k)
				if p.swap(i, n1, n2) {
					sorted = false
					k = i + n2
				}
				last = k
			}
			i = k
		}
		end = last
		if end <= from {
			break
		}
	}
}

// restore makes the first n rows and columns of h Hessenberg again, with a spike of one element, by
// reflections that it accumulates in p.z.
func (p *problem) restore(bk factor.Backend, n int) {
	x, work := make([]float64, n), make([]float64, p.n)
	copy(x, p.z.X[:n])
	_, tau := qr.Larfg(bk, x[0], x[1:])
	x[0] = 1
	bk.Dgemv(blas.Trans, n, p.n, 1, p.h.X, p.h.Ld, x, 1, 0, work, 1)
	bk.Dger(n, p.n, -tau, x, 1, work, 1, p.h.X, p.h.Ld)
	reflectRight := func(a block.Matrix, rows int) {
		bk.Dgemv(blas.NoTrans, rows, n, 1, a.X, a.Ld, x, 1, 0, work, 1)
		bk.Dger(rows, n, -tau, work, 1, x, 1, a.X, a.Ld)
	}
	reflectRight(p.h, n)
	reflectRight(p.z, p.n)
	tau1 := work[:p.n-1]
	Gehrd(bk, p.n, 0, n-1, p.h, tau1)
	q, z := square0(n), square0(p.n)
	block.Copy(q, p.h, n, n)
	Orghr(bk, n, 0, n-1, q, tau1[:n-1])
	block.Copy(z, p.z, p.n, n)
	bk.Dgemm(blas.NoTrans, blas.NoTrans, p.n, n, n, 1, z.X, z.Ld, q.X, q.Ld, 0, p.z.X, p.z.Ld)
}

// square0 returns an n×n matrix of zeros with a stride of an odd number of cache lines.
func square0(n int) block.Matrix {
	return block.Dense(make([]float64, n*factor.Stride(n)), factor.Stride(n))
}

// stripWidth is the number of columns or rows that a task of spread multiplies.
const stripWidth = 96

// flopsWorthThreads is the rate, in flops per nanosecond, from which spread estimates the time of a
// task. It is four times the actual rate, so that small products stay on one thread. Between windows
// only one thread works, and polling workers would make Hseqr take 1.3 times as long at order 300.
const flopsWorthThreads = 200

// spread applies the orthogonal u, of the given order, to the rows and columns [at, at+order). It
// multiplies these rows of h, from column colsFrom on, by uᵀ on the left. It multiplies these columns
// of z, and of h above row rowsTo, by u on the right. Unless m.whole is set, it stays within rows and
// columns ktop to kbot of h.
func (m *multishift) spread(u block.Matrix, order, at, ktop, kbot, rowsTo, colsFrom int) {
	top, right := ktop, kbot+1
	if m.whole {
		top, right = 0, m.n
	}
	count := func(n int) int { return (max(0, n) + stripWidth - 1) / stripWidth }
	across, above := count(right-colsFrom), count(rowsTo-top)
	nanoseconds := 1 + 2*order*order*stripWidth/flopsWorthThreads
	m.bk.BlockRows(across+above+count(m.zRows), nanoseconds, func(from, to int) {
		buffer := make([]float64, order*stripWidth)
		for task := from; task < to; task++ {
			if task < across {
				c := colsFrom + task*stripWidth
				n := min(stripWidth, right-c)
				dst, src := m.h.Sub(at, c), block.Dense(buffer, n)
				block.Copy(src, dst, order, n)
				m.bk.Dgemm(blas.Trans, blas.NoTrans, order, n, order, 1, u.X, u.Ld, src.X, src.Ld, 0, dst.X, dst.Ld)
				continue
			}
			a, r, end := m.h, top+(task-across)*stripWidth, rowsTo
			if task >= across+above {
				a, r, end = m.z, (task-across-above)*stripWidth, m.zRows
			}
			n := min(stripWidth, end-r)
			dst, src := a.Sub(r, at), block.Dense(buffer, order)
			block.Copy(src, dst, n, order)
			m.bk.Dgemm(blas.NoTrans, blas.NoTrans, n, order, order, 1, src.X, src.Ld, u.X, u.Ld, 0, dst.X, dst.Ld)
		}
	})
}
