package eigen

import (
	"testing"

	"blskernel"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"

	gonumlapack "gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/testlapack"
)

// TestConformance runs gonum's own tests of the routines that are parts of Geev. In package lapack,
// TestDgeev tests vectors of quasi-triangles, sweeps and windows in whole problems.
func TestConformance(t *testing.T) {
	testutil.NotUnderRace(t, "computing in one goroutine")
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		r := routines{bk: factor.On(bk)}
		t.Run("Dgehrd", func(t *testing.T) { testlapack.DgehrdTest(t, r) }) // orders around blocks of 32 columns
		t.Run("Dorghr", func(t *testing.T) { testlapack.DorghrTest(t, r) })
		t.Run("Dhseqr", func(t *testing.T) { testlapack.DhseqrTest(t, r) })
	})
	r := routines{bk: factor.On(blskernel.Default())}
	t.Run("Dgebal", func(t *testing.T) { testlapack.DgebalTest(t, r) })
	t.Run("Dgebak", func(t *testing.T) { testlapack.DgebakTest(t, r) })
	t.Run("Dlahqr", func(t *testing.T) { testlapack.DlahqrTest(t, r) })
	t.Run("Dlaexc", func(t *testing.T) { testlapack.DlaexcTest(t, r) })
	t.Run("Dtrexc", func(t *testing.T) { testlapack.DtrexcTest(t, r) })
	t.Run("Dlanv2", func(t *testing.T) { testlapack.Dlanv2Test(t, r) })
}

// routines adapts the functions of this package to gonum's tests.
type routines struct {
	gonum.Implementation // does what the tests need and Geev does not
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

// solve runs f on a problem and copies the eigenvalues, from the first that converged, to wr and wi.
func solve(n, ilo, ihi int, h []float64, ldh int, wr, wi []float64, zRows int, z block.Matrix, whole bool, f func(p *problem) int) int {
	p := &problem{n: n, h: block.Dense(h, ldh), z: z, zRows: zRows, whole: whole, w: make([]complex128, n)}
	first := f(p)
	for i := max(first, ilo); i <= ihi; i++ {
		wr[i], wi[i] = real(p.w[i]), imag(p.w[i])
	}
	return first
}

// rowsOf returns the number of rows iloz to ihiz of z, and these rows, or none if wantz is false.
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

// schurOf returns the problem with the quasi-triangle t and, if wantq is set, the vectors q.
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
