package condition

import (
	"math"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/floats"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// guard returns the number to add to sums of magnitudes of at most limit, whose relative accuracy
// underflow may have spoilt: with gradual underflow each of the n+1 terms loses at most the least
// positive number. (LAPACK's safe1 and safe2 of dgerfs allow for arithmetic that flushes to zero, and
// are 2⁵² times as large: they spoil the bounds from 1e-290 on.)
func (f Gerfs) guard() (add, limit float64) {
	add = float64(float64(f.N+1) * math.SmallestNonzeroFloat64)
	return add, add / Roundoff
}

// backward writes max_i |r|_i/w_i for each of the c columns of the residual r and of w = |A||x| + |b|.
func (f Gerfs) backward(c int, r, w, errs []float64) {
	add, limit := f.guard()
	clear(errs)
	for i := range f.N {
		wi := w[i*c : (i+1)*c]
		for j, v := range r[i*c : (i+1)*c] {
			v, d := math.Abs(v), wi[j]
			if d == 0 {
				continue
			}
			if d <= limit {
				v, d = v+add, d+add
			}
			e := v / d
			if !factor.IsFinite(v) || !factor.IsFinite(d) {
				e = math.Inf(1)
			}
			errs[j] = max(errs[j], e)
		}
	}
}

// forward writes bounds of max_i |x - x*|_i / max_i |x|_i for the columns of x, given their residuals r
// and w = |A||x| + |b|. It overwrites these and two more workspaces of the size of x.
//
// With G = diag(|r| + (n+1) u w) a bound is ‖A⁻¹G‖∞/‖x‖∞, and ‖A⁻¹G‖∞ is the 1-norm of the transpose
// G A⁻ᵀ, which the estimator of Con can find. LAPACK estimates one column after the other, some five
// solves each at the speed of Level 2. Here the estimators of all columns step together, so that every
// solve has as many right-hand sides. A⁻¹ is multiplied by the largest element of A, and
// G divided by it and by ‖x‖∞, so that scaled data neither overflow nor underflow on the way.
func (f Gerfs) forward(x blas64.General, r, w, work, rhs []float64, bounds []float64) {
	c := x.Cols
	g := work
	active := f.weights(x, r, w, g, bounds)
	e := estimates{g: g, norms: make([]norm1, c)}
	for _, j := range active {
		e.norms[j] = newNorm1(w[j*f.N : (j+1)*f.N])
	}
	for {
		active = e.advance(active, bounds)
		if len(active) == 0 {
			return
		}
		f.apply(e, active, rhs)
	}
}

// weights writes the diagonal of G for each column of x, scaled as in forward, to a row of g. It
// returns the columns whose bounds need an estimate, and writes the bounds of the others.
func (f Gerfs) weights(x blas64.General, r, w, g, bounds []float64) (active []int) {
	n, c := x.Rows, x.Cols
	add, limit := f.guard()
	for j := range c {
		xmax := 0.0
		for i := range n {
			xmax = max(xmax, math.Abs(x.Data[i*x.Stride+j]))
		}
		gj, zero := g[j*n:(j+1)*n], true
		for i := range gj {
			at := i*c + j
			v := math.Abs(r[at]) + float64(float64(n+1)*Roundoff*w[at])
			if w[at] <= limit {
				v += add
			}
			zero = zero && w[at] == 0
			gj[i] = v / f.largest / xmax
		}
		switch {
		case xmax == 0 && zero: // A 0 = 0
			bounds[j] = 0
		case !floats.Finite(gj):
			bounds[j] = math.Inf(1)
		default:
			bounds[j] = 0
			active = append(active, j)
		}
	}
	return active
}

// estimates are the estimators for the columns, and rows of weights g.
type estimates struct {
	g     []float64
	norms []norm1
}

// weights returns the weights of estimator j.
func (e estimates) weights(j int) []float64 {
	n := len(e.norms[j].x)
	return e.g[j*n : (j+1)*n]
}

// advance gives every active estimator the product that it asked for, and returns the estimators that
// ask for another. bounds holds the estimates; a product that overflows ends its estimator with
// infinity.
func (e estimates) advance(active []int, bounds []float64) []int {
	left := active[:0]
	for _, j := range active {
		v := &e.norms[j]
		if v.step != norm1Begin && !floats.Finite(v.x) {
			bounds[j] = math.Inf(1)
			continue
		}
		again := v.next()
		if bounds[j] = v.est; again {
			left = append(left, j)
		}
	}
	return left
}

// apply computes the products that the active estimators ask for: x = A⁻¹ G x where trans is set, and
// else x = G A⁻ᵀ x. rhs is a workspace.
func (f Gerfs) apply(e estimates, active []int, rhs []float64) {
	var columns, rows []int
	for _, j := range active {
		v := &e.norms[j]
		for i := range v.x {
			v.x[i] *= f.largest
		}
		if v.trans {
			multiplyDiagonal(v.x, e.weights(j))
		}
		if !v.trans && !f.A.Packed {
			rows = append(rows, j)
		} else {
			columns = append(columns, j)
		}
	}
	f.solve(e, blas.Left, columns, rhs)
	f.solve(e, blas.Right, rows, rhs)
	for _, j := range active {
		if !e.norms[j].trans {
			multiplyDiagonal(e.norms[j].x, e.weights(j))
		}
	}
}

// solve solves for the vectors x of some estimators, as the columns of rhs (side is Left) or its rows.
func (f Gerfs) solve(e estimates, side blas.Side, which []int, rhs []float64) {
	c := len(which)
	if c == 0 {
		return
	}
	ld, vector, element := c, 1, c
	if side == blas.Right {
		ld, vector, element = f.N, f.N, 1
	}
	for q, j := range which {
		for i, v := range e.norms[j].x {
			rhs[q*vector+i*element] = v
		}
	}
	f.Solve(f.Backend, side, c, block.Dense(rhs, ld))
	for q, j := range which {
		x := e.norms[j].x
		for i := range x {
			x[i] = rhs[q*vector+i*element]
		}
	}
}

// multiplyDiagonal computes x = diag(g) x.
func multiplyDiagonal(x, g []float64) {
	for i, v := range g {
		x[i] *= v
	}
}
