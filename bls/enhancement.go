package bls

import (
	"context"
	"fmt"
	"math"
	"sync"

	"blskernel"
	"blskernel/internal/backend"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
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
func drawEnhancement(ctx context.Context, bk blskernel.Backend, n, n3 int, kind EnhancementWeights, seed uint64) (*mat.Dense, error) {
	wh := mat.NewDense(n+1, n3, nil)
	uniform(stream(seed, forEnhancement, 0), n+1, n3, wh.RawMatrix().Data, n3)
	if kind == Uniform {
		return wh, nil
	}
	var ok bool
	var err error
	if n >= n3 {
		var v mat.Dense
		v.CloneFrom(wh.T())
		ok, err = orthonormalizeRows(ctx, bk, &v)
		wh.Copy(v.T())
	} else {
		ok, err = orthonormalizeRows(ctx, bk, wh)
	}
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, &OptionError{Op: "bls", Option: "Seed", Value: seed, Want: fmt.Sprintf("another one, since the %d×%d random matrix drawn from this one does not have full rank", n+1, n3)}
	}
	return wh, nil
}

// enhance computes h = Z·Wh, with all rows of Wh but the last one, for some rows of Z, and returns the
// largest element of [Z, 0.1] Wh.
//
//	shapes: h rows×n3, z rows×N, wh (N+1)×n3.
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
			for j, v := range raw.Data[i*raw.Stride : i*raw.Stride+n3] {
				part = max(part, v+biasInput*bias[j])
			}
		}
		mu.Lock()
		largest = max(largest, part)
		mu.Unlock()
	})
	return largest
}

// enhanced computes h = tanh(scale·[Z, 0.1] Wh) in one pass over h.
//
//	shapes: h rows×n3, z rows×N, wh (N+1)×n3; h and z may be columns of one matrix.
//	cost: 2·rows·N·n3 flops and rows·n3 hyperbolic tangents.
func enhanced(bk blskernel.Backend, h, z, wh *mat.Dense, scale float64) {
	n, n3 := wh.Dims()
	n--
	bias := make([]float64, n3)
	for j, b := range wh.RawRowView(n) {
		bias[j] = scale * biasInput * b
	}
	rows, _ := h.Dims()
	rh, rz, rw := h.RawMatrix(), z.RawMatrix(), wh.RawMatrix()
	backend.Fused(bk).DgemmTanh(blas.NoTrans, blas.NoTrans, rows, n3, n, scale, rz.Data, rz.Stride, rw.Data, rw.Stride, bias, rh.Data, rh.Stride)
}
