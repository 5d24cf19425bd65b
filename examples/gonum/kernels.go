package main

import (
	"blskernel"
	"blskernel/lapack"

	"gonum.org/v1/gonum/blas/blas64"
	gonumblas "gonum.org/v1/gonum/blas/gonum"
	gonumlapack "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// useKernels makes all of gonum's float64 packages run on the backend. A program needs only these two
// lines, in an init or at the start of main:
//
//	blas64.Use(blskernel.Default())
//	lapack64.Use(lapack.Implementation{})
func useKernels(b blskernel.Backend) {
	blas64.Use(b)
	lapack64.Use(lapack.Implementation{Backend: b})
}

// useGonum restores gonum's own routines, for a comparison.
func useGonum() {
	blas64.Use(gonumblas.Implementation{})
	lapack64.Use(gonumlapack.Implementation{})
}
