package ridge

import (
	"blskernel"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/backend"
	"blskernel/internal/block"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// TimesPacked computes P = alpha X S for S of order k, in the way that cost.ProductKind says. P, q×k,
// has no gaps.
func TimesPacked(b *state.Base, alpha float64, s *mat.SymPacked, x, p *mat.Dense) {
	q, data, rx, rp := x.RawMatrix().Rows, s.RawSymPacked().Data, x.RawMatrix(), p.RawMatrix()
	kind := cost.ProductKind(b.Options.Backend, q)
	call := cost.Operation{Kind: kind, M: q, N: b.K}.Routine()
	switch kind {
	case cost.Spmv:
		backend.Begin(b.Counter, call).Dspmv(blas.Upper, b.K, alpha, data, rx.Data, 1, 0, rp.Data, 1)
	case cost.SpmmStrips:
		timesStrips(backend.Begin(b.Counter, call), b.K, q, alpha, data, rx.Data, rx.Stride, rp.Data)
	default:
		b.Counter.Dspmm(blas.Right, q, b.K, alpha, data, rx.Data, rx.Stride, 0, rp.Data, b.K)
	}
}

// stripRows is the number of rows of S that are unpacked at a time. Their part of a product with 16 to
// 64 rows takes the same time.
const stripRows = 32

// timesStrips computes P = alpha X S by strips of rows of S. Each is unpacked with its part of the
// diagonal as a dense matrix [S11 S12], and P1 += X1 S11 + X2 S12ᵀ, P2 += X1 S12.
func timesStrips(b blskernel.Backend, k, q int, alpha float64, s, x []float64, ldx int, p []float64) {
	clear(p[:q*k])
	strip := make([]float64, min(stripRows, k)*k)
	for i := 0; i < k; i += stripRows {
		n, width := min(stripRows, k-i), k-i
		for r := range n {
			row := s[block.PackedRow(k, i+r)+i+r:][:width-r]
			copy(strip[r*width+r:], row)
			for j := 1; j < n-r; j++ {
				strip[(r+j)*width+r] = row[j]
			}
		}
		b.Dgemm(blas.NoTrans, blas.NoTrans, q, width, n, alpha, x[i:], ldx, strip, width, 1, p[i:], k)
		if width > n {
			b.Dgemm(blas.NoTrans, blas.Trans, q, n, width-n, alpha, x[i+n:], ldx, strip[n:], width, 1, p[i:], k)
		}
	}
}

// AddOuter computes S += alpha TᵀT for S of order k, in the way that cost.RankKind says. T, q×k, has no
// gaps.
func AddOuter(b *state.Base, alpha float64, t *mat.Dense, s *mat.SymPacked) {
	q, rt, data := t.RawMatrix().Rows, t.RawMatrix().Data, s.RawSymPacked().Data
	kind := cost.RankKind(b.Options.Backend, q)
	call := cost.Operation{Kind: kind, M: q, N: b.K}.Routine()
	switch kind {
	case cost.Spr:
		backend.Begin(b.Counter, call).Dspr(blas.Upper, b.K, alpha, rt, 1, data)
	case cost.SprkRows:
		on := backend.Begin(b.Counter, call)
		for i := range b.K {
			row := data[block.PackedRow(b.K, i)+i:][:b.K-i]
			on.Dgemv(blas.Trans, q, b.K-i, alpha, rt[i:], b.K, rt[i:], b.K, 1, row, 1)
		}
	default:
		b.Counter.Dsprk(blas.Trans, b.K, q, alpha, rt, b.K, 1, data)
	}
}
