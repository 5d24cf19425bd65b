package speed

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"blskernel"
	"blskernel/lapack"

	"gonum.org/v1/gonum/blas/blas64"
	gonumblas "gonum.org/v1/gonum/blas/gonum"
	gonumlapack "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// Gonum is the opponent of the operations of gonum's mat: gonum's own routines.
const Gonum = "gonum"

var ofGonum = []string{Gonum}

// A gonumBackend is gonum's BLAS, used together with gonum's LAPACK.
type gonumBackend struct{ gonumblas.Implementation }

func (gonumBackend) Name() string { return Gonum }

// use makes gonum's mat run on a backend until restore is called.
func use(be blskernel.Backend) (restore func()) {
	before := blas64.Implementation()
	blas64.Use(be)
	if _, own := be.(gonumBackend); own {
		lapack64.Use(gonumlapack.Implementation{})
	} else {
		lapack64.Use(lapack.Implementation{Backend: be})
	}
	return func() {
		blas64.Use(before)
		lapack64.Use(gonumlapack.Implementation{})
	}
}

// A matOperation draws matrices of order n and returns an operation of gonum's mat on them, which
// returns a function for the numbers to compare.
type matOperation func(n int, r source) func() (result func() []float64, err error)

// prepare returns the problem of the operation. Nothing is overwritten: gonum's mat allocates results.
func (m matOperation) prepare(_ string, n int, r source) *Problem {
	do := m(n, r)
	var problem func() *Problem
	problem = func() *Problem {
		var last func() []float64
		p := computes(0, nil)
		p.bind = func(be blskernel.Backend) func() error {
			return func() (err error) {
				defer use(be)()
				last, err = do()
				return err
			}
		}
		p.compared = func() []float64 {
			result := last
			if last = nil; result == nil {
				return []float64{math.NaN()} // nothing was computed
			}
			return result()
		}
		p.against = func(string) *Problem { return problem() }
		return p
	}
	return problem()
}

// dense returns a random matrix.
func (r source) dense(rows, cols int) *mat.Dense { return mat.NewDense(rows, cols, r.draw(rows*cols)) }

func (r source) square(n int) *mat.Dense { return r.dense(n, n) }

func (r source) pair(n int) [2]*mat.Dense { return [2]*mat.Dense{r.square(n), r.well(n)} }

// well returns a well-conditioned matrix, and moderate one whose determinant neither overflows nor
// underflows.
func (r source) well(n int) *mat.Dense {
	a := r.square(n)
	for i := range n {
		a.Set(i, i, a.At(i, i)+math.Sqrt(float64(n)))
	}
	return a
}

func (r source) moderate(n int) *mat.Dense {
	a := r.square(n)
	a.Scale(math.Sqrt(12*math.E/float64(n)), a)
	return a
}

// writes is an operation that writes a matrix, of operands that prepare draws.
func writes(prepare func(n int, r source) func(to *mat.Dense) error) matOperation {
	return func(n int, r source) func() (func() []float64, error) {
		do := prepare(n, r)
		return func() (func() []float64, error) {
			var to mat.Dense
			err := do(&to)
			return func() []float64 { return to.RawMatrix().Data }, err
		}
	}
}

// factors is a factorization of the operand of draw. It compares the numbers of result.
func factors[M any](draw func(r source, n int) M, do func(a M) (result func() []float64, ok bool)) matOperation {
	return func(n int, r source) func() (func() []float64, error) {
		a := draw(r, n)
		return func() (func() []float64, error) {
			result, ok := do(a)
			if !ok {
				return nil, errors.New("the factorization fails")
			}
			return result, nil
		}
	}
}

// raw returns the elements that a function writes.
func raw(to func(m *mat.Dense)) []float64 {
	var m mat.Dense
	to(&m)
	return m.RawMatrix().Data
}

