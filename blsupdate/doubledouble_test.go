package blsupdate

import (
	"math"

	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/linalg/factor"
	"blskernel/mat"
)

// A dd is an unevaluated sum hi + lo of two float64 with |lo| at most half a unit in the last place of
// hi: about 106 bits.
//
//	source: T. J. Dekker, "A floating-point technique for extending the available precision",
//	Numerische Mathematik 18, 1971.
type dd struct{ hi, lo float64 }

// fast returns a + b for |a| >= |b|.
func fast(a, b float64) dd {
	s := a + b
	return dd{s, b - (s - a)}
}

func (x dd) add(y dd) dd {
	s := x.hi + y.hi
	v := s - x.hi
	e := (x.hi - (s - v)) + (y.hi - v)
	return fast(s, e+(x.lo+y.lo))
}

func (x dd) mul(y dd) dd {
	p := float64(x.hi * y.hi)
	e := math.FMA(x.hi, y.hi, -p)
	return fast(p, e+(float64(x.hi*y.lo)+float64(x.lo*y.hi)))
}

func (x dd) neg() dd { return dd{-x.hi, -x.lo} }

func (x dd) div(y dd) dd {
	q := dd{hi: x.hi / y.hi}
	q = q.add(dd{hi: x.add(q.mul(y).neg()).hi / y.hi})
	return q.add(dd{hi: x.add(q.mul(y).neg()).hi / y.hi})
}

func (x dd) sqrt() dd {
	if x.hi == 0 {
		return x
	}
	r := dd{hi: math.Sqrt(x.hi)}
	return r.add(dd{hi: x.add(r.mul(r).neg()).hi / (2 * r.hi)})
}

// exactly solves argmin ‖A W - Y‖² + lambda ‖W‖², and for lambda = 0 and fewer rows than columns, or
// dependent columns, the minimum-norm solution, by a Householder QR factorization in double-double
// numbers with column pivoting, and returns the rank. Columns are scaled by powers of two first. ok is
// false if rows or columns are dependent to within 1e-22, but not to within 1e-28: whether they are
// dependent then depends on rounding in the input.
func exactly(a, y *mat.Dense, lambda float64) (w *mat.Dense, rank int, ok bool) {
	l, k := a.Dims()
	c := dense.Cols(y)
	units, _ := dense.Powers(columnLengths(a, lambda))
	rows := l
	if lambda > 0 {
		rows += k
	}
	m := newDD(rows, k+c)
	for i := range l {
		for j := range k {
			m[i][j] = dd{hi: a.At(i, j) / units[j]}
		}
		for j := range c {
			m[i][k+j] = dd{hi: y.At(i, j)}
		}
	}
	if lambda > 0 {
		root := dd{hi: lambda}.sqrt()
		for j := range k {
			m[l+j][j] = dd{root.hi / units[j], root.lo / units[j]}
		}
	}
	pivots, first := factor.Indices(k), 0.0
	for ; rank < min(rows, k); rank++ {
		best, most := rank, -1.0
		for j := rank; j < k; j++ {
			sum := 0.0
			for i := rank; i < rows; i++ {
				sum += float64(m[i][j].hi * m[i][j].hi)
			}
			if sum > most {
				best, most = j, sum
			}
		}
		if rank == 0 {
			first = most
		}
		if !(most > 1e-56*first) {
			break
		}
		if most < 1e-44*first {
			return nil, rank, false
		}
		for i := range m {
			m[i][rank], m[i][best] = m[i][best], m[i][rank]
		}
		pivots[rank], pivots[best] = pivots[best], pivots[rank]
		reflect1(m, rank, rank)
	}
	// W = P [R11⁻¹ z; 0] for full rank.
	w = mat.NewDense(k, c, nil)
	if rank == 0 {
		return w, rank, true
	}
	if rank == k {
		x := backSolve(m, rank, k, c)
		for j := range k {
			for t := range c {
				w.Set(pivots[j], t, x[j][t].hi/units[pivots[j]])
			}
		}
		return w, rank, true
	}
	// Otherwise the minimum-norm solution, in the given units, of [R11 R12] Pᵀ D⁻¹ w = z, by a QR
	// factorization of the transpose.
	t := newDD(k, rank)
	for i := range rank {
		for j := i; j < k; j++ {
			u := units[pivots[j]]
			t[pivots[j]][i] = dd{m[i][j].hi * u, m[i][j].lo * u}
		}
	}
	v := make([][]dd, rank) // the Householder vectors
	taus := make([]dd, rank)
	for j := range rank {
		v[j], taus[j] = reflect1(t, j, j)
	}
	for tcol := range c {
		x := make([]dd, k)
		for i := range rank { // forward substitution with Rᵀ
			sum := m[i][k+tcol]
			for j := range i {
				sum = sum.add(t[j][i].mul(x[j]).neg())
			}
			x[i] = sum.div(t[i][i])
		}
		for j := rank - 1; j >= 0; j-- {
			var s dd
			for i := j; i < k; i++ {
				s = s.add(v[j][i].mul(x[i]))
			}
			s = s.mul(taus[j])
			for i := j; i < k; i++ {
				x[i] = x[i].add(s.mul(v[j][i]).neg())
			}
		}
		for i := range k {
			w.Set(i, tcol, x[i].hi)
		}
	}
	return w, rank, true
}

// columnLengths returns the norms of the columns of [A; sqrt(lambda) I].
func columnLengths(a *mat.Dense, lambda float64) []float64 {
	lengths := dense.ColumnNorms(a)
	for j, v := range lengths {
		lengths[j] = math.Hypot(v, math.Sqrt(lambda))
	}
	return lengths
}

func newDD(r, c int) [][]dd {
	m, data := make([][]dd, r), make([]dd, r*c)
	for i := range m {
		m[i] = data[i*c : (i+1)*c]
	}
	return m
}

// reflect1 makes the elements below (row, col) zero by a Householder reflection of the rows from row
// on, and returns its vector v and tau.
func reflect1(m [][]dd, row, col int) (v []dd, tau dd) {
	var sum dd
	for i := row; i < len(m); i++ {
		sum = sum.add(m[i][col].mul(m[i][col]))
	}
	v = make([]dd, len(m))
	beta := sum.sqrt()
	if beta.hi == 0 {
		return v, dd{}
	}
	if m[row][col].hi > 0 {
		beta = beta.neg()
	}
	for i := row; i < len(m); i++ {
		v[i] = m[i][col]
	}
	v[row] = v[row].add(beta.neg())
	// tau = 2/vᵀv = 1/(beta (beta - x)).
	tau = dd{hi: 1}.div(beta.mul(beta.add(m[row][col].neg())))
	for j := col; j < len(m[0]); j++ {
		var s dd
		for i := row; i < len(m); i++ {
			s = s.add(v[i].mul(m[i][j]))
		}
		s = s.mul(tau)
		for i := row; i < len(m); i++ {
			m[i][j] = m[i][j].add(s.mul(v[i]).neg())
		}
	}
	return v, tau
}

// backSolve solves R X = Z for the leading triangle of m, with Z in its columns from k on.
func backSolve(m [][]dd, n, k, c int) [][]dd {
	x := newDD(n, c)
	for t := range c {
		for i := n - 1; i >= 0; i-- {
			sum := m[i][k+t]
			for j := i + 1; j < n; j++ {
				sum = sum.add(m[i][j].mul(x[j][t]).neg())
			}
			x[i][t] = sum.div(m[i][i])
		}
	}
	return x
}
