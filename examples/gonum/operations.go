package main

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// operands are random matrices of one order.
type operands struct {
	n        int
	a, b     *mat.Dense
	definite *mat.SymDense // I + BBᵀ/n
	well     *mat.Dense    // B + 3√n I, well-conditioned
	moderate *mat.Dense    // √(e/n) A, of which the determinant neither overflows nor underflows
	tall     *mat.Dense    // 2n×n
	target   *mat.VecDense
}

func newOperands(n int, r *rand.Rand) *operands {
	in := &operands{
		n: n, a: random(n, n, r), b: random(n, n, r), definite: &mat.SymDense{}, moderate: &mat.Dense{},
		tall: random(2*n, n, r), target: mat.NewVecDense(2*n, random(1, 2*n, r).RawMatrix().Data),
	}
	in.definite.SymOuterK(1/float64(n), in.b)
	in.well = mat.DenseCopyOf(in.b)
	for i := range n {
		in.definite.SetSym(i, i, in.definite.At(i, i)+1)
		in.well.Set(i, i, in.well.At(i, i)+3*math.Sqrt(float64(n)))
	}
	in.moderate.Scale(math.Sqrt(math.E/float64(n)), in.a)
	return in
}

// random returns a matrix of normally distributed numbers.
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

// An operation is one that programs do with gonum's mat.
type operation struct {
	name string // as in timings.py
	text string
	most int // the largest order that is measured: beyond it gonum takes many minutes
	// run does the operation and returns a function for what is compared.
	run func(in *operands) (result func() mat.Matrix, err error)
}

var errConvergence = errors.New("no convergence")

