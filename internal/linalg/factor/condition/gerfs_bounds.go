package condition

import (
	"math"
	"slices"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/floats"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// guard returns add, the number to add to a sum of magnitudes if the sum is at most limit:
// underflow may have spoiled the relative accuracy of so small a sum. With gradual underflow each of
// the n+1 terms loses at most the smallest positive number. (safe1 and safe2 in LAPACK's dgerfs
// allow for arithmetic that flushes to zero. They are 2⁵² times as large, and make the bounds
// useless for sums below 1e-290.)
func (f Gerfs) guard() (add, limit float64) {
	add = float64(float64(f.N+1) * math.SmallestNonzeroFloat64)
	return add, add / factor.Roundoff
}

// backward writes max_i |r_i|/w_i to errs for the c columns of the residual r and w = |A||x| + |b|.
func (f Gerfs) backward(x blas64.General, r, w, errs []float64) {
	c := x.Cols
	add, limit := f.guard()
	clear(errs)
	var least []float64 // of each column: the smallest product of elements of A and x that are not 0
	for i := range f.N {
		wi := w[i*c : (i+1)*c]
		for j, v := range r[i*c : (i+1)*c] {
			v, d := math.Abs(v), wi[j]
			if d == 0 {
				if least == nil {
					least = f.least(x)
				}
				if least[j] > 0 || f.isZero(i, x, j) {
					continue
				}
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

// least returns, for each column of x, the product of the smallest magnitudes other than 0 in A and in
// the column, or +Inf for a column of zeros. If it is above 0, no product of an element of A and an
// element of the column underflows to 0.
func (f Gerfs) least(x blas64.General) []float64 {
	a := math.Inf(1)
	for i := range f.N {
		for _, v := range f.A.Elements(i, f.first(i), f.N) {
			if v = math.Abs(v); v < a && v != 0 {
				a = v
			}
		}
	}
	out := slices.Repeat([]float64{math.Inf(1)}, x.Cols)
	for i := range f.N {
		for j, v := range x.Data[i*x.Stride:][:x.Cols] {
			if v = math.Abs(v); v < out[j] && v != 0 {
				out[j] = v
			}
		}
	}
	for j := range out {
		out[j] *= a
	}
	return out
}

// isZero reports whether each term A[i,k]·x[k,j] of element (i, j) of A x has a factor that is 0.
func (f Gerfs) isZero(i int, x blas64.General, j int) bool {
	for k := range f.N {
		row, column := i, k
		if f.A.Packed && k < i {
			row, column = k, i
		}
		if f.A.X[f.A.Row(row)+column] != 0 && x.Data[k*x.Stride+j] != 0 {
			return false
		}
	}
	return true
}

// forward writes a bound on max_i |x - x*|_i / max_i |x|_i to bounds for each column x, where x* is the
// exact solution. m is as in eachPanel: m[0] holds the residuals, and m[1] is |A||x| + |b|. forward may
// overwrite all of m but the residuals.
//
// With G = diag(|r| + (n+1) u w), a bound is ‖A⁻¹G‖∞/‖x‖∞. norm1 can estimate ‖A⁻¹G‖∞, the 1-norm of
// the transpose G A⁻ᵀ. LAPACK estimates one column after another, with about five solves each at Level
// 2 speed. Here the estimators of all columns step together, so that each solve has many right-hand
// sides. A⁻¹ is multiplied by the largest magnitude in A, and G is divided by that magnitude and by
// ‖x‖∞. Badly scaled data then cause neither overflow nor underflow.
func (f Gerfs) forward(x blas64.General, m [6][]float64, bounds []float64) {
	active := f.weights(x, m, bounds)
	for {
		left := active[:0]
		for _, e := range active {
			if e.step != norm1Begin && !floats.Finite(e.x) { // the product has overflowed
				bounds[e.column] = math.Inf(1)
				continue
			}
			again := e.next()
			if bounds[e.column] = e.est; again {
				left = append(left, e)
			}
		}
		if active = left; len(active) == 0 {
			return
		}
		f.apply(active, m[3])
	}
}

// An estimator estimates the bound of one column; weights is the diagonal of G for this column.
type estimator struct {
	norm1
	column  int
	weights []float64
}

// weights writes the diagonal of G for each column of x, scaled as in forward, to a row of m[2]. It
// writes the known bounds, 0 or +Inf, and returns estimators for the other columns, with their vectors
// in m[1] and their signs in m[4].
func (f Gerfs) weights(x blas64.General, m [6][]float64, bounds []float64) (active []*estimator) {
	n, c, r, w, g := x.Rows, x.Cols, m[0], m[1], m[2]
	add, limit := f.guard()
	for j := range c {
		xmax := 0.0
		for i := range n {
			xmax = max(xmax, math.Abs(x.Data[i*x.Stride+j]))
		}
		gj, zero := g[j*n:(j+1)*n], true
		for i := range gj {
			at := i*c + j
			v := math.Abs(r[at]) + float64(float64(n+1)*factor.Roundoff*w[at])
			if w[at] <= limit {
				v += add
			}
			zero = zero && w[at] == 0
			if q := v / f.largest; q >= 0x1p-1022 || f.largest <= 1 {
				gj[i] = q / xmax
			} else { // q has lost digits
				gj[i] = v / xmax / f.largest
			}
		}
		switch {
		case xmax == 0 && zero: // A 0 = 0
			bounds[j] = 0
		case !floats.Finite(gj):
			bounds[j] = math.Inf(1)
		default:
			bounds[j] = 0
			e := norm1{x: w[j*n : (j+1)*n], signs: m[4][j*n : (j+1)*n]}
			active = append(active, &estimator{e, j, gj})
		}
	}
	return active
}

// apply overwrites the x of each active estimator with the product that it requests: A⁻¹ G x if trans
// is set, and G A⁻ᵀ x otherwise. rhs is a workspace.
func (f Gerfs) apply(active []*estimator, rhs []float64) {
	var columns, rows []*estimator
	for _, e := range active {
		for i := range e.x {
			e.x[i] *= f.largest
		}
		if e.trans {
			multiplyDiagonal(e.x, e.weights)
		}
		if !e.trans && !f.A.Packed {
			rows = append(rows, e)
		} else {
			columns = append(columns, e)
		}
	}
	f.solve(blas.Left, columns, rhs)
	f.solve(blas.Right, rows, rhs)
	for _, e := range active {
		if !e.trans {
			multiplyDiagonal(e.x, e.weights)
		}
	}
}

// solve overwrites the x of each given estimator with A⁻¹x if side is Left, and with x A⁻¹ otherwise.
// It uses rhs as a workspace.
func (f Gerfs) solve(side blas.Side, which []*estimator, rhs []float64) {
	c := len(which)
	if c == 0 {
		return
	}
	ld, vector, element := c, 1, c
	if side == blas.Right {
		ld, vector, element = f.N, f.N, 1
	}
	for q, e := range which {
		for i, v := range e.x {
			rhs[q*vector+i*element] = v
		}
	}
	f.Solve(f.Backend, side, c, block.Dense(rhs, ld))
	for q, e := range which {
		for i := range e.x {
			e.x[i] = rhs[q*vector+i*element]
		}
	}
}

func multiplyDiagonal(x, g []float64) {
	for i, v := range g {
		x[i] *= v
	}
}
