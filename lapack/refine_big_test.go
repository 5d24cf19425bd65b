package lapack

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/mat"
)

// refinables returns the factorizations that a matrix has, with or without Cholesky.
func refinables(t *testing.T, bk blskernel.Backend, factored *full, definite bool) (all []*factorization) {
	t.Helper()
	for _, f := range factorizations(t, bk) {
		if f.definite && !definite {
			continue
		}
		testutil.NoError(t, f.factorize(factored, false))
		all = append(all, f)
	}
	return all
}

// bigFull is a matrix of numbers of 600 bits, which make the condition numbers of the tests harmless.
type bigFull struct {
	r, c int
	x    []*big.Float
}

func newBig(v float64) *big.Float { return new(big.Float).SetPrec(600).SetFloat64(v) }

func bigOf(a *full) *bigFull {
	b := &bigFull{a.r, a.c, make([]*big.Float, len(a.x))}
	for i, v := range a.x {
		b.x[i] = newBig(v)
	}
	return b
}

func (a *bigFull) at(i, j int) *big.Float { return a.x[i*a.c+j] }

// bigSolve returns A⁻¹B and det A by elimination with partial pivoting.
func bigSolve(a0, b0 *full) (b *bigFull, det *big.Float) {
	a, b, det := bigOf(a0), bigOf(b0), newBig(1)
	n, tmp := a.r, newBig(0)
	abs := func(v *big.Float) *big.Float { return new(big.Float).Abs(v) }
	for k := range n {
		p := k
		for i := k + 1; i < n; i++ {
			if abs(a.at(i, k)).Cmp(abs(a.at(p, k))) > 0 {
				p = i
			}
		}
		if p != k {
			det.Neg(det)
		}
		det.Mul(det, a.at(p, k))
		for _, m := range []*bigFull{a, b} {
			for j := range m.c {
				m.x[k*m.c+j], m.x[p*m.c+j] = m.x[p*m.c+j], m.x[k*m.c+j]
			}
		}
		for i := range n {
			if i == k {
				continue
			}
			l := newBig(0).Quo(a.at(i, k), a.at(k, k))
			for _, m := range []*bigFull{a, b} {
				for j := range m.c {
					m.at(i, j).Sub(m.at(i, j), tmp.Mul(l, m.at(k, j)))
				}
			}
		}
	}
	for i := range n {
		for j := range b.c {
			b.at(i, j).Quo(b.at(i, j), a.at(i, i))
		}
	}
	return b, det
}

// An exactBounds is what ErrorBounds estimates, for one column, in exact arithmetic.
type exactBounds struct {
	backward float64 // max |r|_i/(|A||x| + |b|)_i
	bound    float64 // ‖|A⁻¹|(|r| + (n+1) u (|A||x| + |b|))‖∞/‖x‖∞
	err      float64 // ‖x - x*‖∞/‖x‖∞
	hardness float64 // ‖|A||A⁻¹|‖∞ max(|A||x|)/min(|A||x|), for the theorem of Skeel and Higham
}

func exactly(a, x, b *full) []exactBounds {
	n := a.r
	ab := bigOf(a)
	solution, _ := bigSolve(a, b)
	inverse, _ := bigSolve(a, identity(n))
	ratio := func(p, q *big.Float) float64 {
		v, _ := newBig(0).Quo(p, q).Float64()
		return v
	}
	cond := 0.0
	for i := range n {
		row, tmp := newBig(0), newBig(0)
		for k := range n {
			s := newBig(0)
			for m := range n {
				tmp.Mul(ab.at(i, m), inverse.at(m, k))
				s.Add(s, tmp.Abs(tmp))
			}
			row.Add(row, s)
		}
		v, _ := row.Float64()
		cond = max(cond, v)
	}
	all := make([]exactBounds, x.c)
	for j := range all {
		e := &all[j]
		f := make([]*big.Float, n)
		xmax, tmp := newBig(0), newBig(0)
		largest, least := newBig(0), newBig(math.Inf(1))
		for i := range n {
			r, w := newBig(b.at(i, j)), newBig(math.Abs(b.at(i, j)))
			for k := range n {
				tmp.Mul(ab.at(i, k), newBig(x.at(k, j)))
				r.Sub(r, tmp)
				w.Add(w, tmp.Abs(tmp))
			}
			r.Abs(r)
			ax := newBig(0).Sub(w, newBig(math.Abs(b.at(i, j))))
			if ax.Cmp(largest) > 0 {
				largest = ax
			}
			if ax.Cmp(least) < 0 {
				least = ax
			}
			if w.Sign() != 0 {
				e.backward = max(e.backward, ratio(r, w))
			}
			f[i] = r.Add(r, w.Mul(w, newBig(float64(n+1)*eps)))
			if v := newBig(math.Abs(x.at(i, j))); v.Cmp(xmax) > 0 {
				xmax = v
			}
		}
		for i := range n {
			s := newBig(0)
			for k := range n {
				tmp.Mul(inverse.at(i, k), f[k])
				s.Add(s, tmp.Abs(tmp))
			}
			e.bound = max(e.bound, ratio(s, xmax))
			tmp.Sub(solution.at(i, j), newBig(x.at(i, j)))
			e.err = max(e.err, ratio(tmp.Abs(tmp), xmax))
		}
		e.hardness = math.Inf(1)
		if least.Sign() > 0 {
			e.hardness = cond * ratio(largest, least)
		}
	}
	return all
}

