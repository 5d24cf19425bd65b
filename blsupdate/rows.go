package blsupdate

import "blskernel/mat"

// panelRows is the number of rows of (A⁺)ᵀ for which D is computed at a time where it is not kept.
// 1024 rows are enough for Dgemm to run at full speed.
const panelRows = 1024

// rows is a matrix of many rows in blocks, row-major and each without gaps, so that rows are appended
// without moving what is there.
type rows struct {
	cols   int
	count  int
	blocks [][]float64
}

// append adds the rows in data, which it takes over.
func (r *rows) append(data []float64) {
	r.blocks = append(r.blocks, data)
	r.count += len(data) / r.cols
}

// panels calls f for consecutive panels of the rows from, ..., to-1, each of at most most rows and
// within one block, with the index of its first row.
func (r *rows) panels(from, to, most int, f func(first, n int, data []float64)) {
	first := 0
	for _, block := range r.blocks {
		n := len(block) / r.cols
		for i := max(0, from-first); i < min(n, to-first); i += most {
			rows := min(most, n-i, to-first-i)
			f(first+i, rows, block[i*r.cols:(i+rows)*r.cols])
		}
		first += n
	}
}

// transposed returns a copy of the transpose, cols×count.
func (r *rows) transposed() *mat.Dense {
	dst := mat.NewDense(r.cols, r.count, nil)
	raw := dst.RawMatrix()
	r.panels(0, r.count, r.count, func(first, n int, data []float64) {
		for i := range n {
			for j, v := range data[i*r.cols : (i+1)*r.cols] {
				raw.Data[j*raw.Stride+first+i] = v
			}
		}
	})
	return dst
}

// sumSquares returns the square of the Frobenius norm.
func (r *rows) sumSquares() float64 {
	var sum float64
	for _, block := range r.blocks {
		sum += sumSquares(block)
	}
	return sum
}

func sumSquares(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v * v
	}
	return sum
}

// compact returns the elements of m, row-major and without gaps, in new storage.
func compact(m *mat.Dense) []float64 {
	r, c := m.Dims()
	raw := m.RawMatrix()
	dst := make([]float64, r*c)
	for i := range r {
		copy(dst[i*c:(i+1)*c], raw.Data[i*raw.Stride:i*raw.Stride+c])
	}
	return dst
}
