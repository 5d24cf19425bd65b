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

// blskernel_open_lapack fills the pointers and reports whether the library has all routines.
static _Bool blskernel_open_lapack(void) {
#define FILL(name) (*(void **)&name = dlsym(blskernel_openblas, #name "_"))
	return FILL(dpotri) && FILL(dgetrf) && FILL(dgetri);
}
*/
import "C"

import (
	"unsafe"

	"blskernel/internal/linalg/check"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/netlib/blas/netlib"
)

// openBLASLAPACK is openBLAS on a library that has the routines of backend.ColumnMajorLAPACK.
type openBLASLAPACK struct {
	openBLAS
	columnMajor
}

// withLAPACK returns the backend on the open library of the given name, with its LAPACK if that has all
// routines.
func withLAPACK(library string) Backend {
	o := openBLAS{check.Guarded{Float64: netlib.Implementation{}}, library}
	if C.blskernel_open_lapack() {
		return openBLASLAPACK{openBLAS: o}
	}
	return o
}

// columnMajor calls the routines through the pointers that withLAPACK filled. It checks only that sizes
// fit in the library's integers; package lapack checks all else.
type columnMajor struct{}

func doubles(x []float64) *C.double { return (*C.double)(unsafe.SliceData(x)) }

func ints(x []int32) *C.int { return (*C.int)(unsafe.SliceData(x)) }

func (columnMajor) Dpotri(ul blas.Uplo, n int, a []float64, lda int) (info int) {
	check.Fit(n, lda)
	return int(C.blskernel_dpotri(C.char(ul), C.int(n), doubles(a), C.int(lda)))
}

func (columnMajor) Dgetrf(m, n int, a []float64, lda int, ipiv []int32) (info int) {
	check.Fit(m, n, lda)
	return int(C.blskernel_dgetrf(C.int(m), C.int(n), doubles(a), C.int(lda), ints(ipiv)))
}

func (columnMajor) Dgetri(n int, a []float64, lda int, ipiv []int32, work []float64) (info int) {
	check.Fit(n, lda, len(work))
	return int(C.blskernel_dgetri(C.int(n), doubles(a), C.int(lda), ints(ipiv), doubles(work), C.int(len(work))))
}
