package speed

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"blskernel"
	"blskernel/internal/linalg/openblas/opponents"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonumlapack "gonum.org/v1/gonum/lapack"
)

// An opponent calls routines of LAPACK for the task of a case, on operands with the given shapes. The
// first info other than 0 is an error.
type opponent struct {
	name, shapes string
	do           func(l opponents.LAPACK, n int, o *operands) (info int)
}

func (a opponent) call(be blskernel.Backend, n int, o *operands) {
	l, err := opponents.Of(be)
	if err != nil {
		o.err = errors.New("the backend has no LAPACK")
	} else if info := a.do(l, n, o); info != 0 {
		o.err = fmt.Errorf("LAPACK returned info = %d", info)
	}
}

// workspace returns a length of work that is enough for the blocked algorithms.
func (a opponent) workspace(n int) int {
	if strings.Contains(a.shapes, "w") {
		return n * (4*n + 260)
	}
	return 67 * (n + 65) // what dsytri2 needs
}

func then(info int, next func() int) int {
	if info != 0 {
		return info
	}
	return next()
}

// A factorization is the interface through which the types of package lapack are timed.
type factorization[M any] interface {
	FactorizeInPlace(a M) error
	InverseInPlace() (M, error)
}

func invert[M any](f factorization[M], a M, o *operands) {
	if o.err = f.FactorizeInPlace(a); o.err == nil {
		_, o.err = f.InverseInPlace()
	}
}

// absDiagonal sets to to the absolute values of the diagonal of a.
func absDiagonal(to, a []float64) {
	for i := range to {
		to[i] = math.Abs(a[i*(len(to)+1)])
	}
}