// column returns column j of a.
func (a *full) column(j int) *full {
	c := newFull(a.r, 1)
	for i := range a.r {
		c.x[i] = a.at(i, j)
	}
	return c
}

// refineGallery has matrices on which refinement has something to do: of bad scales, and
// ill-conditioned ones.
func refineGallery() []family {
	var g []family
	for _, step := range []float64{-0.8, 0.8} {
		g = append(g, family{name: fmt.Sprint("graded", step), symmetric: true, definite: true, of: func(rng *rand.Rand, n int) *full {
			a := symSpectrum(rng, n, func(i int) float64 { return 1 + float64(i) })
			return symFunc(n, func(i, j int) float64 { return a.at(i, j) * math.Pow(10, step*float64(i+j)) })
		}})
	}
	for _, m := range symGallery() {
		switch m.name {
		case "random", "saddle", "zero-diagonal", "spd-1e+02", "spd-1e+10", "spd-1e+14", "near-singular",
			"scaled-1e+150", "scaled-1e-150", "spd-scaled-1e+150", "spd-scaled-1e-150":
			g = append(g, m)
		}
	}
	return g
}

// testRefineBounds tests one matrix with three columns, and returns to how many of them theorem 12.4
// applied.
func testRefineBounds(t *testing.T, name string, f *factorization, a *full, rng *rand.Rand) (proven int) {
	t.Helper()
	n := a.r
	b := randomFull(rng, n, 3)
	for i := range n {
		b.set(i, 0, a.norm()*b.at(i, 0))
		b.set(i, 1, a.at(i, 0)+a.at(i, n-1)) // the solution has one or two ones, and zeros
	}
	var x mat.Dense
	testutil.NoError(t, f.SolveTo(&x, b.dense()))
	before := exactly(a, fullOf(&x), b)
	got, err := f.refine(&x, a, b.dense())
	testutil.NoError(t, err)
	for j, want := range exactly(a, fullOf(&x), b) {
		tol := 1.01 * float64(n+1) * eps
		if !(math.Abs(got.Backward[j]-want.backward) <= tol) {
			t.Errorf("%s: column %d: Backward is %.3g, exactly %.3g", name, j, got.Backward[j], want.backward)
		}
		if !(want.backward <= before[j].backward+2*tol) {
			t.Errorf("%s: column %d: the backward error grew from %.3g to %.3g", name, j, before[j].backward, want.backward)
		}
		if want.hardness*float64(n+1)*eps <= 0.01 {
			proven++
			if !(got.Backward[j] <= 2*tol) {
				t.Errorf("%s: column %d: Backward is %.3g after refinement", name, j, got.Backward[j])
			}
		}
		// Where the bound is above 1, which says that no digit is right, the solves have no
		// digit either.
		if want.bound > 0.1 {
			if !(got.Forward[j] > 0.01) {
				t.Errorf("%s: column %d: Forward is %.3g, exactly %.3g", name, j, got.Forward[j], want.bound)
			}
		} else if !(got.Forward[j] >= want.bound/6) || !(got.Forward[j] <= 2.1*want.bound) {
			t.Errorf("%s: column %d: Forward is %.3g, exactly %.3g", name, j, got.Forward[j], want.bound)
		}
		if !(want.err <= got.Forward[j]) {
			t.Errorf("%s: column %d: the error is %.3g, Forward %.3g", name, j, want.err, got.Forward[j])
		}
	}
	return proven
}

func magnitudes(a *full) *full {
	m := newFull(a.r, a.c)
	for i, v := range a.x {
		m.x[i] = math.Abs(v)
	}
	return m
}
