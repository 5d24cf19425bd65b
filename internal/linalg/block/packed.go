package block

import (
	"math"
	"math/bits"
)

// Packed storage keeps the upper triangle of an n×n matrix, row by row.
//
//	n = 3:   a00 a01 a02        ap = a00 a01 a02 a11 a12 a22
//	             a11 a12
//	                 a22
//
// It is the layout of gonum's blas64.SymmetricPacked and blas64.TriangularPacked with Uplo Upper and,
// read by columns, LAPACK's packed storage with UPLO = 'L'. Row i is contiguous and has n-i elements.
// The trailing m×m block of a packed matrix is itself packed: the last PackedLen(m) elements.

// PackedLen returns n(n+1)/2, the number of stored elements of an n×n matrix. If that number overflows
// int, from n = 65,536 on with 32 bits, it returns the largest int; no slice is that long.
func PackedLen(n int) int {
	high, low := bits.Mul(uint(n), uint(n)+1)
	if high != 0 || low/2 > math.MaxInt {
		return math.MaxInt
	}
	return int(low / 2)
}

// PackedRow returns r such that element (i, j), i <= j, is ap[r+j] and row i is ap[r+i : r+n].
func PackedRow(n, i int) int { return i * (2*n - i - 1) / 2 }

// PackedIndex returns the index of element (i, j), in either triangle, in packed storage.
func PackedIndex(n, i, j int) int {
	if i > j {
		i, j = j, i
	}
	return PackedRow(n, i) + j
}
