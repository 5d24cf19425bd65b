package lapack

import (
	"errors"
	"fmt"
	"math"

	"blskernel/internal/linalg/detmath"
	"blskernel/internal/linalg/factor"

	gonummat "gonum.org/v1/gonum/mat"
)

// These are the kinds of failure that data can cause, for errors.Is. The returned error is a
// *PivotError or an *ElementError, which also gives the position. A *ConditionError or a *GrowthError
// is not a failure: it comes with a result.
var (
	// ErrSingular reports an exactly zero pivot.
	ErrSingular = errors.New("matrix is singular")

	// ErrNotPositiveDefinite reports a pivot of a Cholesky factorization that is not positive.
	ErrNotPositiveDefinite = errors.New("matrix is not positive definite")

	// ErrNotFinite reports a NaN or an infinity in the input, or an overflow in the elimination.
	ErrNotFinite = errors.New("NaN or infinity")

	// ErrOverflow reports a solution, inverse or product with an element beyond float64's range.
	ErrOverflow = errors.New("overflow")
)

// A PivotError names the pivot at which a factorization failed, or a zero on the diagonal of a triangle
// to solve with or invert. It unwraps to ErrSingular, ErrNotPositiveDefinite or ErrNotFinite.
type PivotError struct {
	Routine string  // LAPACK's name of the routine, such as "Dpptrf"
	Index   int     // row and column of the pivot, counted from 0, in the order of elimination
	Pivot   float64 // the value of the pivot
	Err     error   // the kind of failure
}

func (e *PivotError) Error() string {
	switch e.Err {
	case ErrNotPositiveDefinite:
		return fmt.Sprintf("lapack: %s: pivot %d is %.3g: %v; use LDLT, or add a ridge to the diagonal", e.Routine, e.Index, e.Pivot, e.Err)
	case ErrSingular:
		return fmt.Sprintf("lapack: %s: pivot %d is exactly zero: %v; remove dependent rows or columns, or add a ridge to the diagonal", e.Routine, e.Index, e.Err)
	}
	return fmt.Sprintf("lapack: %s: pivot %d is %v: the elimination overflowed; scale the matrix", e.Routine, e.Index, e.Pivot)
}

func (e *PivotError) Unwrap() error { return e.Err }

// As sets target to +Inf if target is gonum's *mat.Condition and the pivot is exactly zero.
func (e *PivotError) As(target any) bool {
	return e.Pivot == 0 && asCondition(target, math.Inf(1))
}

// An ElementError names an element that is NaN or infinite. It unwraps to ErrNotFinite for an element
// of the input, and to ErrOverflow for an element of a result.
type ElementError struct {
	Routine  string  // LAPACK's name of the routine
	Row, Col int     // position of the first such element in row-major order, counted from 0
	Value    float64 // NaN, +Inf or -Inf
	Err      error   // the kind of failure
}

func (e *ElementError) Error() string {
	if e.Err == ErrOverflow {
		return fmt.Sprintf("lapack: %s: element (%d, %d) of the result is %v: %v; scale the input, or add a ridge to the diagonal if RCond is small", e.Routine, e.Row, e.Col, e.Value, e.Err)
	}
	return fmt.Sprintf("lapack: %s: element (%d, %d) of the input is %v; remove or replace such values first", e.Routine, e.Row, e.Col, e.Value)
}

func (e *ElementError) Unwrap() error { return e.Err }

// A ConditionError reports a condition number above MaxCondition or, for QR, dependent columns. It
// comes with the solution or the inverse, which may have no correct digits. The factorization stays
// usable. errors.As extracts gonum's mat.Condition, the condition number 1/RCond in the 1-norm.
//
// (blsupdate.ConditionError is a different type, for an Updater that refuses to start or to change.)
type ConditionError struct {
	Routine string  // LAPACK's name of the routine
	RCond   float64 // reciprocal condition number, of R for QR; estimated except for inverses
}

func (e *ConditionError) Error() string {
	return fmt.Sprintf("lapack: %s: condition number %.3g: the matrix is close to singular, and the result may have few or no correct digits; remove dependent rows or columns, add a ridge to the diagonal, or use LeastSquares", e.Routine, 1/e.RCond)
}

// As sets target to the condition number if target is gonum's *mat.Condition.
func (e *ConditionError) As(target any) bool { return asCondition(target, 1/e.RCond) }

func asCondition(target any, number float64) bool {
	c, ok := target.(*gonummat.Condition)
	if ok {
		*c = gonummat.Condition(number)
	}
	return ok
}

// A GrowthError reports an LU factorization whose elements grew by a factor of more than 10⁵ during the
// elimination; it comes with a result. If A was not kept, solutions lose about log10(Growth) of 16
// digits. If A was kept, refinement did not converge, and solutions lose about log10(Backward/u)
// digits. The factorization is usable.
type GrowthError struct {
	Routine  string  // LAPACK's name of the routine
	Growth   float64 // the growth factor: see LU.Growth
	Backward float64 // the largest backward error after refinement; 0 if A was not kept
}

func (e *GrowthError) Error() string {
	lost, result, remedy := e.Growth, "", "use Factorize, which keeps the matrix and refines solutions, or QR"
	if e.Backward > 0 {
		lost, result, remedy = e.Backward/factor.Roundoff, " and refinement did not converge", "use QR"
	}
	return fmt.Sprintf("lapack: %s: elements grew by a factor of %.3g during the elimination%s, so the result loses about %.0f digits; %s", e.Routine, e.Growth, result, min(16, detmath.Log10(lost)), remedy)
}

func withResult(err error) bool {
	if err == nil { // and allocate nothing
		return true
	}
	var condition *ConditionError
	var growth *GrowthError
	return errors.As(err, &condition) || errors.As(err, &growth)
}

func elementError(routine string, e *factor.Element, kind error) error {
	if e == nil {
		return nil
	}
	return &ElementError{Routine: routine, Row: e.Row, Col: e.Col, Value: e.Value, Err: kind}
}

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
