package blsupdate

import "math"

// conditioning is how ill-conditioned a pseudoinverse has been at worst. Its errors stay: they are
// those of the largest A⁺ so far, in the directions in which A was smallest, against the largest A.
type conditioning struct {
	a, plus float64 // the largest Frobenius norms so far, of A, or of [A; sqrt(lambda) I], and of the pseudoinverse
	power   int     // of the condition number with which the error grows: 2 since the form Large was used
}

// remember takes note of the present norm of A and of that of A⁺.
func (u *pseudoinverse) remember(plus float64) {
	u.worst.a = max(u.worst.a, u.size())
	u.worst.plus = max(u.worst.plus, plus)
}

// size returns the Frobenius norm of [A; sqrt(lambda) I].
func (u *pseudoinverse) size() float64 {
	return math.Hypot(u.norm, math.Sqrt(u.ridge)*math.Sqrt(float64(u.k))) // lambda k may overflow
}

// conditionNumber returns ‖A‖‖A⁺‖ in Frobenius norms. For a pseudoinverse of rank r it lies between
// the 2-norm condition number κ of A and r κ.
func (u *pseudoinverse) conditionNumber() float64 { return u.norm * u.p.norm() }

// condition is that of the worst state so far. A start whose error grows with the square of κ is only
// ever taken where it is below that of the updates.
func (u *pseudoinverse) condition() (rcond float64, power int) {
	return min(1, 1/(u.worst.a*u.worst.plus)), u.worst.power
}
