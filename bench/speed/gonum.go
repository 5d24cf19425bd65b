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

// A gonumBackend is gonum's BLAS, used together with gonum's LAPACK.
type gonumBackend struct{ gonumblas.Implementation }

func (gonumBackend) Name() string { return Gonum }

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

// A matOperation computes a result from two matrices with gonum's mat. It returns an error, or a
// function that returns the numbers to compare.
type matOperation func(a, b *mat.Dense) (compared func() []float64, err error)

// onMat returns the case op of flops·n³ flops, in which do runs on matrices drawn by a and b. The
// matrices keep their values, since gonum's mat allocates its results.
func onMat(op string, flops float64, a, b func(r source, n int) *mat.Dense, do matOperation) Case {
	return Case{op, "", []string{Gonum}, flops, 3, func(_ string, n int, r source, _ string) *Problem {
		return do.problem(a(r, n), b(r, n))
	}}
}

func (do matOperation) problem(a, b *mat.Dense) *Problem {
	var last func() []float64
	p := computes(nil, func(be blskernel.Backend) func() error {
		return func() (err error) {
			defer use(be)()
			last, err = do(a, b)
			return err
		}
	})
	p.compared = func() []float64 {
		result := last
		if last = nil; result == nil {
			return []float64{math.NaN()} // nothing was computed
		}
		return result()
	}
	return p
}

// Operands. square is a random matrix, and well is a well-conditioned matrix. The determinant of
// moderate neither overflows nor underflows. symmetric is I + BBᵀ/n for a random B. tall is a 2n×n
// matrix, column is a right-hand side for tall, and none stands for no operand.

func (r source) square(n int) *mat.Dense { return mat.NewDense(n, n, r.draw(n*n)) }

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

func (r source) symmetric(n int) *mat.Dense {
	var s mat.SymDense
	s.SymOuterK(1/float64(n), r.square(n))
	a := mat.DenseCopyOf(&s)
	for i := range n {
		a.Set(i, i, a.At(i, i)+1)
	}
	return a
}

func (r source) tall(n int) *mat.Dense   { return mat.NewDense(2*n, n, r.draw(2*n*n)) }
func (r source) column(n int) *mat.Dense { return mat.NewDense(2*n, 1, r.draw(2*n)) }
func (r source) none(int) *mat.Dense     { return nil }

// writes returns a matOperation that calls do and compares the elements of to, which do writes.
func writes(do func(to, a, b *mat.Dense) error) matOperation {
	return func(a, b *mat.Dense) (func() []float64, error) {
		var to mat.Dense
		err := do(&to, a, b)
		return func() []float64 { return to.RawMatrix().Data }, err
	}
}

func converged(ok bool, compared func() []float64) (func() []float64, error) {
	if !ok {
		return nil, errors.New("the factorization failed")
	}
	return compared, nil
}

func taken[M any, P interface {
	*M
	mat.Matrix
}](to func(dst P)) func() []float64 {
	return func() []float64 {
		factor := P(new(M))
		to(factor)
		return mat.DenseCopyOf(factor).RawMatrix().Data
	}
}

func upper(a *mat.Dense) *mat.SymDense {
	n, _ := a.Dims()
	return mat.NewSymDense(n, a.RawMatrix().Data)
}

var matOperations = []Case{
	onMat("mat.Mul", 2, source.square, source.square, writes(func(to, a, b *mat.Dense) error {
		to.Mul(a, b)
		return nil
	})),
	onMat("mat.Cholesky", 1./3, source.symmetric, source.none, func(a, _ *mat.Dense) (func() []float64, error) {
		var c mat.Cholesky
		return converged(c.Factorize(upper(a)), taken(c.UTo))
	}),
	onMat("mat.LU", 2./3, source.well, source.none, func(a, _ *mat.Dense) (func() []float64, error) {
		var lu mat.LU
		lu.Factorize(a)
		return taken(lu.UTo), nil
	}),
	onMat("mat.QR", 4./3, source.square, source.none, func(a, _ *mat.Dense) (func() []float64, error) {
		var qr mat.QR
		qr.Factorize(a)
		return taken(qr.RTo), nil
	}),
	onMat("mat.QR-Q", 8./3, source.square, source.none, writes(func(to, a, _ *mat.Dense) error {
		var qr mat.QR
		qr.Factorize(a)
		qr.QTo(to)
		return nil
	})),
	onMat("mat.LQ", 8./3, source.square, source.none, func(a, _ *mat.Dense) (func() []float64, error) {
		var lq mat.LQ
		lq.Factorize(a)
		return taken(lq.LTo), nil
	}),
	onMat("mat.SVD", 22, source.square, source.none, func(a, _ *mat.Dense) (func() []float64, error) {
		var svd mat.SVD
		return converged(svd.Factorize(a, mat.SVDThin), func() []float64 { return svd.Values(nil) })
	}),
	onMat("mat.SVD-values", 8./3, source.square, source.none, func(a, _ *mat.Dense) (func() []float64, error) {
		var svd mat.SVD
		return converged(svd.Factorize(a, mat.SVDNone), func() []float64 { return svd.Values(nil) })
	}),
	onMat("mat.Eigen", 25, source.square, source.none, func(a, _ *mat.Dense) (func() []float64, error) {
		var e mat.Eigen
		return converged(e.Factorize(a, mat.EigenRight), func() (parts []float64) {
			values := slices.SortedFunc(slices.Values(e.Values(nil)), func(a, b complex128) int {
				return cmp.Or(cmp.Compare(real(a), real(b)), cmp.Compare(imag(a), imag(b)))
			})
			for _, v := range values {
				parts = append(parts, real(v), imag(v))
			}
			return parts
		})
	}),
	onMat("mat.EigenSym", 9, source.symmetric, source.none, func(a, _ *mat.Dense) (func() []float64, error) {
		var e mat.EigenSym
		return converged(e.Factorize(upper(a), true), func() []float64 { return e.Values(nil) })
	}),
	onMat("mat.GSVD", 22, source.square, source.well, func(a, b *mat.Dense) (func() []float64, error) {
		var g mat.GSVD
		return converged(g.Factorize(a, b, mat.GSVDAll), func() []float64 {
			return slices.Sorted(slices.Values(g.GeneralizedValues(nil)))
		})
	}),
	onMat("mat.Solve", 8./3, source.well, source.square, writes(func(to, a, b *mat.Dense) error { return to.Solve(a, b) })),
	onMat("mat.Solve-tall", 10./3, source.tall, source.column, writes(func(to, a, b *mat.Dense) error { return to.Solve(a, b) })),
	onMat("mat.Inverse", 2, source.well, source.none, writes(func(to, a, _ *mat.Dense) error { return to.Inverse(a) })),
	onMat("mat.Det", 2./3, source.moderate, source.none, func(a, _ *mat.Dense) (func() []float64, error) {
		det := mat.Det(a)
		return func() []float64 { return []float64{det} }, nil
	}),
	onMat("mat.Exp", 44./3, source.moderate, source.none, writes(func(to, a, _ *mat.Dense) error {
		to.Exp(a)
		return nil
	})),
	onMat("mat.Pow", 8, source.moderate, source.none, writes(func(to, a, _ *mat.Dense) error {
		to.Pow(a, 10)
		return nil
	})),
}
