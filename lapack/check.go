package lapack

import (
	"errors"
	"fmt"
	"math"

	"blskernel"
	"blskernel/internal/backend"
	"blskernel/internal/block"
	"blskernel/internal/lapack"
	"blskernel/internal/memory"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	gonummat "gonum.org/v1/gonum/mat"
)

// The kinds of failure that data can cause, for errors.Is. The errors themselves are a *PivotError or
// an *ElementError, which also say where.
var (
	// ErrSingular reports an exactly zero pivot.
	ErrSingular = errors.New("matrix is singular")

	// ErrNotPositiveDefinite reports a pivot of a Cholesky factorization that is not positive.
	ErrNotPositiveDefinite = errors.New("matrix is not positive definite")

	// ErrNotFinite reports a NaN or an infinity in the input, or an overflow in the elimination.
	ErrNotFinite = errors.New("NaN or infinity")

	// ErrOverflow reports a solution, an inverse or a product with an element beyond float64.
	ErrOverflow = errors.New("overflow")
)

// A PivotError names the pivot at which a factorization failed. It unwraps to ErrSingular,
// ErrNotPositiveDefinite or ErrNotFinite.
type PivotError struct {
	Routine string  // LAPACK's name of the routine, such as "Dpptrf"
	Index   int     // row and column of the pivot, counted from 0, in the order of elimination
	Pivot   float64 // its value
	Err     error   // the kind of failure
}

func (e *PivotError) Error() string {
	switch e.Err {
	case ErrNotPositiveDefinite:
		return fmt.Sprintf("lapack: %s: pivot %d is %.3g: %v; use LDLT, or add a ridge to the diagonal", e.Routine, e.Index, e.Pivot, e.Err)
	case ErrSingular:
		return fmt.Sprintf("lapack: %s: pivot %d is exactly zero: %v; remove dependent rows or columns, or add a ridge to the diagonal", e.Routine, e.Index, e.Err)
	}
	return fmt.Sprintf("lapack: %s: pivot %d is %v: the elimination overflows; scale the matrix", e.Routine, e.Index, e.Pivot)
}

// Unwrap returns the kind of failure.
func (e *PivotError) Unwrap() error { return e.Err }

// An ElementError names an element that is NaN or infinite. It unwraps to ErrNotFinite for an element
// of the input, and to ErrOverflow for an element of a result.
type ElementError struct {
	Routine  string  // LAPACK's name of the routine
	Row, Col int     // position of the first such element, row after row, counted from 0
	Value    float64 // NaN, +Inf or -Inf
	Err      error   // the kind of failure
}

func (e *ElementError) Error() string {
	if e.Err == ErrOverflow {
		return fmt.Sprintf("lapack: %s: element (%d, %d) of the result is %v: %v; scale the matrix, or, where RCond is small, add a ridge to the diagonal", e.Routine, e.Row, e.Col, e.Value, e.Err)
	}
	return fmt.Sprintf("lapack: %s: element (%d, %d) of the input is %v: %v; clean the data first", e.Routine, e.Row, e.Col, e.Value, e.Err)
}

// Unwrap returns the kind of failure.
func (e *ElementError) Unwrap() error { return e.Err }

// elementError returns the *ElementError for e, or nil where there is none.
func elementError(routine string, e *lapack.Element, kind error) error {
	if e == nil {
		return nil
	}
	return &ElementError{Routine: routine, Row: e.Row, Col: e.Col, Value: e.Value, Err: kind}
}

// pivotError returns the *PivotError for p, or nil where there is none.
func pivotError(routine string, p *lapack.Pivot) error {
	if p == nil {
		return nil
	}
	err := &PivotError{Routine: routine, Index: p.Index, Pivot: p.Value, Err: ErrNotFinite}
	if p.Singular() {
		err.Err = ErrSingular
	}
	return err
}

const (
	notFactorized   = "lapack: the receiver holds no factorization"
	solveAliased    = "lapack: the solution overlaps the right-hand sides in part"
	refineAliased   = "lapack: the solution shares storage with the matrix or the right-hand side"
	triangleAliased = "lapack: the solution overlaps the triangle"
	pivotsLength    = "lapack: the permutation has not the order of the matrix as its length"
)

// require panics with text unless ok.
func require(ok bool, text string) {
	if !ok {
		panic(text)
	}
}

// mustHold panics if a receiver is empty.
func mustHold(factorized bool) { require(factorized, notFactorized) }

// checkShape panics with gonum's mat.ErrShape unless ok.
func checkShape(ok bool) {
	if !ok {
		panic(gonummat.ErrShape)
	}
}

// checkSquare panics with gonum's mat.ErrSquare unless the numbers of rows and columns are the same.
func checkSquare(rows, cols int) {
	if rows != cols {
		panic(gonummat.ErrSquare)
	}
}

// checkLength panics with gonum's mat.ErrSliceLengthMismatch unless x has length n.
func checkLength(x []float64, n int) {
	if len(x) != n {
		panic(gonummat.ErrSliceLengthMismatch)
	}
}

// checkOverlap panics if dst and b overlap and are not the same matrix.
func checkOverlap(dst, b *mat.Dense) {
	x, y := dst.RawMatrix(), b.RawMatrix()
	require(block.Same(x, y) || !block.Overlap(x, y), solveAliased)
}

// checkFinite returns an *ElementError of the given kind for the first element of g, or of its triangle
// ul, that is NaN or infinite; ul is blas.All for all of g.
func checkFinite(bk blskernel.Backend, routine string, ul blas.Uplo, g blas64.General, kind error) error {
	return elementError(routine, lapack.NotFinite(lapack.On(bk), ul, g.Rows, g.Cols, blockOf(g)), kind)
}

