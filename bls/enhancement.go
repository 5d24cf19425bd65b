package bls

import (
	"fmt"
	"math"
	"sync"

	"blskernel"
	"blskernel/mat"
)

// EnhancementWeights says how the weights Wh of the enhancement nodes are made.
type EnhancementWeights int

const (
	// Orthonormal takes an orthonormal basis of the columns of a uniform random matrix, WhᵀWh = I, where
	// N >= n3, and of its rows, WhWhᵀ = I, where N < n3, as the code by the authors of the method does.
	Orthonormal EnhancementWeights = iota
	// Uniform takes the random numbers on [-1,1) themselves, as the paper is printed.
	Uniform
)

// String returns "orthonormal" or "uniform".
func (e EnhancementWeights) String() string {
	switch e {
	case Orthonormal:
		return "orthonormal"
	case Uniform:
		return "uniform"
	}
	return fmt.Sprintf("EnhancementWeights(%d)", int(e))
}

// drawEnhancement returns Wh, the (n+1)×n3 weights from n feature nodes and the bias to n3 > 0
// enhancement nodes.
func drawEnhancement(bk blskernel.Backend, n, n3 int, kind EnhancementWeights, seed uint64) (*mat.Dense, error) {
	wh := mat.NewDense(n+1, n3, nil)
	uniform(stream(seed, forEnhancement, 0), n+1, n3, wh.RawMatrix().Data, n3)
	if kind == Uniform {
		return wh, nil
	}
	ok := false
	if n >= n3 {
		var v mat.Dense
		v.CloneFrom(wh.T())
		ok = orthonormalizeRows(bk, &v)
		wh.Copy(v.T())
	} else {
		ok = orthonormalizeRows(bk, wh)
	}
	if !ok {
		return nil, &OptionError{Op: "bls", Option: "Seed", Value: seed, Want: fmt.Sprintf("another one, since the %d×%d random matrix drawn from this one does not have full rank", n+1, n3)}
	}
	return wh, nil
}

// enhance computes h = [Z, 0.1] Wh for some rows of Z, whose products with the rows of Wh but the
// last one come from the backend, and returns the largest element.
//
//	shapes: h rows×n3, z rows×N, wh (N+1)×n3; h and z may be columns of one matrix.
//	cost: 2·rows·N·n3 flops.
func enhance(bk blskernel.Backend, h, z, wh *mat.Dense) float64 {
	n, n3 := wh.Dims()
	n--
	mat.Mul(bk, h, z, wh.Slice(0, n, 0, n3).(*mat.Dense))
	bias := wh.RawRowView(n)
	rows, _ := h.Dims()
	raw := h.RawMatrix()
	largest := math.Inf(-1)
	var mu sync.Mutex
	parallelRows(rows, n3, func(from, to int) {
		part := math.Inf(-1)
		for i := from; i < to; i++ {
			row := raw.Data[i*raw.Stride : i*raw.Stride+n3]
			for j, b := range bias {
				row[j] += biasInput * b
				part = max(part, row[j])
			}
		}
		mu.Lock()
		largest = max(largest, part)
		mu.Unlock()
	})
	return largest
}

// activate computes h[i][j] = tanh(scale * h[i][j]).
func activate(h *mat.Dense, scale float64) {
	rows, n3 := h.Dims()
	raw := h.RawMatrix()
	parallelRows(rows, n3, func(from, to int) {
		for i := from; i < to; i++ {
			row := raw.Data[i*raw.Stride : i*raw.Stride+n3]
			for j, v := range row {
				row[j] = math.Tanh(scale * v)
			}
		}
	})
}
