// Package blskernel provides a float64 BLAS for Go behind one interface, with kernels in Go assembly or
// with OpenBLAS. It is the lowest layer of a library for linear algebra and broad learning systems:
//
//	blskernel            the Backend interface and the choice of a backend (this package)
//	blskernel/mat        packed symmetric matrices, and products on a chosen backend
//	blskernel/lapack     Cholesky, LDLT, LU, QR: factorizations, inverses, solves, condition numbers
//	blskernel/blsupdate  incremental least squares: rows and columns added and removed
//	blskernel/bls        the broad learning system: feature maps, Classifier, Regressor
//	blskernel/dataset    image files; blskernel/dataset/stream reads tables and arrays of any size
//	blskernel/bench      experiments; blskernel/bench/speed compares backends
//	blskernel/cmd/...    the command blskernel
//
// # Plugging it into gonum
//
// A Backend implements gonum's blas.Float64. To run gonum's computations on it, call
//
//	blas64.Use(blskernel.Default())
//
// # Choosing a backend
//
// The backend "pure" is always available. The backend "openblas" is compiled in on linux/amd64 and
// linux/arm64 if cgo is enabled. A program opens the library on first use and is not linked against it,
// so it also runs without OpenBLAS. Default returns pure, whose results are the same on every machine
// (docs/reproducibility.md). In a program built with an explicit -tags cgo it returns openblas, if the
// library opens. Environment variables override this:
//
//	BLSKERNEL_BACKEND   pure, openblas or pure/KERNEL
//	BLSKERNEL_KERNEL    the kernel of pure: avx512, avx2, neon or generic; by default the best
//	BLSKERNEL_OPENBLAS  the library file to open instead of libopenblas.so.0, or "none" to run
//	                    as if the machine had no OpenBLAS
//
// The case of names does not matter. An unavailable choice is an error, never a silent fallback.
//
// Every type that computes has a field Backend, directly or in its options. Functions of mat and lapack
// take a Backend as their first argument, and functions that read a model take one as their last. A nil
// Backend stands for Default(). One process can thus compare two backends.
package blskernel
