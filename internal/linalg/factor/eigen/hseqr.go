package eigen

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
)

// These are LAPACK's values: the first two from iparmq, the third, like the 6 in iterate, from dlaqr0.
const (
	minMultishift = 75 // the order above which steps have more than two shifts
	nibble        = 14 // percent of a window; if fewer eigenvalues are deflated, a sweep follows
	patience      = 5  // attempts without deflation; from this one on windows grow
)

// shiftsFor returns the number of shifts in a sweep for order n. (LAPACK: iparmq.)
func shiftsFor(n int) int {
	switch {
	case n < 60:
		return 4
	case n < 150:
		return 10
	case n < 590:
		return max(10, n/bits.Len(uint(n))) &^ 1
	case n < 3000:
		return 64
	}
	return 128
}

// A multishift is the state of the multishift QR algorithm.
type multishift struct {
	*problem
	bk    factor.Backend
	depth int // levels of nested deflation windows
}

// Hseqr brings rows and columns ilo to ihi of the n×n upper Hessenberg h to real Schur form T = QᵀH Q.
// The diagonal blocks of T of order 2 are standard: (a b; c a), b c < 0. The rest of h is already
// triangular. Hseqr writes the eigenvalues to w, and multiplies the zRows×n matrix z by Q from the
// right. If whole is not set, only the eigenvalues are valid. It returns 0, or the row after the last
// one with an eigenvalue that did not converge: w is then valid from that row on, and before ilo.
//
// T and Q take about 20n³ flops. Sweeps and deflations work in windows on the diagonal, of order twice
// the number of shifts; the rest is matrix products. (Braman, Byers and Mathias, The Multishift QR
// Algorithm, parts I and II, SIAM J. Matrix Anal. Appl. 23, 2002; LAPACK: dhseqr, dlaqr0.)
func Hseqr(bk factor.Backend, whole bool, n, ilo, ihi int, h block.Matrix, w []complex128, zRows int, z block.Matrix) (first int) {
	for i := range n {
		if i < ilo || i > ihi {
			w[i] = complex(h.X[i*h.Ld+i], 0)
		}
	}
	p := problem{n: n, h: h, z: z, zRows: zRows, whole: whole, w: w}
	first = p.solve(bk, ilo, ihi, 2)
	if first == 0 && whole {
		clearBelow(h, 0, n-1)
	}
	return first
}

// solve is Hseqr for p, with at most depth levels of nested deflation windows.
func (p *problem) solve(bk factor.Backend, ilo, ihi, depth int) (first int) {
	if ihi < ilo {
		return 0
	}
	if ihi-ilo+1 <= minMultishift || depth == 0 {
		return p.small(ilo, ihi)
	}
	m := multishift{problem: p, bk: bk, depth: depth}
	return m.iterate(ilo, ihi)
}

// iterate does the work of solve for orders above minMultishift, by multishift sweeps.
func (m *multishift) iterate(ilo, ihi int) (first int) {
	clearBelow(m.h, ilo, ihi)
	n := ihi - ilo + 1
	most := min(shiftsFor(n), (n-3)/6) &^ 1
	largest, order := (n-1)/3, most // of windows
	if n > 500 {
		order = 3 * most / 2
	}
	usual := min(max(2, order), largest)
	window, shrink, stalled := usual, -1, 1
	kbot := ihi
	for range 30 * max(10, n) {
		if kbot < ilo {
			return 0
		}
		ktop := kbot
		for ktop > ilo && m.at(ktop, ktop-1) != 0 {
			ktop--
		}
		active := kbot - ktop + 1
		bound := min(active, largest)
		// A window that does not deflate grows to its bound, and then shrinks.
		if stalled < patience {
			window, shrink = min(bound, usual), -1
		} else {
			window = min(bound, 2*window)
		}
		if window < largest {
			if at := kbot - window + 1; window >= active-1 {
				window = active
			} else if math.Abs(m.at(at, at-1)) > math.Abs(m.at(at-1, at-2)) {
				window++
			}
		}
		if stalled >= patience && (shrink >= 0 || window >= bound) {
			if shrink++; window-shrink < 2 {
				shrink = 0
			}
			window -= shrink
		}
		left, deflated := m.deflate(ktop, kbot, window)
		kbot -= deflated
		if deflated == 0 || 100*deflated <= window*nibble && kbot-ktop+1 > min(minMultishift, largest) {
			count := min(most, max(2, kbot-ktop)) &^ 1
			if shifts := m.shifts(ktop, kbot, count, left, stalled%6 == 0); len(shifts) > 0 {
				m.sweep(ktop, kbot, shifts)
			}
		}
		if stalled++; deflated > 0 {
			stalled = 1
		}
	}
	if kbot < ilo {
		return 0
	}
	return kbot + 1
}

// shifts returns at most count shifts for rows ktop to kbot, in pairs. They are the eigenvalues that
// deflation left, in the elements kbot-left+1 to kbot of w. If left <= count/2, eigenvalues of the last
// block of order count replace them; if stuck is set, exceptional shifts do.
func (m *multishift) shifts(ktop, kbot, count, left int, stuck bool) []complex128 {
	from := kbot - left + 1
	switch {
	case stuck:
		from = kbot - count + 1
		for i := kbot; i >= max(from+1, ktop+2); i -= 2 {
			m.w[i-1], m.w[i] = exceptional(m.at(i, i), m.at(i, i-1), m.at(i-1, i-2))
		}
		if from == ktop {
			v := complex(m.at(from+1, from+1), 0)
			m.w[from], m.w[from+1] = v, v
		}
	case left <= count/2:
		from = kbot - count + 1
		t := block.Dense(make([]float64, count*count), count)
		block.Copy(t, m.h.Sub(from, from), count, count)
		last := problem{n: count, h: t, w: m.w[from : kbot+1]}
		from += last.solve(m.bk, 0, count-1, m.depth-1)
		if from >= kbot { // no pair converged
			from = kbot - 1
			m.w[from], m.w[kbot] = squareAt(m.h, from).doubleShift()
		}
	}
	s := slices.Clone(m.w[from : kbot+1])
	if len(s) > count { // the smallest come last
		size := func(v complex128) float64 { return math.Abs(real(v)) + math.Abs(imag(v)) }
		slices.SortStableFunc(s, func(a, b complex128) int { return cmp.Compare(size(b), size(a)) })
	}
	return paired(s, m.at(kbot, kbot), count)
}

// paired returns the last elements of s, an even number and at most count, with the real ones in pairs.
// If s is just two real shifts, both become the one closer to d.
func paired(s []complex128, d float64, count int) []complex128 {
	for i := len(s) - 1; i >= 2; i -= 2 {
		if imag(s[i]) != -imag(s[i-1]) {
			s[i], s[i-1], s[i-2] = s[i-1], s[i-2], s[i]
		}
	}
	if len(s) == 2 && imag(s[0]) == 0 {
		if math.Abs(real(s[1])-d) < math.Abs(real(s[0])-d) {
			s[0] = s[1]
		}
		s[1] = s[0]
	}
	return s[len(s)-min(count, len(s)&^1):]
}
