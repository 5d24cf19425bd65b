// Package blskernel is the bottom of a linear algebra library for Go: a float64 BLAS behind one
// interface, on kernels in Go assembly or through OpenBLAS, and the packages above it that need one.
//
//	blskernel            the Backend interface and its choice (this package)
//	blskernel/mat        packed symmetric matrices, products on a chosen backend
//	blskernel/lapack     packed LDLT and Cholesky, LU, QR: inverses, solves, condition numbers
//	blskernel/blsupdate  the incremental pseudoinverse of the broad learning system
//	blskernel/bls        the broad learning system: feature maps, classifier, regressor
//	blskernel/dataset    image files and a synthetic set
//	blskernel/bench      experiments; blskernel/bench/speed compares backends
//
// # Plugging it into gonum
//
// A Backend is an implementation of gonum's blas.Float64, so one line makes all of gonum use it:
//
//	blas64.Use(blskernel.Default())
//
// # Choosing a backend
//
// The backend "pure" is always there. The backend "openblas" is compiled in where cgo is on, on
// linux/amd64 and linux/arm64; the library itself is opened when it is first asked for, not linked, so a
// program built with it runs on machines that have no OpenBLAS. Default takes openblas where it
// can be had and pure otherwise; environment variables change that:
//
//	BLSKERNEL_BACKEND   pure, openblas or pure/KERNEL; what cannot be had is an error, not a fallback
//	BLSKERNEL_KERNEL    the kernel of pure: avx512, avx2 or generic; without it the best that the CPU has
//	BLSKERNEL_OPENBLAS  the library file to open instead of libopenblas.so.0
//
// Every type above that computes has a field Backend, whose zero value stands for Default(), so two
// backends can be compared in one process.
package blskernel
