//go:build cgo && linux && (amd64 || arm64)

package openblas

/*
#include <dlfcn.h>
#include <stddef.h>

// The library that open.go has opened.
extern void *blskernel_openblas;

// In Fortran's calling convention all arguments are pointers, and the lengths of strings follow by
// value: routines in C ignore them, those that gfortran compiled may need them. WRAP declares a pointer
// to a routine, and a function that calls it and returns info.
#define WRAP(name, parameters, types, ...) \
	static void (*name) types; \
	static int blskernel_##name parameters { int info = 0; name(__VA_ARGS__); return info; }

WRAP(dpotrf, (char ul, int n, double *a, int lda),
	(char *, int *, double *, int *, int *, size_t), &ul, &n, a, &lda, &info, 1)
WRAP(dpotri, (char ul, int n, double *a, int lda),
	(char *, int *, double *, int *, int *, size_t), &ul, &n, a, &lda, &info, 1)
WRAP(dgetrf, (int m, int n, double *a, int lda, int *ipiv),
	(int *, int *, double *, int *, int *, int *), &m, &n, a, &lda, ipiv, &info)
WRAP(dgetri, (int n, double *a, int lda, int *ipiv, double *work, int lwork),
	(int *, double *, int *, int *, double *, int *, int *), &n, a, &lda, ipiv, work, &lwork, &info)
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

// blskernel_open_lapack fills the pointers and returns the first name that is missing, or NULL.
static const char *blskernel_open_lapack(void) {
#define FILL(name) if (!(*(void **)&name = dlsym(blskernel_openblas, #name "_"))) return #name "_";
	FILL(dpotrf) FILL(dpotri) FILL(dgetrf) FILL(dgetri) FILL(dgetrs)
	FILL(dsptrf) FILL(dsptri) FILL(dsytrf) FILL(dsytri2)
	FILL(dgeqrf) FILL(dsyevd) FILL(dgesdd) FILL(dgeev)
	return NULL;
}
*/
import "C"

import (
	"math"
	"strings"
	"unsafe"

	"blskernel/internal/check"

	"gonum.org/v1/gonum/blas"
	gonumlapack "gonum.org/v1/gonum/lapack"
)

// openBLASLAPACK is the backend with a library that has the routines of backend.ColumnMajorLAPACK.
type openBLASLAPACK struct {
	openBLAS
	columnMajor
}

// MissingLAPACK returns why the library has no LAPACK that can be used, or "" if it has one.
func (b openBLAS) MissingLAPACK() string { return b.missing }

// withLAPACK returns the backend on the open library, with its LAPACK if it has one.
func withLAPACK(library string) Backend {
	o := newOpenBLAS(library)
	if _, _, version := o.About(); strings.Contains(version, "USE64BITINT") {
		o.missing = "the library was built with 64-bit integers, and the routines here pass 32-bit ones"
		return o
	}
	if name := C.blskernel_open_lapack(); name != nil {
		o.missing = "the library has no " + C.GoString(name) + ": it was built without LAPACK"
		return o
	}
	return openBLASLAPACK{openBLAS: o}
}

// columnMajor calls the routines through the pointers that withLAPACK has filled.
type columnMajor struct{}

// Texts that the BLAS lacks.
const (
	shortIpiv = "lapack: insufficient length of ipiv"
	shortWork = "lapack: insufficient length of work"
	nrhsLT0   = "lapack: nrhs < 0"
	over32    = "lapack: a size is beyond 32-bit integers"

	badJob     = "lapack: illegal job"
	badLeft    = "lapack: bad leading dimension of left vectors"
	badRight   = "lapack: bad leading dimension of right vectors"
	shortLeft  = "lapack: insufficient length of left vectors"
	shortRight = "lapack: insufficient length of right vectors"
	shortTau   = "lapack: insufficient length of tau"
	shortValue = "lapack: insufficient length of values"
	shortIWork = "lapack: insufficient length of iwork"
)

// fit panics unless 32-bit integers hold the sizes.
func fit(sizes ...int) {
	for _, s := range sizes {
		check.Require(s <= math.MaxInt32, over32)
	}
}

// lwork is the length of work, or the largest 32-bit integer.
func lwork(work []float64) C.int { return C.int(min(len(work), math.MaxInt32)) }

func doubles(x []float64) *C.double { return (*C.double)(unsafe.SliceData(x)) }

func ints(x []int32) *C.int { return (*C.int)(unsafe.SliceData(x)) }

// checkSquare panics on a bad n×n matrix and reports whether it is not empty.
func checkSquare(n int, a []float64, lda int) bool {
	check.Require(n >= 0, check.NLT0)
	return checkColumns(n, n, a, lda)
}

