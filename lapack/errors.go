package lapack

import (
	"errors"
	"fmt"

	"blskernel/internal/factor"
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
func elementError(routine string, e *factor.Element, kind error) error {
	if e == nil {
		return nil
	}
	return &ElementError{Routine: routine, Row: e.Row, Col: e.Col, Value: e.Value, Err: kind}
}

// pivotError returns the *PivotError for p, or nil where there is none.
func pivotError(routine string, p *factor.Pivot) error {
	if p == nil {
		return nil
	}
	err := &PivotError{Routine: routine, Index: p.Index, Pivot: p.Value, Err: ErrNotFinite}
	if p.Singular() {
		err.Err = ErrSingular
	}
	return err
}
