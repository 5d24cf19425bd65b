package bench

import (
	"math"
	"math/rand/v2"

	"blskernel"
	"blskernel/lapack"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// withCondition returns U S Vᵀ, l×k with l >= k, for random U and V with orthonormal columns and
// singular values from 1 down to 1/condition in equal ratios. It is computed on the backend pure, so
// that every backend is given the same problems.
func withCondition(r *rand.Rand, l, k int, condition float64) (*mat.Dense, error) {
	b, err := blskernel.Lookup("pure")
	if err != nil {
		return nil, err
	}
	u, err := orthonormal(b, r, l, k)
	if err != nil {
		return nil, err
	}
	v, err := orthonormal(b, r, k, k)
	if err != nil {
		return nil, err
	}
	for i := range l {
		row := u.RawRowView(i)
		for j := range row {
			if k > 1 {
				row[j] *= math.Pow(condition, -float64(j)/float64(k-1))
			}
		}
	}
	a := new(mat.Dense)
	mat.MulTrans(b, a, u, false, v, true)
	return a, nil
}

// orthonormal returns the l×k factor Q of a random matrix.
func orthonormal(b blskernel.Backend, r *rand.Rand, l, k int) (*mat.Dense, error) {
	qr := lapack.QR{Backend: b}
	if err := qr.FactorizeInPlace(normal(r, l, k)); err != nil {
		return nil, err
	}
	return qr.QInPlace(), nil
}

// signs returns a column of random elements of ±1.
func signs(r *rand.Rand, rows int) *mat.Dense {
	m := mat.NewDense(rows, 1, nil)
	for i := range rows {
		m.Set(i, 0, float64(2*r.IntN(2)-1))
	}
	return m
}

// kappaOf returns the 2-norm condition number of [A; sqrt(lambda) I], which with the singular values s
// of A is the root of (max s² + lambda)/(min s² + lambda).
func kappaOf(a *mat.Dense, lambda float64) (float64, error) {
	var svd gonummat.SVD
	if !svd.Factorize(a, gonummat.SVDNone) {
		return 0, errNoSVD
	}
	s := svd.Values(nil)
	root := math.Sqrt(lambda)
	return math.Hypot(s[0], root) / math.Hypot(s[len(s)-1], root), nil
}

// head returns the first l rows.
func head(m *mat.Dense, l int) *mat.Dense { return between(m, 0, l) }

// between returns rows from to to-1, in the storage of m.
func between(m *mat.Dense, from, to int) *mat.Dense {
	_, cols := m.Dims()
	return m.Slice(from, to, 0, cols).(*mat.Dense)
}
