package eigen

import (
	"math"
	"testing"

	"blskernel"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"

	"gonum.org/v1/gonum/blas"
	gonumlapack "gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/testlapack"
)

// TestConformance runs gonum's own tests of the routines that are parts of Geev.
func TestConformance(t *testing.T) {
	testutil.NotUnderRace(t, "computing in one goroutine")
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		r := routines{bk: factor.On(bk)}
		t.Run("Dgehrd", func(t *testing.T) { testlapack.DgehrdTest(t, r) }) // orders around blocks of 32 columns
		t.Run("Dorghr", func(t *testing.T) { testlapack.DorghrTest(t, r) })
		t.Run("Dhseqr", func(t *testing.T) { testlapack.DhseqrTest(t, r) })
		t.Run("Dtrevc3", func(t *testing.T) { testlapack.Dtrevc3Test(t, r) })
		t.Run("Dlaqr04", func(t *testing.T) { testutil.Slow(t); testlapack.Dlaqr04Test(t, r) })
		t.Run("Dlaqr23", func(t *testing.T) { testutil.Slow(t); testlapack.Dlaqr23Test(t, r) })
	})
	r := routines{bk: factor.On(blskernel.Default())}
	t.Run("Dgebal", func(t *testing.T) { testlapack.DgebalTest(t, r) })
	t.Run("Dgebak", func(t *testing.T) { testlapack.DgebakTest(t, r) })
	t.Run("Dlahqr", func(t *testing.T) { testlapack.DlahqrTest(t, r) })
	t.Run("Dlaexc", func(t *testing.T) { testlapack.DlaexcTest(t, r) })
	t.Run("Dtrexc", func(t *testing.T) { testlapack.DtrexcTest(t, r) })
	t.Run("Dlanv2", func(t *testing.T) { testlapack.Dlanv2Test(t, r) })
}

// routines has the functions of this package as gonum's tests call them.
type routines struct {
	gonum.Implementation // does what is asked for here and not by Geev
	bk                   factor.Backend
}

func (r routines) Dgebal(job gonumlapack.BalanceJob, n int, a []float64, lda int, scale []float64) (ilo, ihi int) {
	if n == 0 || job != gonumlapack.PermuteScale {
		return r.Implementation.Dgebal(job, n, a, lda, scale)
	}
	w := factor.Acquire()
	defer w.Release()
	b := gebal(r.bk, w, n, block.Dense(a, lda))
	copy(scale, b.scale)
	return b.ilo, b.ihi
}

func (r routines) Dgebak(job gonumlapack.BalanceJob, side gonumlapack.EVSide, n, ilo, ihi int, scale []float64, m int, v []float64, ldv int) {
	if n == 0 || job != gonumlapack.PermuteScale {
		r.Implementation.Dgebak(job, side, n, ilo, ihi, scale, m, v, ldv)
		return
	}
	b := balance{n: n, ilo: ilo, ihi: ihi, scale: scale}
	x := square0(n)
	block.Copy(x, block.Dense(v, ldv), n, m)
	b.gebak(r.bk, side == gonumlapack.EVLeft, x)
	block.Copy(block.Dense(v, ldv), x, n, m)
}

// solve runs f on a problem, and copies the eigenvalues to wr and wi from the first that converged.
func solve(n, ilo, ihi int, h []float64, ldh int, wr, wi []float64, zRows int, z block.Matrix, whole bool, f func(p *problem) int) int {
	p := &problem{n: n, h: block.Dense(h, ldh), z: z, zRows: zRows, whole: whole, w: make([]complex128, n)}
	first := f(p)
	for i := max(first, ilo); i <= ihi; i++ {
		wr[i], wi[i] = real(p.w[i]), imag(p.w[i])
	}
	return first
}

// rowsOf returns the rows iloz to ihiz of z, none if wantz is false.
func rowsOf(wantz bool, iloz, ihiz int, z []float64, ldz int) (int, block.Matrix) {
	if !wantz {
		return 0, block.Matrix{}
	}
	return ihiz - iloz + 1, block.Dense(z, ldz).Sub(iloz, 0)
}

