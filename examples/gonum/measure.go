package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"
)

// An operation is something that programs do with gonum's mat.
type operation struct {
	name string
	most int // the largest order that is measured without being asked for: more takes gonum minutes
	// prepare returns the operation on matrices of order n, to be called any number of times. The result of a call is
	// compared between implementations.
	prepare func(n int, r *rand.Rand) func() (mat.Matrix, error)
}

var operations = []operation{
	{"Dense.Mul", 4000, func(n int, r *rand.Rand) func() (mat.Matrix, error) {
		a, b := random(n, n, r), random(n, n, r)
		return func() (mat.Matrix, error) {
			var c mat.Dense
			c.Mul(a, b)
			return &c, nil
		}
	}},
	{"SymDense.SymOuterK", 4000, func(n int, r *rand.Rand) func() (mat.Matrix, error) {
		a := random(n, n, r)
		return func() (mat.Matrix, error) {
			var s mat.SymDense
			s.SymOuterK(1, a)
			return &s, nil
		}
	}},
	{"Cholesky.Factorize, InverseTo", 4000, func(n int, r *rand.Rand) func() (mat.Matrix, error) {
		s := definite(n, r)
		return func() (mat.Matrix, error) {
			var c mat.Cholesky
			if !c.Factorize(s) {
				return nil, fmt.Errorf("not positive definite")
			}
			var inverse mat.SymDense
			return &inverse, c.InverseTo(&inverse)
		}
	}},
	{"Dense.Inverse (LU)", 4000, func(n int, r *rand.Rand) func() (mat.Matrix, error) {
		a := random(n, n, r)
		for i := range n {
			a.Set(i, i, a.At(i, i)+3*math.Sqrt(float64(n))) // well-conditioned
		}
		return func() (mat.Matrix, error) {
			var inverse mat.Dense
			return &inverse, inverse.Inverse(a)
		}
	}},
	{"Dense.Solve (LU), n right sides", 4000, func(n int, r *rand.Rand) func() (mat.Matrix, error) {
		a, b := random(n, n, r), random(n, n, r)
		for i := range n {
			a.Set(i, i, a.At(i, i)+3*math.Sqrt(float64(n)))
		}
		return func() (mat.Matrix, error) {
			var x mat.Dense
			return &x, x.Solve(a, b)
		}
	}},
	{"QR.Factorize, RTo", 2000, func(n int, r *rand.Rand) func() (mat.Matrix, error) {
		a := random(n, n, r)
		return func() (mat.Matrix, error) {
			var qr mat.QR
			qr.Factorize(a)
			var upper mat.Dense
			qr.RTo(&upper)
			return &upper, nil
		}
	}},
	{"SVD.Factorize, thin", 500, func(n int, r *rand.Rand) func() (mat.Matrix, error) {
		a := random(n, n, r)
		return func() (mat.Matrix, error) {
			var svd mat.SVD
			if !svd.Factorize(a, mat.SVDThin) {
				return nil, fmt.Errorf("no convergence")
			}
			return mat.NewVecDense(n, svd.Values(nil)), nil
		}
	}},
	{"EigenSym.Factorize", 500, func(n int, r *rand.Rand) func() (mat.Matrix, error) {
		s := definite(n, r)
		return func() (mat.Matrix, error) {
			var e mat.EigenSym
			if !e.Factorize(s, true) {
				return nil, fmt.Errorf("no convergence")
			}
			return mat.NewVecDense(n, e.Values(nil)), nil
		}
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

// leastTime is how long a timing takes at least: short operations are repeated.
const leastTime = 5 * time.Millisecond

// A timing says how long an operation takes with gonum's routines and with ours.
type timing struct {
	gonum, ours time.Duration // medians
	gain        float64       // the median of the quotients within the rounds
}

// compare times an operation with both implementations, round by round in alternating order, once the results of both
// are found to be the same but for rounding.
func compare(run func() (mat.Matrix, error), use [2]func(), rounds int) (timing, error) {
	var results [2]mat.Matrix
	for i, switchTo := range use {
		switchTo()
		var err error
		if results[i], err = run(); err != nil {
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
			for calls == 0 || time.Since(start) < leastTime {
				if _, err := run(); err != nil {
					return timing{}, err
				}
				calls++
			}
			seconds[i] = append(seconds[i], time.Since(start).Seconds()/float64(calls))
		}
		gains = append(gains, seconds[0][round]/seconds[1][round])
	}
	duration := func(s []float64) time.Duration { return time.Duration(median(s) * float64(time.Second)) }
	return timing{duration(seconds[0]), duration(seconds[1]), median(gains)}, nil
}

// median returns the median of x, which it sorts.
func median(x []float64) float64 {
	slices.Sort(x)
	n := len(x)
	return (x[(n-1)/2] + x[n/2]) / 2
}

// tolerance is the largest relative difference, in the Frobenius norm, of two results that are the same but for
// rounding. The matrices here are well-conditioned (κ below 10) but for the square random ones of SVD and QR, of which
// singular values and, up to a power of κ that orders of 2000 keep below 1e5, R are compared.
const tolerance = 1e-9

// same returns an error unless a and b differ by rounding only.
func same(a, b mat.Matrix) error {
	var difference mat.Dense
	difference.Sub(a, b)
	if d := mat.Norm(&difference, 2) / mat.Norm(a, 2); !(d <= tolerance) {
		return fmt.Errorf("the results differ by %.2g", d)
	}
	return nil
}
