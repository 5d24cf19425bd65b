package eigen

import (
	"math"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
)

// A problem is a Hessenberg matrix that is being brought to Schur form.
type problem struct {
	n     int          // the order of h
	h     block.Matrix // upper Hessenberg
	z     block.Matrix // zRows×n, accumulates the transformations; empty if zRows = 0
	zRows int
	whole bool         // compute all of h, not only the eigenvalues
	w     []complex128 // the eigenvalues
}

func (p *problem) at(i, j int) float64 { return p.h.X[i*p.h.Ld+j] }

func (p *problem) set(i, j int, v float64) { p.h.X[i*p.h.Ld+j] = v }

// tiny returns the size up to which a subdiagonal element counts as zero, whatever its neighbors are.
func (p *problem) tiny() float64 { return factor.SmallestNormal / ulp * float64(p.n) }

// negligible reports whether the subdiagonal element of row k of h is at most tiny, or small compared
// with its neighbors. It looks only at rows and columns [from, end). It combines the usual test with
// the test of Ahues and Tisseur (LAPACK working note 122, 1997).
func negligible(h block.Matrix, k, from, end int, tiny float64) bool {
	above, own := h.X[(k-1)*h.Ld+k-1:], h.X[k*h.Ld+k-1:]
	a, b, c, d := above[0], above[1], math.Abs(own[0]), own[1]
	if c <= tiny {
		return true
	}
	sum := math.Abs(a) + math.Abs(d)
	if sum == 0 {
		sum = neighbors(h, k, from, end)
	}
	if !(c <= ulp*sum) {
		return false
	}
	ab, ba := max(c, math.Abs(b)), min(c, math.Abs(b))
	aa, bb := max(math.Abs(d), math.Abs(a-d)), min(math.Abs(d), math.Abs(a-d))
	s := aa + ab
	return ba*(ab/s) <= max(tiny, ulp*(bb*(aa/s)))
}

// faint reports whether the subdiagonal element of row k is far below the rounding errors of the
// elements around it. If the matrix is steeply graded, QR steps alone might never make it negligible.
func faint(h block.Matrix, k, from, end int) bool {
	sum := math.Abs(h.X[(k-1)*h.Ld+k-1]) + math.Abs(h.X[k*h.Ld+k]) + neighbors(h, k, from, end)
	return math.Abs(h.X[k*h.Ld+k-1]) <= ulp*ulp*sum
}

// neighbors returns |h[k-1, k-2]| + |h[k+1, k]|, counting only elements within [from, end).
func neighbors(h block.Matrix, k, from, end int) (sum float64) {
	if k-2 >= from {
		sum = math.Abs(h.X[(k-1)*h.Ld+k-2])
	}
	if k+1 < end {
		sum += math.Abs(h.X[(k+1)*h.Ld+k])
	}
	return sum
}

// clearBelow zeroes the elements below the subdiagonal in the rows and columns [from, to].
func clearBelow(h block.Matrix, from, to int) {
	for i := from + 2; i <= to; i++ {
		clear(h.Elements(i, from, i-1))
	}
}

// firstColumn returns the first column of (H - s1)(H - s2), up to a factor, where H is the block of the
// given order, 2 or 3, at (k, k) of h. (LAPACK: dlaqr1.)
func firstColumn(h block.Matrix, order, k int, s1, s2 complex128) (x, y, z float64) {
	q := squareAt(h, k)
	h02, h12, h20, h21, h22 := 0.0, 0.0, 0.0, 0.0, 0.0
	if order == 3 {
		last := h.X[(k+2)*h.Ld+k:]
		h02, h12, h20, h21, h22 = h.X[k*h.Ld+k+2], h.X[(k+1)*h.Ld+k+2], last[0], last[1], last[2]
	}
	s := math.Abs(q.a-real(s2)) + math.Abs(imag(s2)) + math.Abs(q.c) + math.Abs(h20)
	if s == 0 {
		return 0, 0, 0
	}
	c, e := q.c/s, h20/s
	return float64((q.a-real(s1))*((q.a-real(s2))/s)) - float64(imag(s1)*(imag(s2)/s)) + float64(q.b*c) + float64(h02*e),
		float64(c*(q.a+q.d-real(s1)-real(s2))) + float64(h12*e),
		float64(e*(q.a+h22-real(s1)-real(s2))) + float64(c*h21)
}

