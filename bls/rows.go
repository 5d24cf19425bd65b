package bls

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"blskernel/internal/io/memory"
	"blskernel/internal/linalg/floats"
	"blskernel/internal/linalg/workers"
	"blskernel/mat"
)

// panelElements bounds the elements of most panels of rows. These 8 MiB hold enough rows for Dgemm at
// full speed, and are little memory compared with X and A.
const panelElements = 1 << 20

// enhancePanel is the number of rows whose enhancement nodes are computed between two checks of ctx.
const enhancePanel = 1 << 16

// panelRows returns the number of rows, 16 to 4096, of a panel with the given number of columns. The
// result depends on nothing else, so the order of sums over samples is always the same.
func panelRows(cols int) int { return max(16, min(4096, panelElements/cols)) }

// firstRow calls bad for the rows [0, n) in concurrent ranges; a row takes about cols nanoseconds. It
// returns the lowest row for which bad returns a column, and that column, or -1, -1 if there is none.
// Each range stops at its first bad row; the lowest of these rows does not depend on the ranges.
func firstRow(n, cols int, bad func(row int) (col int)) (row, col int) {
	if !workers.Worth(n, cols) {
		return firstIn(0, n, bad)
	}
	var mu sync.Mutex
	first, column := n, -1
	workers.Default.Rows(n, cols, func(from, to int) {
		if i, j := firstIn(from, to, bad); i >= 0 {
			mu.Lock()
			defer mu.Unlock()
			if i < first {
				first, column = i, j
			}
		}
	})
	if first == n {
		first = -1
	}
	return first, column
}

// firstIn is firstRow for the rows [from, to).
func firstIn(from, to int, bad func(row int) (col int)) (row, col int) {
	for i := from; i < to; i++ {
		if j := bad(i); j >= 0 {
			return i, j
		}
	}
	return -1, -1
}

func firstNotFinite(m *mat.Dense) int {
	rows, cols := m.Dims()
	row, _ := firstRow(rows, cols, func(i int) int { return floats.FirstNonFinite(m.RawRowView(i)) })
	return row
}

// checkFinite returns a *NotFiniteError, with the given name, for the first element that is not finite.
func checkFinite(name string, m *mat.Dense) error {
	rows, cols := m.Dims()
	i, j := firstRow(rows, cols, func(i int) int { return floats.FirstNonFinite(m.RawRowView(i)) })
	if i < 0 {
		return nil
	}
	return &NotFiniteError{Op: "bls", Matrix: name, Row: i, Col: j, Value: m.At(i, j)}
}

// checkSamples returns an error unless x has at least one row, cols columns (0 stands for any positive
// number), and only finite elements.
func checkSamples(x *mat.Dense, cols int) error {
	if x == nil || x.IsEmpty() {
		return &ShapeError{Op: "bls", Matrix: "X", Want: "at least one row and one column"}
	}
	if l, d := x.Dims(); cols != 0 && d != cols {
		want := fmt.Sprintf("%d×%d, with a column for each input of the fit", l, cols)
		return &ShapeError{Op: "bls", Matrix: "X", Rows: l, Cols: d, Want: want}
	}
	return checkFinite("X", x)
}

// newRows returns new storage for rows of k nodes A, or of [A, 1] if intercept is true. It sets the
// ones; the rest is zero.
func newRows(rows, k int, intercept bool) *mat.Dense {
	if !intercept {
		return newNodes(rows, k)
	}
	a := newNodes(rows, k+1)
	for i := range rows {
		a.Set(i, k, 1)
	}
	return a
}

// newNodes returns a zero matrix for rows of k nodes. Rows of a page or more begin an odd number of
// cache lines apart: the elements of a column then have the same offset in their lines, and are spread
// over all cache sets. With k = 5100, AᵀA alone is 3 to 7% faster than on rows without gaps.
func newNodes(rows, k int) *mat.Dense {
	const line, page = 64 / 8, 4096 / 8
	if k < page {
		return mat.NewDense(rows, k, nil)
	}
	lines := (k+line-1)/line | 1
	return mat.NewDense(rows, lines*line, nil).Slice(0, rows, 0, k).(*mat.Dense)
}

// mapsBytes returns the bytes that maps from d inputs to n feature and n3 enhancement nodes take.
func mapsBytes(d, n, n3 int) int64 {
	return memory.Sum(memory.Floats(d+1, n), memory.Floats(n+1, n3))
}

// checkMemory returns a *MemoryError unless the given bytes and the nodes of the rows fit into memory.
func checkMemory(bytes int64, rows, nodes int) error {
	need := memory.Sum(bytes, memory.Floats(rows, nodes))
	const do = "use fewer nodes, or fewer samples at once"
	return memory.Check(need, "bls", do, "computing %d nodes of %d samples", nodes, rows)
}

const labelColumn = "the column of labels" // in errors

// checkRows returns an error unless x passes checkSamples with the given number of inputs, and has as
// many rows as the targets: a rows×cols matrix that errors call name.
func checkRows(x *mat.Dense, inputs int, name string, rows, cols int) error {
	if err := checkSamples(x, inputs); err != nil {
		return err
	}
	l, _ := x.Dims()
	return checkCount(l, name, rows, cols)
}

func checkCount(l int, name string, rows, cols int) error {
	if rows != l {
		want := fmt.Sprintf("one row for each row of X (%d)", l)
		return &ShapeError{Op: "bls", Matrix: name, Rows: rows, Cols: cols, Want: want}
	}
	return nil
}

// columnMeans returns the weighted mean of each column of y: the first element of positive weight plus
// the mean of the differences from it. The mean of equal elements is thus exact. If no weight is
// positive, the result is the first row. An overflow of the sum of the weights does no harm.
func columnMeans(y *mat.Dense, weights []float64) []float64 {
	const small = 0x1p-60
	first := y.RawRowView(max(0, slices.IndexFunc(weights, func(w float64) bool { return w > 0 })))
	l, c := y.Dims()
	means := make([]float64, c)
	unit, sum, smallSum := 1.0, 0.0, 0.0
	for i := range l {
		w := floats.Weight(weights, i)
		sum += w
		smallSum += float64(w * small)
	}
	if math.IsInf(sum, 1) {
		unit, sum = small, smallSum
	}
	for i := range l {
		w := float64(floats.Weight(weights, i) * unit)
		if w == 0 {
			continue
		}
		for j, v := range y.RawRowView(i) {
			means[j] += float64(w*(v-first[j])) / sum
		}
	}
	for j, v := range first {
		means[j] += v
	}
	return means
}

// deviations returns y - 1·meansᵀ in new storage without gaps.
func deviations(y *mat.Dense, means []float64) *mat.Dense {
	var out mat.Dense
	out.Apply(func(_, j int, v float64) float64 { return v - means[j] }, y)
	return &out
}
