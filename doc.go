// Package blskernel is a float64 BLAS for Go behind one interface, on kernels in Go assembly or on
// OpenBLAS. It is the bottom of a library for linear algebra and broad learning systems:
//
//	blskernel            the Backend interface and its choice (this package)
//	blskernel/mat        packed symmetric matrices, products on a chosen backend
//	blskernel/lapack     Cholesky, LDLT, LU, QR: factorizations, inverses, solves, condition numbers
//	blskernel/blsupdate  incremental least squares: rows and columns added and removed
//	blskernel/bls        the broad learning system: feature maps, Classifier, Regressor
//	blskernel/dataset    image files; blskernel/dataset/stream reads tables and arrays of any size
//	blskernel/bench      experiments; blskernel/bench/speed compares backends
//	blskernel/cmd/...    the command blskernel
//
// # Plugging it into gonum
//
// A Backend implements gonum's blas.Float64. What gonum computes through blas64 runs on it after
//
//	blas64.Use(blskernel.Default())
//
// # Choosing a backend
//
// The backend "pure" is always there. The backend "openblas" is compiled in if cgo is on, on
// linux/amd64 and linux/arm64. A program opens the library on first use and is not linked with it, so
// it also runs without OpenBLAS. Default returns pure, whose results are the same on every machine
// (docs/reproducibility.md), or openblas in a program that was built with an explicit -tags cgo, if the
// library opens. Environment variables change that:
//
//	BLSKERNEL_BACKEND   pure, openblas or pure/KERNEL
//	BLSKERNEL_KERNEL    the kernel of pure: avx512, avx2, neon or generic; by default the best
//	BLSKERNEL_OPENBLAS  the library file to open instead of libopenblas.so.0; none: as if the
//	                    machine had no OpenBLAS
//
// A name may have any case. An unavailable choice is an error, never a silent fallback.
//
// Every type that computes has a field Backend, and every function takes one as its first argument; nil
// stands for Default(). So one process can compare two backends.
package blskernel
