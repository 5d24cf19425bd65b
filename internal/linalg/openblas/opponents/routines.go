//go:build cgo && !noopenblas && linux && (amd64 || arm64)

package opponents

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stddef.h>

// As in internal/linalg/openblas/lapack.go.
#define WRAP(name, parameters, types, ...) \
	static void (*name) types; \
	static int opponents_##name parameters { int info = 0; name(__VA_ARGS__); return info; }

WRAP(dpotrf, (char ul, int n, double *a, int lda),
	(char *, int *, double *, int *, int *, size_t), &ul, &n, a, &lda, &info, 1)
WRAP(dgetrs, (char t, int n, int nrhs, double *a, int lda, int *ipiv, double *b, int ldb),
	(char *, int *, int *, double *, int *, int *, double *, int *, int *, size_t),
	&t, &n, &nrhs, a, &lda, ipiv, b, &ldb, &info, 1)
WRAP(dsptrf, (char ul, int n, double *ap, int *ipiv),
	(char *, int *, double *, int *, int *, size_t), &ul, &n, ap, ipiv, &info, 1)
WRAP(dsptri, (char ul, int n, double *ap, int *ipiv, double *work),
	(char *, int *, double *, int *, double *, int *, size_t), &ul, &n, ap, ipiv, work, &info, 1)
WRAP(dsytrf, (char ul, int n, double *a, int lda, int *ipiv, double *work, int lwork),
	(char *, int *, double *, int *, int *, double *, int *, int *, size_t),
	&ul, &n, a, &lda, ipiv, work, &lwork, &info, 1)
WRAP(dsytri2, (char ul, int n, double *a, int lda, int *ipiv, double *work, int lwork),
	(char *, int *, double *, int *, int *, double *, int *, int *, size_t),
	&ul, &n, a, &lda, ipiv, work, &lwork, &info, 1)
WRAP(dgeqrf, (int m, int n, double *a, int lda, double *tau, double *work, int lwork),
	(int *, int *, double *, int *, double *, double *, int *, int *),
	&m, &n, a, &lda, tau, work, &lwork, &info)
WRAP(dsyevd, (char job, char ul, int n, double *a, int lda, double *w,
		double *work, int lwork, int *iwork, int liwork),
	(char *, char *, int *, double *, int *, double *,
		double *, int *, int *, int *, int *, size_t, size_t),
	&job, &ul, &n, a, &lda, w, work, &lwork, iwork, &liwork, &info, 1, 1)
WRAP(dgesdd, (char job, int m, int n, double *a, int lda, double *s, double *u, int ldu,
		double *vt, int ldvt, double *work, int lwork, int *iwork),
	(char *, int *, int *, double *, int *, double *, double *, int *,
		double *, int *, double *, int *, int *, int *, size_t),
	&job, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, &lwork, iwork, &info, 1)
WRAP(dgeev, (char left, char right, int n, double *a, int lda, double *wr, double *wi,
		double *vl, int ldvl, double *vr, int ldvr, double *work, int lwork),
	(char *, char *, int *, double *, int *, double *, double *,
		double *, int *, double *, int *, double *, int *, int *, size_t, size_t),
	&left, &right, &n, a, &lda, wr, wi, vl, &ldvl, vr, &ldvr, work, &lwork, &info, 1, 1)

// opponents_fill fills the pointers and returns the first missing name, or NULL.
static const char *opponents_fill(void *library) {
#define FILL(name) if (!(*(void **)&name = dlsym(library, #name "_"))) return #name "_";
	FILL(dpotrf) FILL(dgetrs) FILL(dsptrf) FILL(dsptri) FILL(dsytrf) FILL(dsytri2)
	FILL(dgeqrf) FILL(dsyevd) FILL(dgesdd) FILL(dgeev)
	return NULL;
}
*/
import "C"

import (
	"fmt"
	"sync"
	"unsafe"

	"blskernel/internal/linalg/backend"
	"blskernel/internal/linalg/openblas"

	"gonum.org/v1/gonum/blas"
	gonumlapack "gonum.org/v1/gonum/lapack"
)

