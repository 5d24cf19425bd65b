package blas12

// blockRows is the number of rows of a triangle in one block: those that GemvT processes at once, and
// twice those of the other kernels. Plain loops do the triangle on the diagonal, kernels the rectangle
// beside it.
const blockRows = 8

// shortRow is the length of a row below which a loop in Go is faster than a kernel.
const shortRow = 8

// axpyShort adds alpha*x[j] to y[j] for all elements of x.
func axpyShort(alpha float64, x, y []float64) {
	y = y[:len(x)]
	for j, v := range x {
		y[j] += alpha * v
	}
}

// dotAxpyShort returns the sum of row[j]*x[j], and adds t*row[j] to y[j], for all elements of row.
func dotAxpyShort(t float64, row, x, y []float64) (sum float64) {
	x, y = x[:len(row)], y[:len(row)]
	for j, v := range row {
		sum += v * x[j]
		y[j] += t * v
	}
	return sum
}
