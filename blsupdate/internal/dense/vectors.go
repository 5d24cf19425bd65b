package dense

import (
	"math"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/mat"
)

const (
	// Eps is the distance from 1 to the next larger float64.
	Eps = 0x1p-52
	// SmallestNormal is the smallest positive number with full precision.
	SmallestNormal = 0x1p-1022
	// SmallestSquare is the sum of squares above which underflow causes a relative error below Eps.
	SmallestSquare = SmallestNormal / (Eps * Eps)
)

// RankTolerance returns the fraction of the largest singular value of an m×n matrix up to which a
// singular value counts as zero, as in MATLAB's rank and NumPy's matrix_rank.
func RankTolerance(m, n int) float64 { return float64(max(m, n)) * Eps }

// LargestOf returns the largest magnitude in x, or NaN if x contains a NaN.
func LargestOf(x []float64) (largest float64) {
	for _, v := range x { // math.Max takes ten times as long
		if v = math.Abs(v); v > largest || math.IsNaN(v) {
			largest = v
		}
	}
	return largest
}

// Powers returns for each length the smallest power of two above it, clamped to [2⁻¹⁰⁰⁰, 2¹⁰⁰⁰], and
// the reciprocal. The power for 0 is 1. Without overflow or underflow, products with either are exact.
func Powers(lengths []float64) (powers, reciprocals []float64) {
	for _, v := range lengths {
		_, exp := math.Frexp(v)
		exp = max(-1000, min(1000, exp))
		powers = append(powers, math.Ldexp(1, exp))
		reciprocals = append(reciprocals, math.Ldexp(1, -exp))
	}
	return powers, reciprocals
}

// Scale multiplies x by f.
func Scale(f float64, x []float64) {
	for i := range x {
		x[i] *= f
	}
}

// Add computes x += f y, rounding both the product and the sum.
func Add(x []float64, f float64, y []float64) {
	y = y[:len(x)]
	for i := range x {
		x[i] += float64(f * y[i])
	}
}

// Multiply multiplies x by y, element by element.
func Multiply(x, y []float64) {
	y = y[:len(x)]
	for i := range x {
		x[i] *= y[i]
	}
}

// Dot returns the inner product of x and y, computed in four partial sums.
func Dot(x, y []float64) float64 {
	var s0, s1, s2, s3 float64
	y = y[:len(x)]
	for ; len(x) >= 4 && len(y) >= 4; x, y = x[4:], y[4:] {
		s0 += float64(x[0] * y[0])
		s1 += float64(x[1] * y[1])
		s2 += float64(x[2] * y[2])
		s3 += float64(x[3] * y[3])
	}
	for i, v := range x {
		s0 += float64(v * y[i])
	}
	return (s0 + s1) + (s2 + s3)
}

// Norm returns the Euclidean norm of x without overflow or underflow of squares.
func Norm(x []float64) float64 {
	if sum := Dot(x, x); sum > SmallestSquare && sum < math.MaxFloat64 {
		return math.Sqrt(sum)
	}
	return scaledNorm(len(x), func(i int) float64 { return x[i] })
}

// scaledNorm returns the norm of n elements, whose squares may overflow or underflow.
func scaledNorm(n int, element func(i int) float64) float64 {
	largest := 0.0
	for i := range n {
		if v := math.Abs(element(i)); v > largest || math.IsNaN(v) {
			largest = v
		}
	}
	if !(largest > 0 && largest <= math.MaxFloat64) {
		return largest
	}
	up, down := Powers([]float64{largest})
	sum := 0.0
	for i := range n {
		v := element(i) * down[0]
		sum += float64(v * v)
	}
	return up[0] * math.Sqrt(sum)
}

// Frobenius returns the Frobenius norm of m.
func Frobenius(m *mat.Dense) float64 { return Norm(ColumnNorms(m)) }

// TriangleNorm returns the 1-norm of the upper triangular r.
func TriangleNorm(r *mat.Dense) float64 {
	raw := r.RawMatrix()
	return factor.Lantr(raw.Cols, block.Dense(raw.Data, raw.Stride))
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
			norms[j] += (float64(r0[j]*r0[j]) + float64(r1[j]*r1[j])) + (float64(r2[j]*r2[j]) + float64(r3[j]*r3[j]))
		}
	}
	for ; i < raw.Rows; i++ {
		for j, v := range raw.Data[i*raw.Stride:][:len(norms)] {
			norms[j] += float64(v * v)
		}
	}
	for j, sum := range norms {
		norms[j] = math.Sqrt(sum)
		if !(sum > SmallestSquare && sum < math.MaxFloat64) {
			norms[j] = scaledNorm(raw.Rows, func(i int) float64 { return raw.Data[i*raw.Stride+j] })
		}
	}
	return norms
}
