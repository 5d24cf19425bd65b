package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"
)

// operands are random matrices of one order.
type operands struct {
	a, b     *mat.Dense
	well     *mat.Dense    // well-conditioned
	definite *mat.SymDense // I + DDᵀ/n
	tall     *mat.Dense    // 4n×n, the samples of the analysis
	target   *mat.VecDense
}

func newOperands(n int, r *rand.Rand) *operands {
	in := &operands{
		a: random(n, n, r), b: random(n, n, r), well: random(n, n, r), definite: definite(n, r),
		tall: random(4*n, n, r), target: mat.NewVecDense(4*n, random(1, 4*n, r).RawMatrix().Data),
	}
	for i := range n {
		in.well.Set(i, i, in.well.At(i, i)+3*math.Sqrt(float64(n)))
	}
	return in
}

// An operation is one that programs do with gonum's mat.
type operation struct {
	name string
	most int // the largest order that is measured: beyond it gonum takes minutes
	run  func(in *operands) (mat.Matrix, error)
}

var operations = []operation{
	{"the analysis of analysis.go", 500, func(in *operands) (mat.Matrix, error) {
		f, err := analyse(in.tall, in.target, 1)
		if err != nil {
			return nil, err
		}
		all := slices.Concat(f.ridge.RawVector().Data, f.spread, f.leastSqr.RawVector().Data, f.explained, f.distances)
		return mat.NewVecDense(len(all), all), nil
	}},
	{"Dense.Mul", 4000, func(in *operands) (mat.Matrix, error) {
		var c mat.Dense
		c.Mul(in.a, in.b)
		return &c, nil
	}},
	{"SymDense.SymOuterK", 4000, func(in *operands) (mat.Matrix, error) {
		var s mat.SymDense
		s.SymOuterK(1, in.a)
		return &s, nil
	}},
	{"Cholesky.Factorize, InverseTo", 4000, func(in *operands) (mat.Matrix, error) {
		var c mat.Cholesky
		if !c.Factorize(in.definite) {
			return nil, fmt.Errorf("not positive definite")
		}
		var inverse mat.SymDense
		return &inverse, c.InverseTo(&inverse)
	}},
	{"Dense.Inverse (LU)", 4000, func(in *operands) (mat.Matrix, error) {
		var inverse mat.Dense
		return &inverse, inverse.Inverse(in.well)
	}},
	{"Dense.Solve (LU), n right sides", 4000, func(in *operands) (mat.Matrix, error) {
		var x mat.Dense
		return &x, x.Solve(in.well, in.b)
	}},
	{"QR.Factorize, RTo", 2000, func(in *operands) (mat.Matrix, error) {
		var qr mat.QR
		qr.Factorize(in.a)
		var upper mat.Dense
		qr.RTo(&upper)
		return &upper, nil
	}},
	{"SVD.Factorize, thin", 500, func(in *operands) (mat.Matrix, error) {
		var svd mat.SVD
		if !svd.Factorize(in.a, mat.SVDThin) {
			return nil, fmt.Errorf("no convergence")
		}
		values := svd.Values(nil)
		return mat.NewVecDense(len(values), values), nil
	}},
	{"EigenSym.Factorize", 500, func(in *operands) (mat.Matrix, error) {
		var e mat.EigenSym
		if !e.Factorize(in.definite, true) {
			return nil, fmt.Errorf("no convergence")
		}
		values := e.Values(nil)
		return mat.NewVecDense(len(values), values), nil
	}},
}

// random returns an r×c matrix of normally distributed numbers.
func random(rows, cols int, r *rand.Rand) *mat.Dense {
	m := mat.NewDense(rows, cols, nil)
	for i := range rows {
		row := m.RawRowView(i)
		for j := range row {
			row[j] = r.NormFloat64()
		}
	}
	return m
}

// definite returns I + DDᵀ/n for a random D.
func definite(n int, r *rand.Rand) *mat.SymDense {
	var s mat.SymDense
	s.SymOuterK(1/float64(n), random(n, n, r))
	for i := range n {
		s.SetSym(i, i, s.At(i, i)+1)
	}
	return &s
}

// leastTime is the least duration of a timing: short operations are repeated.
const leastTime = 5 * time.Millisecond

// A timing is how long an operation takes with gonum's routines and with ours.
type timing struct {
	gonum, ours float64 // seconds, medians
	gain        float64 // the median of the quotients within the rounds
}

// compare checks that both implementations give the same result up to rounding, and times them round by
// round in alternating order.
func compare(op operation, in *operands, use [2]func(), rounds int) (timing, error) {
	var results [2]mat.Matrix
	for i, switchTo := range use {
		switchTo()
		var err error
		if results[i], err = op.run(in); err != nil {
			return timing{}, err
		}
	}
	if err := same(results[0], results[1]); err != nil {
		return timing{}, err
	}
	var seconds [2][]float64
	var gains []float64
	for round := range rounds {
		for turn := range 2 {
			i := (round + turn) % 2
			use[i]()
			calls, start := 0, time.Now()
			for ; calls == 0 || time.Since(start) < leastTime; calls++ {
				if _, err := op.run(in); err != nil {
					return timing{}, err
				}
			}
			seconds[i] = append(seconds[i], time.Since(start).Seconds()/float64(calls))
		}
		gains = append(gains, seconds[0][round]/seconds[1][round])
	}
	return timing{median(seconds[0]), median(seconds[1]), median(gains)}, nil
}

// median returns the median of x, which it sorts.
func median(x []float64) float64 {
	slices.Sort(x)
	n := len(x)
	return (x[(n-1)/2] + x[n/2]) / 2
}

// tolerance bounds the relative difference of two results, in the Frobenius norm. The matrices are
// well-conditioned (κ below 10) except the random ones of SVD and QR, of which singular values and R
// are compared; κ stays below 1e5 up to order 2000.
const tolerance = 1e-9

// same returns an error unless a and b agree to tolerance.
func same(a, b mat.Matrix) error {
	var difference mat.Dense
	difference.Sub(a, b)
	if d := mat.Norm(&difference, 2) / mat.Norm(a, 2); !(d <= tolerance) {
		return fmt.Errorf("the results differ by %.2g", d)
	}
	return nil
}