// checkColumns panics on a bad m×n matrix and reports whether it is not empty.
func checkColumns(m, n int, a []float64, lda int) bool {
	check.Require(m >= 0, check.MLT0)
	check.Require(n >= 0, check.NLT0)
	check.Ld(lda, m, check.BadLdA)
	fit(m, n, lda)
	if m == 0 || n == 0 {
		return false
	}
	check.Length(len(a), n, m, lda, check.ShortA)
	return true
}

// checkPackedTriangle panics on a bad packed matrix and reports whether it is not empty.
func checkPackedTriangle(ul blas.Uplo, n int, ap []float64) bool {
	check.Uplo(ul)
	check.Require(n >= 0, check.NLT0)
	fit(n)
	fit(n * (n + 1)) // which the routines compute
	if n == 0 {
		return false
	}
	check.Packed(len(ap), n)
	return true
}

func (columnMajor) Dpotrf(ul blas.Uplo, n int, a []float64, lda int) (info int) {
	check.Uplo(ul)
	if !checkSquare(n, a, lda) {
		return 0
	}
	return int(C.blskernel_dpotrf(C.char(ul), C.int(n), doubles(a), C.int(lda)))
}

func (columnMajor) Dpotri(ul blas.Uplo, n int, a []float64, lda int) (info int) {
	check.Uplo(ul)
	if !checkSquare(n, a, lda) {
		return 0
	}
	return int(C.blskernel_dpotri(C.char(ul), C.int(n), doubles(a), C.int(lda)))
}

func (columnMajor) Dgetrf(m, n int, a []float64, lda int, ipiv []int32) (info int) {
	if !checkColumns(m, n, a, lda) {
		return 0
	}
	check.Require(len(ipiv) >= min(m, n), shortIpiv)
	return int(C.blskernel_dgetrf(C.int(m), C.int(n), doubles(a), C.int(lda), ints(ipiv)))
}

func (columnMajor) Dgetri(n int, a []float64, lda int, ipiv []int32, work []float64) (info int) {
	if !checkSquare(n, a, lda) {
		return 0
	}
	check.Require(len(ipiv) >= n, shortIpiv)
	check.Require(len(work) >= n, shortWork)
	return int(C.blskernel_dgetri(C.int(n), doubles(a), C.int(lda), ints(ipiv), doubles(work), lwork(work)))
}

func (columnMajor) Dgetrs(t blas.Transpose, n, nrhs int, a []float64, lda int, ipiv []int32, b []float64, ldb int) (info int) {
	check.Transpose(t)
	notEmpty := checkSquare(n, a, lda)
	check.Require(nrhs >= 0, nrhsLT0)
	check.Ld(ldb, n, check.BadLdB)
	fit(nrhs, ldb)
	if !notEmpty || nrhs == 0 {
		return 0
	}
	check.Require(len(ipiv) >= n, shortIpiv)
	check.Length(len(b), nrhs, n, ldb, check.ShortB)
	return int(C.blskernel_dgetrs(C.char(t), C.int(n), C.int(nrhs), doubles(a), C.int(lda), ints(ipiv), doubles(b), C.int(ldb)))
}

func (columnMajor) Dsptrf(ul blas.Uplo, n int, ap []float64, ipiv []int32) (info int) {
	if !checkPackedTriangle(ul, n, ap) {
		return 0
	}
	check.Require(len(ipiv) >= n, shortIpiv)
	return int(C.blskernel_dsptrf(C.char(ul), C.int(n), doubles(ap), ints(ipiv)))
}

func (columnMajor) Dsptri(ul blas.Uplo, n int, ap []float64, ipiv []int32, work []float64) (info int) {
	if !checkPackedTriangle(ul, n, ap) {
		return 0
	}
	check.Require(len(ipiv) >= n, shortIpiv)
	check.Require(len(work) >= n, shortWork)
	return int(C.blskernel_dsptri(C.char(ul), C.int(n), doubles(ap), ints(ipiv), doubles(work)))
}

func (columnMajor) Dsytrf(ul blas.Uplo, n int, a []float64, lda int, ipiv []int32, work []float64) (info int) {
	check.Uplo(ul)
	if !checkSquare(n, a, lda) {
		return 0
	}
	check.Require(len(ipiv) >= n, shortIpiv)
	check.Require(len(work) >= 1, shortWork)
	return int(C.blskernel_dsytrf(C.char(ul), C.int(n), doubles(a), C.int(lda), ints(ipiv), doubles(work), lwork(work)))
}

