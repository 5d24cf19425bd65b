package blsupdate

import (
	"math/big"
	"reflect"
	"testing"

	"blskernel/blsupdate/internal/dense"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// configurations are all the ways to the same A⁺ for lambda = 0.
var configurations = []variant{
	{Original, Auto, false},
	{Improved, Small, false}, {Improved, Large, false}, {Improved, Paper, false}, {Improved, Auto, false},
	{Improved, Compressed, false}, {Improved, Small, true}, {Improved, Large, true},
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

// fieldOf returns a field of the state of u, which may be set.
func fieldOf(u Updater, path ...string) reflect.Value {
	v := reflect.ValueOf(driverOf(u).state).Elem()
	for _, name := range path {
		v = v.FieldByName(name)
	}
	return reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem()
}

// rankOf returns the rank that Original or Improved takes A for.
func rankOf(u Updater) int { return int(fieldOf(u, "rank").Int()) }

// blocksOf returns the blocks of A or A⁺ in Original or Improved.
func blocksOf(u Updater, matrix string) [][]float64 {
	var blocks [][]float64
	v := fieldOf(u, matrix, "blocks")
	for i := range v.Len() {
		data := v.Index(i).FieldByName("data")
		block := make([]float64, data.Len())
		for j := range block {
			block[j] = data.Index(j).Float()
		}
		blocks = append(blocks, block)
	}
	return blocks
}

// scaleRows returns m with row i times factors[i].
func scaleRows(m *mat.Dense, factors []float64) *mat.Dense {
	c := dense.Copy(m)
	dense.ScaleRows(c, 0, factors)
	return c
}