var tasks = slices.Concat(
	newOperation("cholesky-inverse", "", 1, 3, "!=P", func(be blskernel.Backend, n int, o *operands) {
		invert(&lapack.Cholesky{Backend: be}, mat.NewSymPacked(n, o.out), o)
	}, opponent{"dpotrf+dpotri", "!=F", func(l opponents.LAPACK, n int, o *operands) int {
		return then(l.Dpotrf(blas.Lower, n, o.out, n), func() int { return l.Dpotri(blas.Lower, n, o.out, n) })
	}}),
	newOperation("ldlt-inverse", "", 1, 3, "!=p", func(be blskernel.Backend, n int, o *operands) {
		invert(&lapack.LDLT{Backend: be}, mat.NewSymPacked(n, o.out), o)
	}, opponent{"dsptrf+dsptri", "!=p", func(l opponents.LAPACK, n int, o *operands) int {
		return then(l.Dsptrf(blas.Lower, n, o.out, o.ipiv), func() int { return l.Dsptri(blas.Lower, n, o.out, o.ipiv, o.work) })
	}}, opponent{"dsytrf+dsytri2", "!=f", func(l opponents.LAPACK, n int, o *operands) int {
		return then(l.Dsytrf(blas.Lower, n, o.out, n, o.ipiv, o.work), func() int { return l.Dsytri2(blas.Lower, n, o.out, n, o.ipiv, o.work) })
	}}),
	newOperation("lu-inverse", "", 2, 3, "!=m", func(be blskernel.Backend, n int, o *operands) {
		invert(&lapack.LU{Backend: be}, mat.NewDense(n, n, o.out), o)
	}, opponent{"dgetrf+dgetri", "!=m", func(l opponents.LAPACK, n int, o *operands) int {
		return then(l.Dgetrf(n, n, o.out, n, o.ipiv), func() int { return l.Dgetri(n, o.out, n, o.ipiv, o.work[:64*n]) })
	}}),
	// There are n right-hand sides. The first call on a backend, which is not timed, factorizes A.
	// dgetrs reads the storage of A as Aᵀ by columns, and each row of B as a right-hand side.
	newOperation("lu-solve", "", 2, 3, "m!=m", func(be blskernel.Backend, n int, o *operands) {
		if o.solvers == nil {
			o.solvers = map[blskernel.Backend]*lapack.LU{}
		}
		f := o.solvers[be]
		if f == nil {
			f = &lapack.LU{Backend: be}
			if o.err = f.Factorize(mat.NewDense(n, n, o.a)); o.err != nil {
				return
			}
			o.solvers[be] = f
		}
		to := mat.NewDense(n, n, o.out)
		o.err = f.SolveTo(to, to)
	}, opponent{"dgetrs", "m!=m", func(l opponents.LAPACK, n int, o *operands) (info int) {
		if o.ipiv[n-1] == 0 { // indices begin at 1
			info = l.Dgetrf(n, n, o.a, n, o.ipiv)
		}
		return then(info, func() int { return l.Dgetrs(blas.NoTrans, n, n, o.a, n, o.ipiv, o.out, n) })
	}}),
	newOperation("qr", "", 4./3, 3, "!=mw", func(be blskernel.Backend, n int, o *operands) {
		lapack.Implementation{Backend: be}.Dgeqrf(n, n, o.out, n, o.tau, o.work, len(o.work))
		absDiagonal(o.outs[1], o.out)
	}, opponent{"dgeqrf", "!=Mw", func(l opponents.LAPACK, n int, o *operands) int {
		defer absDiagonal(o.outs[1], o.out)
		return l.Dgeqrf(n, n, o.out, n, o.tau, o.work)
	}}),
	newOperation("eigensym", "", 9, 3, "!=mw", func(be blskernel.Backend, n int, o *operands) {
		o.check(lapack.Implementation{Backend: be}.Dsyev(gonumlapack.EVCompute, blas.Upper, n, o.out, n, o.outs[1], o.work, len(o.work)))
	}, opponent{"dsyevd", "!=Mw", func(l opponents.LAPACK, n int, o *operands) int {
		return l.Dsyevd(gonumlapack.EVCompute, blas.Upper, n, o.out, n, o.outs[1], o.work, o.iwork)
	}}),
	newOperation("svd", "", 22, 3, "!=mmmw", func(be blskernel.Backend, n int, o *operands) {
		const store = gonumlapack.SVDStore
		u, vt, s := o.outs[1], o.outs[2], o.outs[3]
		o.check(lapack.Implementation{Backend: be}.Dgesvd(store, store, n, n, o.out, n, s, u, n, vt, n, o.work, len(o.work)))
	}, opponent{"dgesdd", "!=Mmmw", func(l opponents.LAPACK, n int, o *operands) int {
		u, vt, s := o.outs[1], o.outs[2], o.outs[3]
		return l.Dgesdd(gonumlapack.SVDStore, n, n, o.out, n, s, u, n, vt, n, o.work, o.iwork)
	}}),
	newOperation("eigen", "", 25, 3, "!=mmww", func(be blskernel.Backend, n int, o *operands) {
		const left, right = gonumlapack.LeftEVNone, gonumlapack.RightEVCompute
		v, re, im := o.outs[1], o.outs[2], o.outs[3]
		o.check(lapack.Implementation{Backend: be}.Dgeev(left, right, n, o.out, n, re, im, nil, 1, v, n, o.work, len(o.work)) == 0)
	}, opponent{"dgeev", "!=Mmww", func(l opponents.LAPACK, n int, o *operands) int {
		v, re, im := o.outs[1], o.outs[2], o.outs[3]
		return l.Dgeev(gonumlapack.LeftEVNone, gonumlapack.RightEVCompute, n, o.out, n, re, im, nil, 1, v, n, o.work)
	}}),
)

// Library returns the backend whose LAPACK the opponents use: the first of the given backends that has
// LAPACK, or else openblas. The error says why openblas cannot be used.
func Library(backends []blskernel.Backend) (blskernel.Backend, error) {
	for _, b := range backends {
		if _, err := opponents.Of(b); err == nil {
			return b, nil
		}
	}
	b, err := blskernel.Lookup("openblas")
	if err != nil {
		return nil, err
	}
	if _, err := opponents.Of(b); err != nil {
		return nil, fmt.Errorf("speed: backend %q has no LAPACK: %w", b.Name(), err)
	}
	return b, nil
}
