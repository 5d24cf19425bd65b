package lapack

import (
	"cmp"
	"math"
	"sync"

	"blskernel"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/factor/condition"

	"gonum.org/v1/gonum/blas"
	gonummat "gonum.org/v1/gonum/mat"
)

// A factored holds the fields that all factorizations have in addition to their factors.
type factored struct {
	backend blskernel.Backend // the field Backend at the last Factorize
	rcond   *lazy[float64]    // for RCond; nil if the receiver is empty
}

func (f *factored) mustHold() { require(f.rcond != nil, notFactorized) }

// A lazy is a value that the first call of get computes and keeps. Calls may be concurrent. If compute
// panics, the next call tries again, unlike with sync.OnceValue.
type lazy[T any] struct {
	mu    sync.Mutex
	value T
	done  bool
}

func (l *lazy[T]) get(compute func() T) T {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.done {
		l.value, l.done = compute(), true
	}
	return l.value
}

// checkCondition returns a *ConditionError if the condition number 1/rcond() is above limit, the
// MaxCondition of a factorization (0 stands for 1e16). It does not call rcond if limit is +Inf.
func checkCondition(routine string, limit float64, rcond func() float64) error {
	if limit = cmp.Or(limit, gonummat.ConditionTolerance); math.IsInf(limit, 1) {
		return nil
	}
	if r := rcond(); !(1/r <= limit) {
		return &ConditionError{Routine: routine, RCond: r}
	}
	return nil
}

// checkInverseCondition is checkCondition for the inverse X of a matrix of order n and 1-norm anorm.
// size returns max |x_ij| and norm returns ‖X‖₁. norm takes longer, so it is called only if the bound
// ‖X‖₁ <= n·size() does not decide.
func checkInverseCondition(routine string, limit, anorm float64, n int, size, norm func() float64) error {
	limit = cmp.Or(limit, gonummat.ConditionTolerance)
	if math.IsInf(limit, 1) || anorm*float64(n)*size() <= limit {
		return nil
	}
	return checkCondition(routine, limit, func() float64 { return 1 / (anorm * norm()) })
}

// rcond returns the estimated reciprocal condition number of a matrix A of order n and 1-norm anorm. It
// calls solve for A⁻¹x and, unless symmetric is set, for A⁻ᵀx.
func rcond(b0 blskernel.Backend, routine string, n int, anorm float64, symmetric bool, solve solver) float64 {
	bk := announce(b0, routine, n, n, 0)
	bk.ByVector = true
	return condition.Con(n, anorm, func(x []float64, trans bool) {
		if trans && !symmetric {
			solve(bk, blas.Right, 1, block.Dense(x, n)) // x as a row: x A⁻¹
			return
		}
		solve(bk, blas.Left, 1, block.Dense(x, 1))
	})
}

func rcondTriangle(bk blskernel.Backend, n int, u block.Matrix) float64 {
	const routine = "Dtrcon"
	on := announce(bk, routine, n, n, 0)
	if checkTriangle(routine, n, u) != nil {
		return 0
	}
	return condition.Con(n, factor.Lantr(n, u), func(x []float64, trans bool) {
		factor.Trsm(on, blas.Left, blas.Upper, block.Trans(trans), blas.NonUnit, n, 1, 1, u, block.Dense(x, 1))
	})
}

// tiny is the norm below which a matrix is scaled to norm about 1 before its inversion, so that
// elements overflow only at the end. An earlier infinity would turn other elements into NaN.
const tiny = 0x1p-1000

// upscale returns a power of four s with s²·anorm about 1, or 1 if anorm >= tiny; s² may overflow.
func upscale(anorm float64) float64 {
	if !(anorm < tiny) {
		return 1
	}
	_, exponent := math.Frexp(anorm)
	return math.Ldexp(1, -exponent/4*2)
}