func (columnMajor) Dsytri2(ul blas.Uplo, n int, a []float64, lda int, ipiv []int32, work []float64) (info int) {
	check.Uplo(ul)
	if !checkSquare(n, a, lda) {
		return 0
	}
	check.Require(len(ipiv) >= n, shortIpiv)
	var least C.double // of the library's own algorithm
	C.blskernel_dsytri2(C.char(ul), C.int(n), doubles(a), C.int(lda), ints(ipiv), &least, -1)
	check.Require(float64(len(work)) >= float64(least), shortWork)
	return int(C.blskernel_dsytri2(C.char(ul), C.int(n), doubles(a), C.int(lda), ints(ipiv), doubles(work), lwork(work)))
}

// checkVectors panics unless x holds an m×n matrix of vectors. m and n are 0 where none are wanted.
func checkVectors(m, n int, x []float64, ldx int, badLd, short string) {
	check.Ld(ldx, m, badLd)
	fit(ldx)
	check.Length(len(x), n, m, ldx, short)
}

// checkWork panics unless work has the least number of elements.
func checkWork(least int, work []float64) {
	fit(least)
	check.Require(len(work) >= least, shortWork)
}

// wanted is n where vectors are wanted, else 0.
func wanted(yes bool, n int) int {
	if yes {
		return n
	}
	return 0
}

func (columnMajor) Dgeqrf(m, n int, a []float64, lda int, tau, work []float64) (info int) {
	if !checkColumns(m, n, a, lda) {
		return 0
	}
	check.Require(len(tau) >= min(m, n), shortTau)
	check.Require(len(work) >= n, shortWork)
	return int(C.blskernel_dgeqrf(C.int(m), C.int(n), doubles(a), C.int(lda), doubles(tau), doubles(work), lwork(work)))
}

func (columnMajor) Dsyevd(job gonumlapack.EVJob, ul blas.Uplo, n int, a []float64, lda int, w, work []float64, iwork []int32) (info int) {
	check.Require(job == gonumlapack.EVNone || job == gonumlapack.EVCompute, badJob)
	check.Uplo(ul)
	if !checkSquare(n, a, lda) {
		return 0
	}
	check.Require(len(w) >= n, shortValue)
	checkWork(1+6*n+2*n*n, work)
	check.Require(len(iwork) >= 3+5*n, shortIWork)
	return int(C.blskernel_dsyevd(C.char(job), C.char(ul), C.int(n), doubles(a), C.int(lda), doubles(w),
		doubles(work), lwork(work), ints(iwork), C.int(3+5*n)))
}

func (columnMajor) Dgesdd(job gonumlapack.SVDJob, m, n int, a []float64, lda int, s, u []float64, ldu int, vt []float64, ldvt int, work []float64, iwork []int32) (info int) {
	all, some := job == gonumlapack.SVDAll, job == gonumlapack.SVDStore
	check.Require(all || some || job == gonumlapack.SVDNone, badJob)
	if !checkColumns(m, n, a, lda) {
		return 0
	}
	k := min(m, n)
	left, right := wanted(some, k)+wanted(all, m), wanted(some, k)+wanted(all, n)
	checkVectors(wanted(left > 0, m), left, u, ldu, badLeft, shortLeft)
	checkVectors(right, wanted(right > 0, n), vt, ldvt, badRight, shortRight)
	check.Require(len(s) >= k, shortValue)
	checkWork(4*k*k+7*k+max(m, n), work)
	check.Require(len(iwork) >= 8*k, shortIWork)
	return int(C.blskernel_dgesdd(C.char(job), C.int(m), C.int(n), doubles(a), C.int(lda), doubles(s),
		doubles(u), C.int(ldu), doubles(vt), C.int(ldvt), doubles(work), lwork(work), ints(iwork)))
}

func (columnMajor) Dgeev(left gonumlapack.LeftEVJob, right gonumlapack.RightEVJob, n int, a []float64, lda int, wr, wi, vl []float64, ldvl int, vr []float64, ldvr int, work []float64) (info int) {
	u, v := left == gonumlapack.LeftEVCompute, right == gonumlapack.RightEVCompute
	check.Require((u || left == gonumlapack.LeftEVNone) && (v || right == gonumlapack.RightEVNone), badJob)
	if !checkSquare(n, a, lda) {
		return 0
	}
	checkVectors(wanted(u, n), wanted(u, n), vl, ldvl, badLeft, shortLeft)
	checkVectors(wanted(v, n), wanted(v, n), vr, ldvr, badRight, shortRight)
	check.Require(min(len(wr), len(wi)) >= n, shortValue)
	check.Require(len(work) >= 4*n, shortWork)
	return int(C.blskernel_dgeev(C.char(left), C.char(right), C.int(n), doubles(a), C.int(lda), doubles(wr), doubles(wi),
		doubles(vl), C.int(ldvl), doubles(vr), C.int(ldvr), doubles(work), lwork(work)))
}
