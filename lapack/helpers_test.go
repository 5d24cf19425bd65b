package lapack

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/backend"
	"blskernel/internal/block"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonumblas "gonum.org/v1/gonum/blas/gonum"
)

const eps = 0x1p-53 // the unit roundoff

// ratioBound is the bound of LAPACK's own tests on backward errors in units of n*eps*‖A‖.
const ratioBound = 30

// A size is an order and the block size at which it is tested; 0 is the block size in use.
type size struct{ n, nb int }

// sizes has every order to 40 with small blocks, and orders about the block sizes in use.
func sizes() []size {
	var s []size
	for n := 0; n <= 40; n++ {
		s = append(s, size{n, 2 + n%7}, size{n, 0})
	}
	for _, n := range []int{47, 48, 49, 63, 64, 65, 95, 97, 127, 128, 129, 150, 200} {
		s = append(s, size{n, 0})
	}
	return append(s, size{150, 17}, size{200, 32})
}

// symFunc returns the symmetric matrix with the elements f(i, j), i <= j.
func symFunc(n int, f func(i, j int) float64) *full {
	a := newFull(n, n)
	for i := range n {
		for j := i; j < n; j++ {
			v := f(i, j)
			a.set(i, j, v)
			a.set(j, i, v)
		}
	}
	return a
}

// symOf returns the packed matrix with the upper triangle of a.
func symOf(a *full) *mat.SymPacked {
	s := mat.NewSymPacked(a.r, nil)
	for i := range a.r {
		for j := i; j < a.r; j++ {
			s.SetSym(i, j, a.at(i, j))
		}
	}
	return s
}

// symSpectrum returns H diag(s) H for a product H of two random reflections and its transpose.
func symSpectrum(rng *rand.Rand, n int, s func(i int) float64) *full {
	a := newFull(n, n)
	for i := range n {
		a.set(i, i, s(i))
	}
	for range 2 {
		v := unitVector(rng, n)
		a = a.reflectLeft(v).transpose().reflectLeft(v)
	}
	return symFunc(n, a.at)
}

func unitVector(rng *rand.Rand, n int) []float64 {
	v, ss := make([]float64, n), 0.0
	for i := range v {
		v[i] = rng.NormFloat64()
		ss += v[i] * v[i]
	}
	for i := range v {
		v[i] /= math.Sqrt(ss)
	}
	return v
}

// full is a plain dense matrix for references that share no code with the package.
type full struct {
	r, c int
	x    []float64
}

func newFull(r, c int) *full            { return &full{r, c, make([]float64, r*c)} }
func (a *full) at(i, j int) float64     { return a.x[i*a.c+j] }
func (a *full) set(i, j int, v float64) { a.x[i*a.c+j] = v }
func (a *full) row(i int) []float64     { return a.x[i*a.c : (i+1)*a.c] }
func fullOf(a interface {
	At(i, j int) float64
	Dims() (r, c int)
}) *full {
	r, c := a.Dims()
	f := newFull(r, c)
	for i := range r {
		for j := range c {
			f.set(i, j, a.At(i, j))
		}
	}
	return f
}

func identity(n int) *full {
	a := newFull(n, n)
	for i := range n {
		a.set(i, i, 1)
	}
	return a
}

func (a *full) transpose() *full {
	b := newFull(a.c, a.r)
	for i := range a.r {
		for j := range a.c {
			b.set(j, i, a.at(i, j))
		}
	}
	return b
}

// mul returns a*b by gonum's own BLAS, which is faster than plain loops and shares nothing with ours.
func (a *full) mul(b *full) *full {
	c := newFull(a.r, b.c)
	if len(c.x) > 0 && a.c > 0 {
		gonumblas.Implementation{}.Dgemm(blas.NoTrans, blas.NoTrans, a.r, b.c, a.c, 1, a.x, a.c, b.x, b.c, 0, c.x, b.c)
	}
	return c
}

func (a *full) sub(b *full) *full {
	c := newFull(a.r, a.c)
	for i := range c.x {
		c.x[i] = a.x[i] - b.x[i]
	}
	return c
}

// reflectLeft returns (I - 2vvᵀ) a.
func (a *full) reflectLeft(v []float64) *full {
	w := make([]float64, a.c)
	for i := range a.r {
		for j, x := range a.row(i) {
			w[j] += v[i] * x
		}
	}
	b := newFull(a.r, a.c)
	for i := range a.r {
		for j, x := range a.row(i) {
			b.set(i, j, x-2*v[i]*w[j])
		}
	}
	return b
}

// norm is the 1-norm; NaN where an element is NaN.
func (a *full) norm() float64 {
	m := 0.0
	for j := range a.c {
		s := 0.0
		for i := range a.r {
			s += math.Abs(a.at(i, j))
		}
		m = max(m, s)
	}
	return m
}

// perhaps returns a, or the magnitudes of its elements.
func (a *full) perhaps(abs bool) *full {
	if !abs {
		return a
	}
	return magnitudes(a)
}

