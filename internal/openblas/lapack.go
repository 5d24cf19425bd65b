//go:build cgo && linux && (amd64 || arm64)

package openblas

/*
#include <dlfcn.h>
#include <stddef.h>

// The library that open.go has opened.
extern void *blskernel_openblas;

// Fortran's calling convention: all arguments are pointers, and the lengths of strings follow by value.
// OpenBLAS's routines in C ignore the lengths; those that gfortran compiled may need them.
static void (*dpotrf)(char *, int *, double *, int *, int *, size_t);
static void (*dpotri)(char *, int *, double *, int *, int *, size_t);
static void (*dgetrf)(int *, int *, double *, int *, int *, int *);
static void (*dgetri)(int *, double *, int *, int *, double *, int *, int *);
static void (*dgetrs)(char *, int *, int *, double *, int *, int *, double *, int *, int *, size_t);
static void (*dsptrf)(char *, int *, double *, int *, int *, size_t);
static void (*dsptri)(char *, int *, double *, int *, double *, int *, size_t);
static void (*dsytrf)(char *, int *, double *, int *, int *, double *, int *, int *, size_t);
static void (*dsytri2)(char *, int *, double *, int *, int *, double *, int *, int *, size_t);

// blskernel_open_lapack fills the pointers and returns the first name that is missing, or NULL.
static const char *blskernel_open_lapack(void) {
#define FILL(name) if (!(*(void **)&name = dlsym(blskernel_openblas, #name "_"))) return #name "_";
	FILL(dpotrf) FILL(dpotri) FILL(dgetrf) FILL(dgetri) FILL(dgetrs) FILL(dsptrf) FILL(dsptri) FILL(dsytrf) FILL(dsytri2)
	return NULL;
}

static int blskernel_dpotrf(char ul, int n, double *a, int lda) {
	int info = 0;
	dpotrf(&ul, &n, a, &lda, &info, 1);
	return info;
}

static int blskernel_dpotri(char ul, int n, double *a, int lda) {
	int info = 0;
	dpotri(&ul, &n, a, &lda, &info, 1);
	return info;
}

static int blskernel_dgetrf(int m, int n, double *a, int lda, int *ipiv) {
	int info = 0;
	dgetrf(&m, &n, a, &lda, ipiv, &info);
	return info;
}

static int blskernel_dgetri(int n, double *a, int lda, int *ipiv, double *work, int lwork) {
	int info = 0;
	dgetri(&n, a, &lda, ipiv, work, &lwork, &info);
	return info;
}

static int blskernel_dgetrs(char t, int n, int nrhs, double *a, int lda, int *ipiv, double *b, int ldb) {
	int info = 0;
	dgetrs(&t, &n, &nrhs, a, &lda, ipiv, b, &ldb, &info, 1);
	return info;
}

static int blskernel_dsptrf(char ul, int n, double *ap, int *ipiv) {
	int info = 0;
	dsptrf(&ul, &n, ap, ipiv, &info, 1);
	return info;
}

static int blskernel_dsptri(char ul, int n, double *ap, int *ipiv, double *work) {
	int info = 0;
	dsptri(&ul, &n, ap, ipiv, work, &info, 1);
	return info;
}

static int blskernel_dsytrf(char ul, int n, double *a, int lda, int *ipiv, double *work, int lwork) {
	int info = 0;
	dsytrf(&ul, &n, a, &lda, ipiv, work, &lwork, &info, 1);
	return info;
}

// blskernel_dsytri2_work returns the length of work that dsytri2 requires.
static double blskernel_dsytri2_work(char ul, int n, int lda) {
	int info = 0, lwork = -1;
	double a = 0, work = 0;
	int ipiv = 0;
	dsytri2(&ul, &n, &a, &lda, &ipiv, &work, &lwork, &info, 1);
	return work;
}

static int blskernel_dsytri2(char ul, int n, double *a, int lda, int *ipiv, double *work, int lwork) {
	int info = 0;
	dsytri2(&ul, &n, a, &lda, ipiv, work, &lwork, &info, 1);
	return info;
}
*/
import "C"

import (
	"math"
	"strings"
	"unsafe"

	"blskernel/internal/check"

	"gonum.org/v1/gonum/blas"
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
	o := openBLAS{file: library}
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
	check.Require(float64(len(work)) >= float64(C.blskernel_dsytri2_work(C.char(ul), C.int(n), C.int(lda))), shortWork)
	return int(C.blskernel_dsytri2(C.char(ul), C.int(n), doubles(a), C.int(lda), ints(ipiv), doubles(work), lwork(work)))
}
