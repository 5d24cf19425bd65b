package ridge

import (
	"blskernel"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/backend"
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
)

// timesPacked computes P = alpha X S for the packed symmetric S of order k; X and P are q×k.
func TimesPacked(b *state.Base, q int, alpha float64, s, x []float64, ldx int, p []float64) {
	switch how := cost.ProductKind(b.Options.Backend, q); how {
	case cost.Spmv:
		bk := backend.Begin(b.Counter, cost.Operation{Kind: how, M: q, N: b.K}.Routine())
		bk.Dspmv(blas.Upper, b.K, alpha, s, x, 1, 0, p, 1)
	case cost.SpmmStrips:
		bk := backend.Begin(b.Counter, cost.Operation{Kind: how, M: q, N: b.K}.Routine())
		timesStrips(bk, b.K, q, alpha, s, x, ldx, p)
	default:
		b.Counter.Dspmm(blas.Right, q, b.K, alpha, s, x, ldx, 0, p, b.K)
	}
}

// timesStrips computes P = alpha X S by strips of rows of S, each of them unpacked with its part of the
// diagonal as a dense matrix [S11 S12]: P1 += X1 S11 + X2 S12ᵀ, P2 += X1 S12.
func timesStrips(bk blskernel.Backend, k, q int, alpha float64, s, x []float64, ldx int, p []float64) {
	clear(p[:q*k])
	strip := make([]float64, min(cost.StripRows, k)*k)
	for i := 0; i < k; i += cost.StripRows {
		n, width := min(cost.StripRows, k-i), k-i
		for r := range n {
			row := s[block.PackedRow(k, i+r)+i+r:][:width-r]
			copy(strip[r*width+r:], row)
			for j := 1; j < n-r; j++ {
				strip[(r+j)*width+r] = row[j]
			}
		}
		bk.Dgemm(blas.NoTrans, blas.NoTrans, q, width, n, alpha, x[i:], ldx, strip, width, 1, p[i:], k)
		if width > n {
			bk.Dgemm(blas.NoTrans, blas.Trans, q, n, width-n, alpha, x[i+n:], ldx, strip[n:], width, 1, p[i:], k)
		}
	}
}

// addOuter computes S += alpha TᵀT for the packed symmetric S of order k; T is q×k.
func AddOuter(b *state.Base, q int, alpha float64, t, s []float64) {
	switch how := cost.RankKind(b.Options.Backend, q); how {
	case cost.Spr:
		bk := backend.Begin(b.Counter, cost.Operation{Kind: how, M: q, N: b.K}.Routine())
		bk.Dspr(blas.Upper, b.K, alpha, t, 1, s)
	case cost.SprkRows:
		bk := backend.Begin(b.Counter, cost.Operation{Kind: how, M: q, N: b.K}.Routine())
		for i := range b.K {
			row := s[block.PackedRow(b.K, i)+i:][:b.K-i]
			bk.Dgemv(blas.Trans, q, b.K-i, alpha, t[i:], b.K, t[i:], b.K, 1, row, 1)
		}
	default:
		b.Counter.Dsprk(blas.Trans, b.K, q, alpha, t, b.K, 1, s)
	}
}
