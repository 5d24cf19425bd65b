//go:build cgo && linux && (amd64 || arm64)

package openblas

/*
#include <dlfcn.h>
#include <stddef.h>

// The library that open.go opened.
extern void *blskernel_openblas;

// In Fortran's calling convention all arguments are pointers, and the lengths of strings follow by
// value. Routines in C ignore the lengths; routines compiled by gfortran may need them. WRAP declares a
// pointer to a routine, and a function that calls the routine and returns info.
#define WRAP(name, parameters, types, ...) \
	static void (*name) types; \
	static int blskernel_##name parameters { int info = 0; name(__VA_ARGS__); return info; }

WRAP(dpotri, (char ul, int n, double *a, int lda),
	(char *, int *, double *, int *, int *, size_t), &ul, &n, a, &lda, &info, 1)
WRAP(dgetrf, (int m, int n, double *a, int lda, int *ipiv),
	(int *, int *, double *, int *, int *, int *), &m, &n, a, &lda, ipiv, &info)
WRAP(dgetri, (int n, double *a, int lda, int *ipiv, double *work, int lwork),
	(int *, double *, int *, int *, double *, int *, int *), &n, a, &lda, ipiv, work, &lwork, &info)

// blskernel_open_lapack fills the pointers and returns the first missing name, or NULL.
static const char *blskernel_open_lapack(void) {
#define FILL(name) if (!(*(void **)&name = dlsym(blskernel_openblas, #name "_"))) return #name "_";
	FILL(dpotri) FILL(dgetrf) FILL(dgetri)
	return NULL;
}
*/
import "C"

import (
	"math"
	"unsafe"

	"blskernel/internal/linalg/check"

	"gonum.org/v1/gonum/blas"
)

// openBLASLAPACK is openBLAS on a library that has the routines of backend.ColumnMajorLAPACK.
type openBLASLAPACK struct {
	openBLAS
	columnMajor
}

// MissingLAPACK returns the reason why the LAPACK of the library cannot be used, or "" if it can.
func (b openBLAS) MissingLAPACK() string { return b.missing }

// withLAPACK returns the backend on the open library of the given name, with its LAPACK if usable.
func withLAPACK(library string) Backend {
	o := newOpenBLAS(library)
	if name := C.blskernel_open_lapack(); name != nil {
		o.missing = "the library has no " + C.GoString(name) + ": it was built without LAPACK"
		return o
	}
	return openBLASLAPACK{openBLAS: o}
}

// columnMajor calls the routines through the pointers that withLAPACK filled.
type columnMajor struct{}

// Panic messages for faults that the BLAS has no message for.
const (
	shortIpiv = "lapack: insufficient length of ipiv"
	shortWork = "lapack: insufficient length of work"
	over32    = "lapack: a size does not fit in 32 bits"
)

// fit panics unless every size fits in an int32, the integer type of OpenBLAS.
func fit(sizes ...int) {
	for _, s := range sizes {
		check.Require(s <= math.MaxInt32, over32)
	}
}

// lwork returns the length of work, at most the largest int32.
func lwork(work []float64) C.int { return C.int(min(len(work), math.MaxInt32)) }

func doubles(x []float64) *C.double { return (*C.double)(unsafe.SliceData(x)) }

func ints(x []int32) *C.int { return (*C.int)(unsafe.SliceData(x)) }

// checkSquare panics if n, a or lda is invalid for an n×n matrix A. It reports whether A has elements.
func checkSquare(n int, a []float64, lda int) bool {
	check.Require(n >= 0, check.NLT0)
	return checkColumns(n, n, a, lda)
}

// checkColumns panics if an argument is invalid for an m×n matrix A. It reports whether A has elements.
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