// exceptional returns shifts that are not eigenvalues, from a diagonal element d and two subdiagonal
// elements a and b next to it. Such shifts break a cycle of steps that do not converge.
func exceptional(d, a, b float64) (s1, s2 complex128) {
	s := math.Abs(a) + math.Abs(b)
	d += float64(0.75 * s)
	q, _ := square{d, s, -0.4375 * s, d}.standard()
	return q.eigenvalues()
}

// doubleShift returns the eigenvalues of q. If they are real, both results are the one closer to q.d.
func (q square) doubleShift() (s1, s2 complex128) {
	d := q.d
	q, _ = q.standard()
	s1, s2 = q.eigenvalues()
	switch {
	case imag(s1) != 0:
	case math.Abs(real(s1)-d) <= math.Abs(real(s2)-d):
		s2 = s1
	default:
		s1 = s2
	}
	return s1, s2
}

// small brings the decoupled rows and columns ilo to ihi of h to Schur form by the double-shift QR
// algorithm. It returns 0, or the row after the last one that did not converge. (LAPACK: dlahqr.)
func (p *problem) small(ilo, ihi int) (first int) {
	clearBelow(p.h, ilo, ihi)
	steps := 30 * max(10, ihi-ilo+1)
	tiny := p.tiny()
	for i := ihi; i >= ilo; {
		l := ilo
		for stalled := 0; ; stalled++ {
			k := i
			for k > l && !negligible(p.h, k, ilo, ihi+1, tiny) && !(stalled >= 10 && faint(p.h, k, ilo, ihi+1)) {
				k--
			}
			if l = k; l > ilo {
				p.set(l, l-1, 0)
			}
			if l >= i-1 {
				break
			}
			if steps--; steps < 0 {
				return i + 1
			}
			p.step(l, i, stalled+1)
		}
		if l == i {
			p.w[i] = complex(p.at(i, i), 0)
		} else {
			p.standardize(i - 1)
		}
		i = l - 1
	}
	return 0
}

// standardize brings the block of order 2 at (i, i) to standard form and stores its eigenvalues in w.
func (p *problem) standardize(i int) {
	q, r := squareAt(p.h, i).standard()
	q.store(p.h, i)
	p.w[i], p.w[i+1] = q.eigenvalues()
	if p.whole {
		r.left(p.h, i, i+2, p.n)
		r.right(p.h, i, 0, i)
	}
	r.right(p.z, i, 0, p.zRows)
}

// step does the count-th double step on rows and columns l to i; every tenth uses exceptional shifts.
func (p *problem) step(l, i, count int) {
	h := p.h
	top, right := l, i+1
	if p.whole {
		top, right = 0, p.n
	}
	var s1, s2 complex128
	switch {
	case count%20 == 0:
		s1, s2 = exceptional(p.at(i, i), p.at(i, i-1), p.at(i-1, i-2))
	case count%10 == 0:
		s1, s2 = exceptional(p.at(l, l), p.at(l+1, l), p.at(l+2, l+1))
	default:
		s1, s2 = squareAt(h, i-1).doubleShift()
	}
	// Begin where two consecutive subdiagonal elements are small.
	m := i - 2
	x, y, z := firstColumn(h, 3, m, s1, s2)
	for ; m > l; m-- {
		sum := math.Abs(p.at(m-1, m-1)) + math.Abs(p.at(m, m)) + math.Abs(p.at(m+1, m+1))
		if math.Abs(p.at(m, m-1))*(math.Abs(y)+math.Abs(z)) <= ulp*math.Abs(x)*sum {
			break
		}
		x, y, z = firstColumn(h, 3, m-1, s1, s2)
	}
	r, _ := reflect(x, y, z)
	for k := m; k < i; k++ {
		order := min(3, i-k+1)
		switch {
		case k > m:
			x, y, z := p.at(k, k-1), p.at(k+1, k-1), 0.0
			if order == 3 {
				z = p.at(k+2, k-1)
				p.set(k+2, k-1, 0)
			}
			var beta float64
			r, beta = reflect(x, y, z)
			p.set(k, k-1, beta)
			p.set(k+1, k-1, 0)
		case m > l:
			p.set(k, k-1, p.at(k, k-1)*(1-r.t0))
		}
		r.left(h, order, k, k, right)
		r.right(h, order, k, top, min(k+3, i)+1)
		r.right(p.z, order, k, 0, p.zRows)
	}
}