func (r routines) Dgehrd(n, ilo, ihi int, a []float64, lda int, tau, work []float64, lwork int) {
	if lwork == -1 {
		work[0] = float64(max(1, n))
	} else if n > 0 {
		Gehrd(r.bk, n, ilo, ihi, block.Dense(a, lda), tau)
	}
}

func (r routines) Dorghr(n, ilo, ihi int, a []float64, lda int, tau, work []float64, lwork int) {
	if lwork == -1 {
		work[0] = float64(max(1, n))
	} else if n > 0 {
		Orghr(r.bk, n, ilo, ihi, block.Dense(a, lda), tau)
	}
}

func (r routines) Dhseqr(job gonumlapack.SchurJob, compz gonumlapack.SchurComp, n, ilo, ihi int, h []float64, ldh int, wr, wi, z []float64, ldz int, work []float64, lwork int) int {
	if lwork == -1 {
		work[0] = float64(max(1, n))
		return 0
	}
	rows, q := rowsOf(compz != gonumlapack.SchurNone && n > 0, 0, n-1, z, ldz)
	if compz == gonumlapack.SchurHess {
		factor.Identity(n, q)
	}
	whole := job == gonumlapack.EigenvaluesAndSchur
	return solve(n, 0, n-1, h, ldh, wr, wi, rows, q, whole, func(p *problem) int {
		return Hseqr(r.bk, whole, n, ilo, ihi, p.h, p.w, rows, q)
	})
}

func (r routines) Dlahqr(wantt, wantz bool, n, ilo, ihi int, h []float64, ldh int, wr, wi []float64, iloz, ihiz int, z []float64, ldz int) int {
	rows, q := rowsOf(wantz, iloz, ihiz, z, ldz)
	return solve(n, ilo, ihi, h, ldh, wr, wi, rows, q, wantt, func(p *problem) int { return p.small(ilo, ihi) })
}

func (r routines) Dlaqr04(wantt, wantz bool, n, ilo, ihi int, h []float64, ldh int, wr, wi []float64, iloz, ihiz int, z []float64, ldz int, work []float64, lwork, recur int) int {
	if lwork == -1 {
		work[0] = float64(max(1, n))
		return 0
	}
	rows, q := rowsOf(wantz, iloz, ihiz, z, ldz)
	return solve(n, ilo, ihi, h, ldh, wr, wi, rows, q, wantt, func(p *problem) int { return p.solve(r.bk, ilo, ihi, recur+1) })
}

func (r routines) Dlaqr23(wantt, wantz bool, n, ktop, kbot, nw int, h []float64, ldh, iloz, ihiz int, z []float64, ldz int, sr, si, _ []float64, _, _ int, _ []float64, _, _ int, _ []float64, _ int, work []float64, lwork, recur int) (left, deflated int) {
	if lwork == -1 {
		work[0] = float64(max(1, n))
		return 0, 0
	}
	rows, q := rowsOf(wantz, iloz, ihiz, z, ldz)
	solve(n, kbot+1, kbot, h, ldh, nil, nil, rows, q, wantt, func(p *problem) int {
		m := multishift{problem: p, bk: r.bk, depth: recur + 1}
		left, deflated = m.deflate(ktop, kbot, nw)
		for i := kbot - left - deflated + 1; i <= kbot; i++ {
			sr[i], si[i] = real(p.w[i]), imag(p.w[i])
		}
		return 0
	})
	return left, deflated
}

// schurOf returns the problem of the quasi-triangle t and vectors q.
func schurOf(wantq bool, n int, t []float64, ldt int, q []float64, ldq int) *problem {
	p := &problem{n: n, h: block.Dense(t, ldt), whole: true, w: make([]complex128, n)}
	p.zRows, p.z = rowsOf(wantq, 0, n-1, q, ldq)
	return p
}

