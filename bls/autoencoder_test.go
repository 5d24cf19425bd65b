package bls

import (
	"math"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// encoderProblem returns A1 (l×n), scaled by rows, and H1 (l×(d+1)) of Algorithm 1, and their products.
func encoderProblem(seed uint64, l, d, n int) (a1, h1 *mat.Dense, gram *mat.SymPacked, cross *mat.Dense) {
	x := samples(seed, l, d, d)
	h1 = mat.NewDense(l, d+1, nil)
	if err := (&Features{}).standardizeTo(h1, x, 0, l); err != nil {
		panic(err)
	}
	w := mat.NewDense(d+1, n, nil)
	uniform(stream(seed, forGroup, 0), d+1, n, w.RawMatrix().Data, n)
	a1 = product(h1, w)
	scaleGroups(a1, n)
	gram = mat.NewSymPacked(n, nil)
	gr := product(a1.T(), a1)
	for i := range n {
		for j := i; j < n; j++ {
			gram.SetSym(i, j, gr.At(i, j))
		}
	}
	return a1, h1, gram, product(a1.T(), h1)
}

// naiveADMM is the recurrence as written, with an explicit inverse by the LU factorization of gonum.
func naiveADMM(gram *mat.Dense, cross *mat.Dense, iterations int) *mat.Dense {
	n, m := cross.Dims()
	shifted := gonum.DenseCopyOf(gram)
	for i := range n {
		shifted.Set(i, i, shifted.At(i, i)+1)
	}
	var p gonum.Dense
	if err := p.Inverse(shifted); err != nil {
		panic(err)
	}
	c0 := product(&p, cross)
	o, u, w := mat.NewDense(n, m, nil), mat.NewDense(n, m, nil), mat.NewDense(n, m, nil)
	for range iterations {
		w.Sub(o, u)
		c := product(&p, w)
		c.Add(c, c0)
		for i := range n {
			for j := range m {
				s := c.At(i, j) + u.At(i, j)
				v := math.Max(s-1e-3, 0) - math.Max(-s-1e-3, 0)
				u.Set(i, j, u.At(i, j)+c.At(i, j)-v)
				o.Set(i, j, v)
			}
		}
	}
	return o
}

// Every iteration applies a matrix of norm < 1, so errors do not grow. The errors of P are bounded by
// the condition number of A1ᵀA1 + I, at most 1 + l·n = 200, times n·eps: 100 n eps leaves room for 50
// of them.
func TestAutoencoderRecurrence(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, n := range []int{1, 2, 6} {
			for _, iterations := range []int{0, 1, 2, admmIterations} {
				_, _, gram, cross := encoderProblem(1, 40, 30, n)
				want := naiveADMM(gram.Dense(), cross, iterations)
				got, err := autoencoder(t.Context(), bk, gram, cross, iterations)
				must(t, err)
				if d := maxDiff(got, want); !(d <= 100*200*float64(n)*eps) {
					t.Errorf("n=%d, %d iterations: off by %g", n, iterations, d)
				}
			}
		}
	})
}

// Run long enough, ADMM reaches the minimum of ½‖A1 w - H1‖² + t‖w‖₁, where the gradient of the first
// part is t against the sign of each element that is not 0, and at most t elsewhere. Elements are off
// by 1e-12, which the norm of A1ᵀA1, at most l·n = 240, multiplies.
func TestAutoencoderIsLasso(t *testing.T) {
	testutil.NotUnderRace(t, "starts no goroutine")
	const l, n, bound = 40, 6, 240e-12
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for seed := range uint64(3) {
			_, _, gram, cross := encoderProblem(seed, l, 30, n)
			matrix := gram.Dense()
			w, err := autoencoder(t.Context(), bk, gram, cross, 20000)
			must(t, err)
			gradient := product(matrix, w)
			gradient.Sub(gradient, cross)
			gradient.Apply(func(i, j int, g float64) float64 {
				v := w.At(i, j)
				if v != 0 && !(math.Abs(g+math.Copysign(admmThreshold, v)) <= bound) || !(math.Abs(g) <= admmThreshold+bound) {
					t.Errorf("seed %d: the gradient is %g where w is %g", seed, g, v)
				}
				return g
			}, gradient)
		}
	})
}