// swapRows exchanges rows p and q.
func (a *full) swapRows(p, q int) {
	for j, v := range a.row(p) {
		a.x[p*a.c+j] = a.x[q*a.c+j]
		a.x[q*a.c+j] = v
	}
}

func (a *full) dense() *mat.Dense {
	if a.r == 0 || a.c == 0 {
		return &mat.Dense{}
	}
	return mat.NewDense(a.r, a.c, append([]float64(nil), a.x...))
}

func randomFull(rng *rand.Rand, r, c int) *full {
	a := newFull(r, c)
	for i := range a.x {
		a.x[i] = rng.NormFloat64()
	}
	return a
}

// over returns x/(a*b*...), with 0/0 = 0 for empty and zero matrices. Dividing step by step keeps
// scaled data from overflowing.
func over(x float64, by ...float64) float64 {
	if x == 0 {
		return 0
	}
	for _, v := range by {
		x /= v
	}
	return x
}

// checkInverse tests ‖I - A X‖ <= 30 n eps ‖A‖ ‖X‖.
func checkInverse(t *testing.T, name string, a, x *full) {
	t.Helper()
	if r := inverseRatio(a, x); !(r <= ratioBound) {
		t.Errorf("%s: ‖I - A X‖/(n ‖A‖ ‖X‖ eps) = %.3g", name, r)
	}
}

// checkSolution tests ‖B - A X‖ <= 30 n eps ‖A‖ ‖X‖, column by column since they may differ in size.
func checkSolution(t *testing.T, name string, a, x, b *full) {
	t.Helper()
	if r := residualRatio(a, x, b); !(r <= ratioBound) {
		t.Errorf("%s: ‖b - A x‖/(n ‖A‖ ‖x‖ eps) = %.3g in a column", name, r)
	}
}

// checkRCond tests an estimate against the condition number by an explicit inverse. The estimate of
// ‖A⁻¹‖ is a lower bound but for rounding in the solves and in the inverse, relative errors of at
// most c*n*eps*cond; it is less than a tenth of the norm only for matrices made for the purpose.
func checkRCond(t *testing.T, name string, got float64, a, inv *full) {
	t.Helper()
	if a.r == 0 {
		if got != 1 {
			t.Errorf("%s: RCond = %v, want 1", name, got)
		}
		return
	}
	want := 1 / a.norm() / inv.norm()
	tol := 10 * float64(a.r) * eps / want
	if !(got >= want*(1-tol)) || !(got <= 10*want*(1+tol)) {
		t.Errorf("%s: RCond = %.6g, true %.6g", name, got, want)
	}
}

func upperOf(n int, ap []float64, unit bool) *full {
	u := newFull(n, n)
	for i := range n {
		for j := i; j < n; j++ {
			u.set(i, j, ap[block.PackedIndex(n, i, j)])
		}
		if unit {
			u.set(i, i, 1)
		}
	}
	return u
}

// wide returns a copy of a as a view with gaps between its rows, filled with canaries, and a check
// that these are still there.
func wide(t testing.TB, a *full) (*mat.Dense, func()) {
	if a.r == 0 || a.c == 0 {
		return &mat.Dense{}, func() {}
	}
	const canary = 12345.678
	backing := mat.NewDense(a.r+2, a.c+3, nil)
	for i := range a.r + 2 {
		for j := range a.c + 3 {
			backing.Set(i, j, canary)
		}
	}
	view := backing.Slice(1, a.r+1, 1, a.c+1).(*mat.Dense)
	view.Copy(a.dense())
	return view, func() {
		t.Helper()
		for i := range a.r + 2 {
			for j := range a.c + 3 {
				inside := i >= 1 && i <= a.r && j >= 1 && j <= a.c
				if !inside && backing.At(i, j) != canary {
					t.Fatalf("element (%d, %d) outside of the %d×%d matrix was written", i-1, j-1, a.r, a.c)
				}
			}
		}
	}
}

func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// wantPivot tests that err is a *PivotError of the given kind and index.
func wantPivot(t *testing.T, name string, err, kind error, index int) {
	t.Helper()
	var p *PivotError
	if !errors.As(err, &p) || !errors.Is(err, kind) || p.Index != index {
		t.Errorf("%s: error %v, want %v at pivot %d", name, err, kind, index)
	}
}

// wantElement tests that err is an *ElementError of the given kind and position.
func wantElement(t *testing.T, name string, err, kind error, i, j int) {
	t.Helper()
	var e *ElementError
	if !errors.As(err, &e) || !errors.Is(err, kind) || e.Row != i || e.Col != j {
		t.Errorf("%s: error %v, want %v at (%d, %d)", name, err, kind, i, j)
	}
}

// A journal is a Recorder that notes the routines and cannot compute: inner calls must go to what
// Begin returns.
type journal struct {
	blas.Float64
	inner    blskernel.Backend
	routines []backend.Routine
}

func (j *journal) Name() string { return "journal" }

func (j *journal) Begin(r backend.Routine) blskernel.Backend {
	j.routines = append(j.routines, r)
	return j.inner
}
