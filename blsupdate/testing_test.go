package blsupdate

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/pinv"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// eachBackend runs f once for every usable backend, as a subtest.
func EachBackend(t *testing.T, f func(t *testing.T, b blskernel.Backend)) {
	for _, name := range blskernel.Names() {
		t.Run("backend="+name, func(t *testing.T) {
			b, err := blskernel.Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			f(t, b)
		})
	}
}

// configurations are all the ways to the same A⁺ for lambda = 0.
var configurations = []variant{
	{Original, Auto, false},
	{Improved, Small, false}, {Improved, Large, false}, {Improved, Paper, false}, {Improved, Auto, false},
	{Improved, Compressed, false}, {Improved, Small, true}, {Improved, Large, true},
}

func Random(r *rand.Rand, rows, cols int) *mat.Dense {
	m := mat.NewDense(rows, cols, nil)
	for i := range rows {
		for j := range cols {
			m.Set(i, j, r.NormFloat64())
		}
	}
	return m
}

// randomRank returns an l×k matrix of the given rank with singular values of moderate spread.
func randomRank(r *rand.Rand, l, k, rank int) *mat.Dense {
	var m mat.Dense
	if rank == 0 {
		return mat.NewDense(l, k, nil)
	}
	m.Mul(Random(r, l, rank), Random(r, rank, k))
	return &m
}

// withCondition returns an l×k matrix, l >= k, whose singular values go from 1 down to 1/kappa in
// equal ratios.
func withCondition(r *rand.Rand, l, k int, kappa float64) *mat.Dense {
	u, v := orthonormal(r, l, k), orthonormal(r, k, k)
	for j := range k {
		s := 1.0
		if k > 1 {
			s = math.Pow(kappa, -float64(j)/float64(k-1))
		}
		for i := range l {
			u.Set(i, j, u.At(i, j)*s)
		}
	}
	var a mat.Dense
	a.Mul(u, v.T())
	return &a
}

func orthonormal(r *rand.Rand, l, k int) *mat.Dense {
	var qr gonummat.QR
	qr.Factorize(Random(r, l, k))
	var q mat.Dense
	qr.QTo(&q)
	return gonummat.DenseCopyOf(q.Slice(0, l, 0, k))
}

func stack(a, b *mat.Dense) *mat.Dense {
	if a.IsEmpty() {
		return b
	}
	var c mat.Dense
	c.Stack(a, b)
	return &c
}

// pinv is the brute-force pseudoinverse with the singular values of a, in descending order.
func pinvOf(a *mat.Dense) (*mat.Dense, []float64) {
	l, k := a.Dims()
	var svd gonummat.SVD
	if !svd.Factorize(a, gonummat.SVDThin) {
		panic("singular value decomposition failed")
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	values := svd.Values(nil)
	rank := 0
	for rank < len(values) && values[rank] > 1e-10*values[0] {
		rank++
	}
	p := mat.NewDense(k, l, nil)
	if rank > 0 {
		for j := range rank {
			for i := range k {
				v.Set(i, j, v.At(i, j)/values[j])
			}
		}
		p.Mul(v.Slice(0, k, 0, rank), u.Slice(0, l, 0, rank).T())
	}
	return p, values[:rank]
}

// condition is the ratio of the largest to the smallest of the singular values that count.
func condition(values []float64) float64 {
	if len(values) == 0 {
		return 1
	}
	return values[0] / values[len(values)-1]
}

// relative returns ‖got - want‖/‖want‖ in Frobenius norms, ‖got‖ where want is zero.
func relative(got, want *mat.Dense) float64 {
	var diff mat.Dense
	diff.Sub(got, want)
	norm := want.Norm(2)
	if norm == 0 {
		norm = 1
	}
	return diff.Norm(2) / norm
}

// highPrecision returns argmin ‖A W - Y‖² + lambda ‖W‖² by the normal equations in 400-bit numbers,
// which are exact to rounding for every condition number that occurs in the tests.
func highPrecision(a, y *mat.Dense, lambda float64) *mat.Dense {
	const bits = 400
	l, k := a.Dims()
	_, c := y.Dims()
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(v) }
	g := make([][]*big.Float, k) // [AᵀA + lambda I, AᵀY]
	for i := range g {
		g[i] = make([]*big.Float, k+c)
		for j := range g[i] {
			sum := num(0)
			for r := range l {
				other := 0.0
				if j < k {
					other = a.At(r, j)
				} else {
					other = y.At(r, j-k)
				}
				sum.Add(sum, new(big.Float).SetPrec(bits).Mul(num(a.At(r, i)), num(other)))
			}
			if i == j {
				sum.Add(sum, num(lambda))
			}
			g[i][j] = sum
		}
	}
	eliminate(g)
	w := mat.NewDense(k, c, nil)
	for i := range k {
		for j := range c {
			v, _ := g[i][k+j].Float64()
			w.Set(i, j, v)
		}
	}
	return w
}

// eliminate solves the positive definite system in the first rows×rows columns of g for the others.
func eliminate(g [][]*big.Float) {
	for p := range g {
		inv := new(big.Float).SetPrec(g[p][p].Prec()).Quo(big.NewFloat(1), g[p][p])
		for j := p; j < len(g[p]); j++ {
			g[p][j].Mul(g[p][j], inv)
		}
		for i := range g {
			if i == p {
				continue
			}
			f := new(big.Float).Set(g[i][p])
			for j := p; j < len(g[p]); j++ {
				t := new(big.Float).SetPrec(f.Prec()).Mul(f, g[p][j])
				g[i][j].Sub(g[i][j], t)
			}
		}
	}
}

func mustNew(t *testing.T, m Method, a, y *mat.Dense, opt Options) Pseudoinverter {
	t.Helper()
	u, err := New(m, a, y, opt)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return u.(Pseudoinverter)
}

func weights(t *testing.T, u Updater) *mat.Dense {
	t.Helper()
	w, err := u.Weights()
	if err != nil {
		t.Fatalf("Weights: %v", err)
	}
	return w
}

// stateOf returns what an updater by Original or Improved keeps.
func stateOf(u Updater) *pinv.State { return driverOf(u).state.(*pinv.State) }
