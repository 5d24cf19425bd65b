package bls

import (
	"math"

	"blskernel/mat"

	"gonum.org/v1/gonum/floats"
	gonum "gonum.org/v1/gonum/mat"
)

// determination returns R² of the predictions p of y, both l×c, averaged over the columns. See
// Regressor.Score. The sums of squares are squares of norms, so they neither overflow nor underflow
// before the numbers themselves do; then the result is NaN.
func determination(y, p *mat.Dense) float64 {
	l, c := y.Dims()
	var residual mat.Dense
	residual.Sub(y, p)
	spread := deviations(y, columnMeans(y))
	col := make([]float64, l)
	norm := func(m *mat.Dense, j int) float64 { return floats.Norm(gonum.Col(col, j, m), 2) }
	var sum float64
	for j := range c {
		e, v := norm(&residual, j), norm(spread, j)
		switch {
		case math.IsNaN(e-e) || math.IsNaN(v-v):
			return math.NaN()
		case v > 0:
			sum += 1 - (e/v)*(e/v)
		case e == 0:
			sum++
		}
	}
	return sum / float64(c)
}
