package bls

import (
	"context"

	"blskernel"
	"blskernel/internal/io/interrupt"
	"blskernel/internal/linalg/floats"
	"blskernel/internal/linalg/workers"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// The settings of the sparse autoencoder, as in the authors' code (Chen and Liu 2018).
const (
	admmIterations = 50
	admmPenalty    = 1    // rho
	admmThreshold  = 1e-3 // lambda/rho, the threshold a of S(t, a)
)

// autoencoder runs the given number of ADMM iterations for the sparse autoencoder of one feature group,
//
//	min over w of ½‖A1 w - H1‖² + 1e-3 ‖w‖₁,
//
// where A1 are the random nodes of the group and H1 are its inputs. A1 and H1 grow with the training
// set; autoencoder needs only gram = A1ᵀA1 (n×n), which it overwrites, and cross = A1ᵀH1 (n×m). It
// returns, in new storage, the o (n×m) of the last iteration of
//
//	P = (A1ᵀA1 + I)⁻¹,  c0 = P A1ᵀH1,  o = u = 0
//	c := c0 + P (o - u);  o := S(c + u, 1e-3);  u := u + c - o
//
// where S(t, a) = max(t-a, 0) - max(-t-a, 0).
//
//	cost: n³ + 2n²m flops, and 2n²m for each iteration; memory: 8(5nm + n²) bytes.
//	errors: *OverflowError if gram, cross or o is not finite, which large samples with ScaleNone can
//	cause; the cause of ctx, which is checked in every iteration.
//	source: Boyd et al. 2011, section 6.4.
func autoencoder(ctx context.Context, bk blskernel.Backend, gram *mat.SymPacked, cross *mat.Dense, iterations int) (*mat.Dense, error) {
	n, m := cross.Dims()
	if !floats.Finite(gram.RawSymPacked().Data) || firstNotFinite(cross) >= 0 {
		return nil, &OverflowError{What: "the autoencoder of the feature nodes", Row: -1, Col: -1}
	}
	p := penaltyInverse(bk, gram).RawMatrix()
	c0, c, w := mat.NewDense(n, m, nil), mat.NewDense(n, m, nil), mat.NewDense(n, m, nil)
	o, u := mat.NewDense(n, m, nil), mat.NewDense(n, m, nil)
	product := func(dst, b *mat.Dense, beta float64) {
		rd, rb := dst.RawMatrix(), b.RawMatrix()
		bk.Dgemm(blas.NoTrans, blas.NoTrans, n, m, n, 1, p.Data, p.Stride, rb.Data, rb.Stride, beta, rd.Data, rd.Stride)
	}
	product(c0, cross, 0)
	for range iterations {
		if err := interrupt.Check(ctx); err != nil {
			return nil, err
		}
		w.Sub(o, u)
		c.Copy(c0)
		product(c, w, 1)
		softThreshold(o, u, c, admmThreshold)
	}
	if firstNotFinite(o) >= 0 {
		return nil, &OverflowError{What: "the autoencoder of the feature nodes", Row: -1, Col: -1}
	}
	return o, nil
}

// softThreshold computes t = c + u and sets o = S(t, a), as in autoencoder, and u = t - o. The matrices
// have the same shape and no gaps between rows.
func softThreshold(o, u, c *mat.Dense, a float64) {
	n, m := c.Dims()
	rc, ro, ru := c.RawMatrix().Data, o.RawMatrix().Data, u.RawMatrix().Data
	workers.Default.Rows(n, m, func(from, to int) {
		for i := from * m; i < to*m; i++ {
			t := rc[i] + ru[i]
			ro[i] = max(t-a, 0) - max(-t-a, 0)
			ru[i] = t - ro[i]
		}
	})
}

// penaltyInverse returns both triangles of (gram + rho I)⁻¹ (n×n). It overwrites gram, a finite matrix.
func penaltyInverse(bk blskernel.Backend, gram *mat.SymPacked) *mat.Dense {
	gram.AddDiagonal(admmPenalty)
	chol := lapack.Cholesky{Backend: bk}
	err := chol.FactorizeInPlace(gram)
	if err == nil {
		gram, err = chol.InverseInPlace()
	}
	if err != nil {
		// The eigenvalues of gram + I lie between 1 and about l·n, since the elements of A1 are
		// bounded. No memory holds enough samples to make gram + I singular.
		panic("bls: the Gram matrix of the autoencoder is not positive definite")
	}
	return gram.Dense()
}
