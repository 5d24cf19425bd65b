package bls

import (
	"context"
	"fmt"
	"math"

	"blskernel"
	"blskernel/internal/io/interrupt"
	"blskernel/internal/io/names"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// EnhancementWeights is the distribution of the weights Wh of the enhancement nodes.
type EnhancementWeights int

const (
	// Orthonormal, as in the authors' code, takes an orthonormal basis of the column space of a
	// uniform random matrix if N >= n3 (WhᵀWh = I), and of its row space if N < n3 (WhWhᵀ = I).
	Orthonormal EnhancementWeights = iota
	// Uniform takes the uniform random numbers in [-1,1) themselves, as printed in the paper.
	Uniform
)

// String returns "orthonormal" or "uniform".
func (e EnhancementWeights) String() string {
	return names.String([]string{"orthonormal", "uniform"}, e)
}

// drawEnhancement draws Wh ((n+1)×n3, n3 > 0) from seed: the weights from n feature nodes and the bias,
// with the distribution kind. It returns an *OptionError if the random matrix lacks full rank.
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
		want := fmt.Sprintf("another seed: the %d×%d random matrix drawn from this one does not have full rank", n+1, n3)
		return nil, &OptionError{Op: "bls", Option: "Seed", Value: seed, Want: want}
	}
	return wh, nil
}

// orthoPanel is the number of rows that orthonormalizeRows multiplies by all earlier rows at a time.
const orthoPanel = 32

// orthonormalizeRows replaces the rows of V (r×p, r <= p) by an orthonormal basis of the space they
// span: V Vᵀ = I to a small multiple of eps. Row i of the result is in the span of the rows 0 to i of
// V. It returns false, and leaves V undefined, if a row is linearly dependent on the earlier ones to
// working precision. It checks ctx before each panel.
//
// This is the block Gram-Schmidt method with two passes over each panel. If V passes the test for
// dependence, the second pass removes the error of cancellation in the first ("twice is enough").
//
//	cost: 4r²p flops by Dgemm, and about orthoPanel/r times as many by Ddot and Daxpy in the panels.
//	source: Giraud, Langou and Rozložník, Numer. Math. 101 (2005); Barlow and Smoktunowicz, Numer.
//	Math. 123 (2013).
func orthonormalizeRows(ctx context.Context, bk blskernel.Backend, v *mat.Dense) (bool, error) {
	r, p := v.Dims()
	raw := v.RawMatrix()
	work := make([]float64, min(orthoPanel, r)*r)
	// The test for dependence is relative to the norms of the given rows.
	norms := make([]float64, r)
	for i := range r {
		norms[i] = bk.Dnrm2(p, raw.Data[i*raw.Stride:], 1)
	}
	for from := 0; from < r; from += orthoPanel {
		if err := interrupt.Check(ctx); err != nil {
			return false, err
		}
		rows := min(orthoPanel, r-from)
		panel := raw.Data[from*raw.Stride:]
		for pass := range 2 {
			if from > 0 {
				bk.Dgemm(blas.NoTrans, blas.Trans, rows, from, p, 1, panel, raw.Stride, raw.Data, raw.Stride, 0, work, from)
				bk.Dgemm(blas.NoTrans, blas.NoTrans, rows, p, from, -1, work, from, raw.Data, raw.Stride, 1, panel, raw.Stride)
			}
			for i := range rows {
				norm := norms[from+i]
				if pass == 1 {
					norm = 1
				}
				if !orthonormalizeRow(bk, panel, raw.Stride, i, p, norm) {
					return false, nil
				}
			}
		}
	}
	return true, nil
}

// orthonormalizeRow orthogonalizes row i of panel (p columns) against the orthonormal rows [0, i) by
// modified Gram-Schmidt, and scales it to norm 1. It returns false if the norm left is <= p·eps·norm.
func orthonormalizeRow(bk blskernel.Backend, panel []float64, ld, i, p int, norm float64) bool {
	const eps = 0x1p-52
	x := panel[i*ld : i*ld+p]
	for j := range i {
		q := panel[j*ld : j*ld+p]
		bk.Daxpy(p, -bk.Ddot(p, q, 1, x, 1), q, 1, x, 1)
	}
	left := bk.Dnrm2(p, x, 1)
	if !(left > float64(p)*eps*norm) || math.IsInf(left, 0) {
		return false
	}
	bk.Dscal(p, 1/left, x, 1)
	return true
}