var (
	matMul = writes(func(n int, r source) func(to *mat.Dense) error {
		a, b := r.square(n), r.square(n)
		return func(to *mat.Dense) error { to.Mul(a, b); return nil }
	})
	matQRQ = writes(func(n int, r source) func(to *mat.Dense) error {
		a := r.square(n)
		return func(to *mat.Dense) error {
			var qr mat.QR
			qr.Factorize(a)
			qr.QTo(to)
			return nil
		}
	})
	matSolve = writes(func(n int, r source) func(to *mat.Dense) error {
		a, b := r.well(n), r.square(n)
		return func(to *mat.Dense) error { return to.Solve(a, b) }
	})
	matSolveTall = writes(func(n int, r source) func(to *mat.Dense) error {
		a, b := r.dense(2*n, n), r.dense(2*n, 1)
		return func(to *mat.Dense) error { return to.Solve(a, b) }
	})
	matInverse = writes(func(n int, r source) func(to *mat.Dense) error {
		a := r.well(n)
		return func(to *mat.Dense) error { return to.Inverse(a) }
	})
	matExp = writes(func(n int, r source) func(to *mat.Dense) error {
		a := r.moderate(n)
		return func(to *mat.Dense) error { to.Exp(a); return nil }
	})
	matPow = writes(func(n int, r source) func(to *mat.Dense) error {
		a := r.moderate(n)
		return func(to *mat.Dense) error { to.Pow(a, 10); return nil }
	})
	matDet = writes(func(n int, r source) func(to *mat.Dense) error {
		a := r.moderate(n)
		return func(to *mat.Dense) error { *to = *mat.NewDense(1, 1, []float64{mat.Det(a)}); return nil }
	})

	matQR = factors(source.square, func(a *mat.Dense) (func() []float64, bool) {
		var qr mat.QR
		qr.Factorize(a)
		return func() []float64 { return raw(qr.RTo) }, true
	})
	matLQ = factors(source.square, func(a *mat.Dense) (func() []float64, bool) {
		var lq mat.LQ
		lq.Factorize(a)
		return func() []float64 { return raw(lq.LTo) }, true
	})
	matSVD = factors(source.square, func(a *mat.Dense) (func() []float64, bool) {
		var svd mat.SVD
		ok := svd.Factorize(a, mat.SVDThin)
		return func() []float64 {
			var u, v mat.Dense
			svd.UTo(&u)
			svd.VTo(&v)
			return spectral(svd.Values(nil), &u, &v)
		}, ok
	})
	matSVDValues = factors(source.square, func(a *mat.Dense) (func() []float64, bool) {
		var svd mat.SVD
		ok := svd.Factorize(a, mat.SVDNone)
		return func() []float64 { return svd.Values(nil) }, ok
	})
	matEigen = factors(source.square, func(a *mat.Dense) (func() []float64, bool) {
		var e mat.Eigen
		ok := e.Factorize(a, mat.EigenRight)
		return func() (parts []float64) {
			values := slices.SortedFunc(slices.Values(e.Values(nil)), func(a, b complex128) int {
				return cmp.Or(cmp.Compare(real(a), real(b)), cmp.Compare(imag(a), imag(b)))
			})
			for _, v := range values {
				parts = append(parts, real(v), imag(v))
			}
			return parts
		}, ok
	})
	matLU = factors(source.well, func(a *mat.Dense) (func() []float64, bool) {
		var lu mat.LU
		lu.Factorize(a)
		return func() []float64 {
			var u mat.TriDense
			lu.UTo(&u)
			return mat.DenseCopyOf(&u).RawMatrix().Data
		}, true
	})
	matCholesky = factors(source.symDefinite, func(a *mat.SymDense) (func() []float64, bool) {
		var c mat.Cholesky
		ok := c.Factorize(a)
		return func() []float64 { return mat.DenseCopyOf(c.RawU()).RawMatrix().Data }, ok
	})
	matEigenSym = factors(source.symDefinite, func(a *mat.SymDense) (func() []float64, bool) {
		var e mat.EigenSym
		ok := e.Factorize(a, true)
		return func() []float64 {
			var v mat.Dense
			e.VectorsTo(&v)
			return spectral(e.Values(nil), &v, &v)
		}, ok
	})
	matGSVD = factors(source.pair, func(of [2]*mat.Dense) (func() []float64, bool) {
		var g mat.GSVD
		ok := g.Factorize(of[0], of[1], mat.GSVDAll)
		return func() []float64 { return slices.Sorted(slices.Values(g.GeneralizedValues(nil))) }, ok
	})
)

// symDefinite returns I + BBᵀ/n for a random B.
func (r source) symDefinite(n int) *mat.SymDense {
	var s mat.SymDense
	s.SymOuterK(1/float64(n), r.square(n))
	for i := range n {
		s.SetSym(i, i, s.At(i, i)+1)
	}
	return &s
}

// spectral returns the numbers s and U diag(s) Vᵀ·1, which does not depend on the signs of vectors.
func spectral(s []float64, u, v *mat.Dense) []float64 {
	n := len(s)
	var x mat.VecDense
	x.MulVec(v.T(), mat.NewVecDense(n, ones(n)))
	x.MulElemVec(&x, mat.NewVecDense(n, slices.Clone(s)))
	x.MulVec(u, &x)
	return append(s, x.RawVector().Data...)
}