var operations = []operation{
	{"analysis", "the analysis of analysis.go", 1000, func(in *operands) (func() mat.Matrix, error) {
		f, err := analyse(in.tall, in.target, 1)
		return func() mat.Matrix {
			return vector(f.ridge.RawVector().Data, f.spread, f.leastSqr.RawVector().Data, f.explained, f.distances)
		}, err
	}},
	{"Mul", "Dense.Mul", 4000, dense(func(in *operands, c *mat.Dense) error { c.Mul(in.a, in.b); return nil })},
	{"Cholesky", "Cholesky.Factorize", 4000, func(in *operands) (func() mat.Matrix, error) {
		var c mat.Cholesky
		if !c.Factorize(in.definite) {
			return nil, errors.New("not positive definite")
		}
		return func() mat.Matrix { return c.RawU() }, nil
	}},
	{"LU", "LU.Factorize", 4000, func(in *operands) (func() mat.Matrix, error) {
		var lu mat.LU
		lu.Factorize(in.well)
		return func() mat.Matrix {
			var u mat.TriDense
			lu.UTo(&u)
			return &u
		}, nil
	}},
	{"QR", "QR.Factorize", 4000, func(in *operands) (func() mat.Matrix, error) {
		var qr mat.QR
		qr.Factorize(in.a)
		return func() mat.Matrix {
			var r mat.Dense
			qr.RTo(&r)
			return &r
		}, nil
	}},
	{"QR-Q", "QR.Factorize, QTo", 4000, dense(func(in *operands, q *mat.Dense) error {
		var qr mat.QR
		qr.Factorize(in.a)
		qr.QTo(q)
		return nil
	})},
	{"LQ", "LQ.Factorize", 4000, func(in *operands) (func() mat.Matrix, error) {
		var lq mat.LQ
		lq.Factorize(in.a)
		return func() mat.Matrix {
			var l mat.Dense
			lq.LTo(&l)
			return &l
		}, nil
	}},
	{"SVD", "SVD.Factorize, thin", 2000, func(in *operands) (func() mat.Matrix, error) {
		var svd mat.SVD
		if !svd.Factorize(in.a, mat.SVDThin) {
			return nil, errConvergence
		}
		return func() mat.Matrix {
			var u, v mat.Dense
			svd.UTo(&u)
			svd.VTo(&v)
			return values(svd.Values(nil), &u, &v)
		}, nil
	}},
	{"SVD-values", "SVD.Factorize, values", 2000, func(in *operands) (func() mat.Matrix, error) {
		var svd mat.SVD
		if !svd.Factorize(in.a, mat.SVDNone) {
			return nil, errConvergence
		}
		return func() mat.Matrix { return vector(svd.Values(nil)) }, nil
	}},
	{"Eigen", "Eigen.Factorize, right", 2000, func(in *operands) (func() mat.Matrix, error) {
		var e mat.Eigen
		if !e.Factorize(in.a, mat.EigenRight) {
			return nil, errConvergence
		}
		return func() mat.Matrix { return sorted(e.Values(nil)) }, nil
	}},
	{"EigenSym", "EigenSym.Factorize", 2000, func(in *operands) (func() mat.Matrix, error) {
		var e mat.EigenSym
		if !e.Factorize(in.definite, true) {
			return nil, errConvergence
		}
		return func() mat.Matrix {
			var v mat.Dense
			e.VectorsTo(&v)
			return values(e.Values(nil), &v, &v)
		}, nil
	}},
	{"GSVD", "GSVD.Factorize, all", 1000, func(in *operands) (func() mat.Matrix, error) {
		var g mat.GSVD
		if !g.Factorize(in.a, in.b, mat.GSVDAll) {
			return nil, errConvergence
		}
		return func() mat.Matrix {
			s := g.GeneralizedValues(nil)
			slices.Sort(s)
			return vector(s)
		}, nil
	}},
	{"Solve", "Dense.Solve, n right sides", 4000, dense(func(in *operands, x *mat.Dense) error { return x.Solve(in.well, in.b) })},
	{"Solve-tall", "Dense.Solve, 2n rows", 4000, dense(func(in *operands, x *mat.Dense) error { return x.Solve(in.tall, in.target) })},
	{"Inverse", "Dense.Inverse", 4000, dense(func(in *operands, x *mat.Dense) error { return x.Inverse(in.well) })},
	{"Det", "Det", 4000, func(in *operands) (func() mat.Matrix, error) {
		d := mat.Det(in.moderate)
		return func() mat.Matrix { return vector([]float64{d}) }, nil
	}},
	{"Exp", "Dense.Exp", 2000, dense(func(in *operands, x *mat.Dense) error { x.Exp(in.moderate); return nil })},
	{"Pow", "Dense.Pow, 10", 4000, dense(func(in *operands, x *mat.Dense) error { x.Pow(in.moderate, 10); return nil })},
}

// dense is the run of an operation that writes a matrix.
func dense(do func(in *operands, to *mat.Dense) error) func(in *operands) (func() mat.Matrix, error) {
	return func(in *operands) (func() mat.Matrix, error) {
		var to mat.Dense
		err := do(in, &to)
		return func() mat.Matrix { return &to }, err
	}
}

func vector(parts ...[]float64) mat.Matrix {
	all := slices.Concat(parts...)
	return mat.NewVecDense(len(all), all)
}

// values returns the numbers s and U diag(s) Vᵀ·1, which does not depend on the signs of vectors.
func values(s []float64, u, v *mat.Dense) mat.Matrix {
	n := len(s)
	ones := mat.NewVecDense(n, slices.Repeat([]float64{1}, n))
	var x mat.VecDense
	x.MulVec(v.T(), ones)
	x.MulElemVec(&x, mat.NewVecDense(n, s))
	x.MulVec(u, &x)
	return vector(s, x.RawVector().Data)
}

// sorted returns the real and the imaginary parts of eigenvalues in order.
func sorted(all []complex128) mat.Matrix {
	slices.SortFunc(all, func(a, b complex128) int {
		return cmp.Or(cmp.Compare(real(a), real(b)), cmp.Compare(imag(a), imag(b)))
	})
	var re, im []float64
	for _, v := range all {
		re, im = append(re, real(v)), append(im, imag(v))
	}
	return vector(re, im)
}