// checkFinitePacked is checkFinite for the n×n packed matrix ap.
func checkFinitePacked(bk blskernel.Backend, routine string, n int, ap []float64, kind error) error {
	return elementError(routine, lapack.NotFinite(lapack.On(bk), blas.Upper, n, n, block.Packed(n, ap, 0, 0)), kind)
}

// checkTriangle returns an error if the upper triangle of the n×n u holds a number that is not finite,
// or a zero on its diagonal.
func checkTriangle(routine string, n int, u block.Matrix) error {
	element, pivot := lapack.CheckTriangle(n, u)
	if element != nil {
		return elementError(routine, element, ErrNotFinite)
	}
	return pivotError(routine, pivot)
}

// isFinite reports whether v is neither NaN nor infinite.
func isFinite(v float64) bool { return v-v == 0 }

// blockOf returns g as a block.
func blockOf(g blas64.General) block.Matrix { return block.Dense(g.Data, g.Stride) }

// rawOrNone returns the matrix of d, without rows and columns where d is nil.
func rawOrNone(d *mat.Dense) blas64.General {
	if d == nil {
		return blas64.General{}
	}
	return d.RawMatrix()
}

// denseCopy returns a copy of a without gaps between its rows.
func denseCopy(a blas64.General) blas64.General {
	g := blas64.General{Rows: a.Rows, Cols: a.Cols, Stride: max(1, a.Cols), Data: memory.Zeros(a.Rows * a.Cols)}
	block.Copy(blockOf(g), blockOf(a), a.Rows, a.Cols)
	return g
}

// denseOn returns the matrix on the storage of g.
func denseOn(g blas64.General) *mat.Dense {
	var d mat.Dense
	if g.Rows > 0 && g.Cols > 0 {
		d.SetRawMatrix(g)
	}
	return &d
}

// A solver overwrites the n×c x by A⁻¹x (side is blas.Left) or the c×n x by x A⁻¹ (side is blas.Right).
type solver func(bk lapack.Backend, side blas.Side, c int, x block.Matrix)

// rowPanel is the number of rows of right-hand sides that are solved together. It bounds what has to
// stay in the cache between two triangular solves, and is enough for the traffic of the triangle not to
// count.
const rowPanel = 1024

// solveTo is the body of every SolveTo (side is blas.Left) and SolveRowsTo: it announces the routine,
// checks b and the result, and lets solve overwrite the copy of b in dst.
func solveTo(b0 blskernel.Backend, routine string, side blas.Side, n int, dst, b *mat.Dense, solve solver) error {
	rows, cols := b.Dims()
	order, nrhs := rows, cols
	if side == blas.Right {
		order, nrhs = cols, rows
	}
	checkShape(order == n)
	block.Reuse(dst, rows, cols, solveAliased, b.RawMatrix())
	checkOverlap(dst, b)
	bk := backend.Begin(b0, backend.Routine{Name: routine, M: n, N: n, NRHS: nrhs})
	if n == 0 || nrhs == 0 {
		return nil
	}
	if err := checkFinite(bk, routine, blas.All, b.RawMatrix(), ErrNotFinite); err != nil {
		return err
	}
	if dst != b {
		dst.Copy(b)
	}
	raw := dst.RawMatrix()
	inPanels(side, nrhs, blockOf(raw), func(nrhs int, x block.Matrix) { solve(lapack.On(bk), side, nrhs, x) })
	return checkFinite(bk, routine, blas.All, raw, ErrOverflow)
}

// inPanels calls solve with all nrhs columns of x (side is blas.Left), or with rowPanel of its rows at
// a time.
func inPanels(side blas.Side, nrhs int, x block.Matrix, solve func(nrhs int, x block.Matrix)) {
	panel := nrhs
	if side == blas.Right {
		panel = rowPanel
	}
	for i := 0; i < nrhs; i += panel {
		solve(min(panel, nrhs-i), x.Sub(i, 0))
	}
}

// tiny is the norm below which a matrix is inverted as a multiple of norm 1, so that what overflows
// does so at the end. An infinity on the way would make NaN of elements that are finite or infinite.
const tiny = 0x1p-1000

// upscale returns the power of four s for which a matrix of norm anorm times s² has a norm of about 1,
// or 1 if the norm is not below tiny; s² may overflow.
func upscale(anorm float64) float64 {
	if !(anorm < tiny) {
		return 1
	}
	_, exponent := math.Frexp(anorm)
	return math.Ldexp(1, -exponent/4*2)
}

// rcond returns the estimated reciprocal condition number of a matrix of order n and 1-norm anorm. A
// symmetric one needs no solves with rows.
func rcond(b0 blskernel.Backend, routine string, n int, anorm float64, symmetric bool, solve solver) float64 {
	bk := lapack.On(backend.Begin(b0, backend.Routine{Name: routine, M: n, N: n}))
	return lapack.Con(n, anorm, func(x []float64, trans bool) {
		if trans && !symmetric {
			solve(bk, blas.Right, 1, block.Dense(x, n)) // x as a row: x A⁻¹
			return
		}
		solve(bk, blas.Left, 1, block.Dense(x, 1))
	})
}

// rcondTriangle is RCondTriangle for the upper triangle of the n×n u.
func rcondTriangle(bk blskernel.Backend, n int, u block.Matrix) float64 {
	const routine = "Dtrcon"
	on := lapack.On(backend.Begin(bk, backend.Routine{Name: routine, M: n, N: n}))
	if checkTriangle(routine, n, u) != nil {
		return 0
	}
	return lapack.Con(n, lapack.Lantr(n, u), func(x []float64, trans bool) {
		lapack.Trsm(on, blas.Left, blas.Upper, block.Trans(trans), blas.NonUnit, n, 1, 1, u, block.Dense(x, 1))
	})
}
