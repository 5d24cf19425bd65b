// Package openblas is the BLAS of the backend "openblas": gonum's netlib on an OpenBLAS library that is
// opened at run time, with the library's column-major LAPACK. It is the only package that imports
// gonum.org/v1/netlib.
package openblas

import "gonum.org/v1/gonum/blas"

// EnvLibrary is the name of the environment variable for the library to open. Its value is a path or a
// name that the dynamic linker finds, and replaces the built-in list of names.
const EnvLibrary = "BLSKERNEL_OPENBLAS"

// A Backend is a blskernel.Backend and, if its library has LAPACK, a backend.ColumnMajorLAPACK.
type Backend interface {
	Name() string
	blas.Float64
}

// An Error says why no library can be used and what to do about it.
type Error struct{ Why, Remedy string }

func (e *Error) Error() string { return e.Why + "; " + e.Remedy }

// The files that need cgo set these. A build without cgo, or for another platform, leaves them nil.
var (
	open       func(name string) (Backend, error)
	setThreads func(n int)
)

// Built reports whether this build can open a library.
func Built() bool { return open != nil }

// Open opens the named library. If name is empty, it opens the first usable library of the built-in
// list. The error is an *Error. Open may be called only once, and only if Built returns true.
func Open(name string) (Backend, error) { return open(name) }

// SetThreads limits the open library to n threads. A lower limit that OpenBLAS set when it was opened,
// by its environment or the number of CPUs, stays in force.
func SetThreads(n int) { setThreads(n) }
