package main

import (
	"blskernel"
	"blskernel/lapack"

	"gonum.org/v1/gonum/blas/blas64"
	gonumblas "gonum.org/v1/gonum/blas/gonum"
	gonumlapack "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// useKernels makes all of gonum run on the backend from now on: mat, stat and everything else that computes with float64.
// These two lines, in an init or at the start of main, are all that a program needs:
//
//	blas64.Use(blskernel.Default())
//	lapack64.Use(lapack.Implementation{})
func useKernels(b blskernel.Backend) {
	blas64.Use(b)
	lapack64.Use(lapack.Implementation{Backend: b})
}

// useGonum goes back to what gonum begins with, which only a comparison wants.
func useGonum() {
	blas64.Use(gonumblas.Implementation{})
	lapack64.Use(gonumlapack.Implementation{})
}
