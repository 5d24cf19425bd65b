package lapack

import (
	"cmp"

	"blskernel"
	"blskernel/internal/io/memory"
	"blskernel/internal/linalg/backend"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	gonummat "gonum.org/v1/gonum/mat"
)

const (
	notFactorized   = "lapack: the receiver holds no factorization; call Factorize first"
	solveAliased    = "lapack: the solution overlaps the right-hand sides; use separate storage, or the same matrix if the shapes agree"
	refineAliased   = "lapack: the solution shares storage with the matrix or the right-hand sides; use separate storage"
	triangleAliased = "lapack: the solution overlaps the triangle; use separate storage"
	pivotsLength    = "lapack: the length of dst does not match the matrix; pass nil for a new slice"
)

// require panics with value, a message or an error of gonum's mat, unless ok is true.
func require(ok bool, value any) {
	if !ok {
		panic(value)
	}
}

func checkShape(ok bool) {
	if !ok {
		panic(gonummat.ErrShape) // require would convert the error, and allocate, in each call
	}
}

func checkSquare(rows, cols int) {
	if rows != cols {
		panic(gonummat.ErrSquare)
	}
}

// announce records that a routine starts, if b is a backend.Recorder, and returns the backend for the
// calls that the routine makes. A nil b stands for the default.
func announce(b blskernel.Backend, routine string, m, n, nrhs int) factor.Backend {
	return factor.On(backend.Begin(b, backend.Routine{Name: routine, M: m, N: n, NRHS: nrhs}))
}

// shapeSolution gives an empty dst the size r×c. It panics if fits is false (b has the wrong shape), if
// dst has the wrong size, or if dst overlaps b without being the same matrix.
func shapeSolution(dst, b *mat.Dense, fits bool, r, c int) {
	checkShape(fits)
	block.Reuse(dst, r, c, solveAliased, b.RawMatrix())
	x, y := dst.RawMatrix(), b.RawMatrix()
	require(block.Same(x, y) || !block.Overlap(x, y), solveAliased)
}

// checkFinite returns an *ElementError of the given kind for the first NaN or infinity in the triangle
// ul of g, or nil if there is none. If ul is blas.All, it checks all of g.
func checkFinite(bk factor.Backend, routine string, ul blas.Uplo, g blas64.General, kind error) error {
	return elementError(routine, factor.NotFinite(bk, ul, g.Rows, g.Cols, blockOf(g)), kind)
}

// checkFinitePacked is checkFinite for the n×n packed matrix ap.
func checkFinitePacked(bk factor.Backend, routine string, n int, ap []float64, kind error) error {
	return elementError(routine, factor.NotFinite(bk, blas.Upper, n, n, block.Packed(n, ap, 0, 0)), kind)
}

// checkTriangle returns an error if the upper triangle of the n×n matrix u holds NaN or an infinity, or
// has a zero on its diagonal.
func checkTriangle(routine string, n int, u block.Matrix) error {
	element, pivot := factor.CheckTriangle(n, u)
	return cmp.Or(elementError(routine, element, ErrNotFinite), pivotError(routine, pivot))
}

func blockOf(g blas64.General) block.Matrix { return block.Dense(g.Data, g.Stride) }

func rawOrNone(d *mat.Dense) blas64.General {
	if d == nil {
		return blas64.General{}
	}
	return d.RawMatrix()
}

func zeros(rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: max(1, cols), Data: memory.Zeros(rows * cols)}
}

func denseCopy(a blas64.General) blas64.General {
	g := zeros(a.Rows, a.Cols)
	block.Copy(blockOf(g), blockOf(a), a.Rows, a.Cols)
	return g
}

func transposed(a blas64.General) blas64.General {
	g := zeros(a.Cols, a.Rows)
	block.CopyTransposed(blockOf(g), blockOf(a), a.Rows, a.Cols)
	return g
}

func denseOn(g blas64.General) *mat.Dense {
	var d mat.Dense
	if g.Rows > 0 && g.Cols > 0 {
		d.SetRawMatrix(g)
	}
	return &d
}