// opened calls fill once, for the one OpenBLAS library of the process, and returns the error of fill.
var opened = sync.OnceValue(func() error { return fill(openblas.Handle()) })

func fill(library unsafe.Pointer) error {
	if name := C.opponents_fill(library); name != nil {
		return fmt.Errorf("the library has no %s", C.GoString(name))
	}
	return nil
}

func init() {
	with = func(l backend.ColumnMajorLAPACK) (LAPACK, error) {
		if err := opened(); err != nil {
			return nil, err
		}
		return routines{l}, nil
	}
}

// routines calls the additional routines of LAPACK through the function pointers that fill sets.
type routines struct{ backend.ColumnMajorLAPACK }

func doubles(x []float64) *C.double { return (*C.double)(unsafe.SliceData(x)) }

func ints(x []int32) *C.int { return (*C.int)(unsafe.SliceData(x)) }

func (routines) Dpotrf(ul blas.Uplo, n int, a []float64, lda int) int {
	return int(C.opponents_dpotrf(C.char(ul), C.int(n), doubles(a), C.int(lda)))
}

func (routines) Dgetrs(t blas.Transpose, n, nrhs int, a []float64, lda int, ipiv []int32, b []float64, ldb int) int {
	return int(C.opponents_dgetrs(C.char(t), C.int(n), C.int(nrhs), doubles(a), C.int(lda), ints(ipiv), doubles(b), C.int(ldb)))
}

func (routines) Dsptrf(ul blas.Uplo, n int, ap []float64, ipiv []int32) int {
	return int(C.opponents_dsptrf(C.char(ul), C.int(n), doubles(ap), ints(ipiv)))
}

func (routines) Dsptri(ul blas.Uplo, n int, ap []float64, ipiv []int32, work []float64) int {
	return int(C.opponents_dsptri(C.char(ul), C.int(n), doubles(ap), ints(ipiv), doubles(work)))
}

func (routines) Dsytrf(ul blas.Uplo, n int, a []float64, lda int, ipiv []int32, work []float64) int {
	return int(C.opponents_dsytrf(C.char(ul), C.int(n), doubles(a), C.int(lda), ints(ipiv), doubles(work), C.int(len(work))))
}

func (routines) Dsytri2(ul blas.Uplo, n int, a []float64, lda int, ipiv []int32, work []float64) int {
	return int(C.opponents_dsytri2(C.char(ul), C.int(n), doubles(a), C.int(lda), ints(ipiv), doubles(work), C.int(len(work))))
}

func (routines) Dgeqrf(m, n int, a []float64, lda int, tau, work []float64) int {
	return int(C.opponents_dgeqrf(C.int(m), C.int(n), doubles(a), C.int(lda), doubles(tau), doubles(work), C.int(len(work))))
}

func (routines) Dsyevd(job gonumlapack.EVJob, ul blas.Uplo, n int, a []float64, lda int, w, work []float64, iwork []int32) int {
	return int(C.opponents_dsyevd(C.char(job), C.char(ul), C.int(n), doubles(a), C.int(lda), doubles(w),
		doubles(work), C.int(len(work)), ints(iwork), C.int(len(iwork))))
}

func (routines) Dgesdd(job gonumlapack.SVDJob, m, n int, a []float64, lda int, s, u []float64, ldu int, vt []float64, ldvt int, work []float64, iwork []int32) int {
	return int(C.opponents_dgesdd(C.char(job), C.int(m), C.int(n), doubles(a), C.int(lda), doubles(s),
		doubles(u), C.int(ldu), doubles(vt), C.int(ldvt), doubles(work), C.int(len(work)), ints(iwork)))
}

func (routines) Dgeev(left gonumlapack.LeftEVJob, right gonumlapack.RightEVJob, n int, a []float64, lda int, wr, wi, vl []float64, ldvl int, vr []float64, ldvr int, work []float64) int {
	return int(C.opponents_dgeev(C.char(left), C.char(right), C.int(n), doubles(a), C.int(lda), doubles(wr), doubles(wi),
		doubles(vl), C.int(ldvl), doubles(vr), C.int(ldvr), doubles(work), C.int(len(work))))
}
