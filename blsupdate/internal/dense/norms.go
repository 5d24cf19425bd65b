package dense

import (
	"math"

	"blskernel/mat"

	"gonum.org/v1/gonum/floats"
)

const (
	// Eps is the distance from 1 to the next float64.
	Eps = 0x1p-52
	// SmallestNormal is the smallest number with all its digits.
	SmallestNormal = 0x1p-1022
	// SmallestSquare is the smallest sum of squares whose relative error is below Eps.
	SmallestSquare = SmallestNormal / (Eps * Eps)
)

// RankTolerance returns the ratio of a singular value of an m×n matrix to the largest one below which it counts as
// zero, as in MATLAB's rank and NumPy's matrix_rank.
func RankTolerance(m, n int) float64 { return float64(max(m, n)) * Eps }

// Largest returns the largest element of x, and 0 where none is above 0.
func Largest(x []float64) float64 {
	var m float64
	for _, v := range x {
		m = max(m, v)
	}
	return m
}

// LargestOf returns the largest magnitude in x.
func LargestOf(x []float64) float64 {
	var m float64
	for _, v := range x {
		m = max(m, math.Abs(v))
	}
	return m
}

// Powers returns the power of two next to each length, between 2⁻¹⁰⁰⁰ and 2¹⁰⁰⁰. Division by it does not round.
func Powers(lengths []float64) []float64 {
	p := make([]float64, len(lengths))
	for j, v := range lengths {
		_, exp := math.Frexp(v)
		p[j] = math.Ldexp(1, max(-1000, min(1000, exp)))
	}
	return p
}

// Norm returns the Euclidean norm of x without overflow or underflow of squares.
func Norm(x []float64) float64 {
	if sum := floats.Dot(x, x); sum > SmallestSquare && sum < math.MaxFloat64 {
		return math.Sqrt(sum)
	}
	return floats.Norm(x, 2)
}

// ColumnNorms returns the Euclidean norms of the columns of m.
func ColumnNorms(m *mat.Dense) []float64 {
	raw := m.RawMatrix()
	norms := make([]float64, raw.Cols)
	i := 0
	for ; i+4 <= raw.Rows; i += 4 { // four rows: fewer loads and stores of the sums
		r0 := raw.Data[i*raw.Stride:][:len(norms)]
		r1 := raw.Data[(i+1)*raw.Stride:][:len(norms)]
		r2 := raw.Data[(i+2)*raw.Stride:][:len(norms)]
		r3 := raw.Data[(i+3)*raw.Stride:][:len(norms)]
		for j := range norms {
			norms[j] += (r0[j]*r0[j] + r1[j]*r1[j]) + (r2[j]*r2[j] + r3[j]*r3[j])
		}
	}
	for ; i < raw.Rows; i++ {
		for j, v := range raw.Data[i*raw.Stride:][:len(norms)] {
			norms[j] += v * v
		}
	}
	for j, sum := range norms {
		norms[j] = math.Sqrt(sum)
		if !(sum > SmallestSquare && sum < math.MaxFloat64) {
			norms[j] = columnNorm(m, j)
		}
	}
	return norms
}

// columnNorm returns the norm of column j without overflow or underflow of squares.
func columnNorm(m *mat.Dense, j int) float64 {
	var sum float64
	for i := range Rows(m) {
		sum = math.Hypot(sum, m.At(i, j))
	}
	return sum
}