func (r routines) Dlaexc(wantq bool, n int, t []float64, ldt int, q []float64, ldq, j1, n1, n2 int, _ []float64) bool {
	return n2 == 0 || schurOf(wantq, n, t, ldt, q, ldq).swap(j1, n1, n2)
}

func (r routines) Dtrexc(compq gonumlapack.UpdateSchurComp, n int, t []float64, ldt int, q []float64, ldq, ifst, ilst int, work []float64) (from, to int, ok bool) {
	if ifst <= ilst {
		return r.Implementation.Dtrexc(compq, n, t, ldt, q, ldq, ifst, ilst, work)
	}
	p := schurOf(compq == gonumlapack.UpdateSchur, n, t, ldt, q, ldq)
	start := func(i int) int {
		if i > 0 && p.at(i, i-1) != 0 {
			return i - 1
		}
		return i
	}
	from, to = start(ifst), start(ilst)
	got := p.moveUp(from, to)
	return from, got, got == to
}

func (r routines) Dlanv2(a, b, c, d float64) (aa, bb, cc, dd, rt1r, rt1i, rt2r, rt2i, cs, sn float64) {
	q, turn := square{a, b, c, d}.standard()
	first, second := q.eigenvalues()
	return q.a, q.b, q.c, q.d, real(first), imag(first), real(second), imag(second), turn.c, turn.s
}

func (r routines) Dtrevc3(side gonumlapack.EVSide, how gonumlapack.EVHowMany, selected []bool, n int, t []float64, ldt int, vl []float64, ldvl int, vr []float64, ldvr, mm int, work []float64, lwork int) (m int) {
	if lwork == -1 {
		work[0] = float64(max(1, 3*n))
		return 0
	}
	p := schurOf(false, n, t, ldt, nil, 0)
	for i := 0; i < n; i++ {
		if blockOrder(p.h, n, i) == 1 {
			p.w[i] = complex(p.at(i, i), 0)
			continue
		}
		p.w[i], p.w[i+1] = squareAt(p.h, i).eigenvalues()
		if how == gonumlapack.EVSelected && (selected[i] || selected[i+1]) {
			selected[i], selected[i+1] = true, false
		}
		i++
	}
	if side != gonumlapack.EVLeft {
		x := square0(n)
		trevc(r.bk, false, n, p.h, p.w, x)
		m = r.deliver(how, selected, n, p.w, x, block.Dense(vr, ldvr))
	}
	if side != gonumlapack.EVRight {
		x := block.Dense(make([]float64, n*n), n)
		leftVectors(r.bk, false, n, p.h, p.w, x)
		for k := 0; k < n; k++ {
			if imag(p.w[k]) != 0 {
				swapColumns(n, x, k)
				k++
			}
		}
		m = r.deliver(how, selected, n, p.w, x, block.Dense(vl, ldvl))
	}
	return m
}

// deliver copies the columns of x that are asked for to v, with the largest element 1, or multiplies v
// by x.
func (r routines) deliver(how gonumlapack.EVHowMany, selected []bool, n int, w []complex128, x, v block.Matrix) (m int) {
	if how == gonumlapack.EVAllMulQ {
		y := square0(n)
		block.Copy(y, v, n, n)
		if n > 0 {
			r.bk.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, y.X, y.Ld, x.X, x.Ld, 0, v.X, v.Ld)
		}
		x = square0(n)
		block.Copy(x, v, n, n)
	}
	for k := 0; k < n; k++ {
		columns, largest := 1, 0.0
		if imag(w[k]) != 0 {
			columns = 2
		}
		for i := range n {
			largest = max(largest, math.Abs(x.X[i*x.Ld+k])+float64(columns-1)*math.Abs(x.X[i*x.Ld+k+columns-1]))
		}
		if how != gonumlapack.EVSelected || selected[k] {
			for i := range n {
				for c := range columns {
					v.X[i*v.Ld+m+c] = x.X[i*x.Ld+k+c] / largest
				}
			}
			m += columns
		}
		k += columns - 1
	}
	return m
}
