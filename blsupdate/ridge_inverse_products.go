package blsupdate

import (
	"blskernel"
	"blskernel/internal/backend"
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
)

// How the products of few rows with Q are made. All of them read Q once and count as what they are,
// Dspmm and Dsprk; but those take Q apart for matrices of many rows, which for few rows is most of
// their time.
//
// P = Ax Q, microseconds on one thread of Zen 4 (pure / openblas):
//
//	  k    q   Dspmm        strips of Q   Dspmv by row
//	1000    1    551 /  1888   280 /  287    135 /   190
//	1000    8    874 /  2490   508 /  584   1118 /  1869
//	1000   32   1837 /  2912  1633 / 1489   4722 /  4829
//	2000    1   5432 / 16312  1889 / 1552   1106 /  1050
//	2000    8   6763 / 17014  3483 / 2493  10806 /  8207
//	2000   32   9705 / 22674  6608 / 7285  32603 / 31256
//	2000  128  23620 / 37107 21448 / 25376
//
// Q - TᵀT with q = 4 and k = 1000: Dsprk 195 / 649, Dgemv for each row of Q 208 / 414, Dspr 286 / 370;
// with q = 16: 527 / 1127, 927 / 1181, 1203 / 1424.
const (
	// stripRows is the number of rows of Q that are unpacked at a time: their part of a product with 16
	// to 64 rows takes the same time.
	stripRows = 32
	// mostStrips and mostStripsMade are the numbers of rows of Ax up to which P is made by strips: on a
	// backend with packed products of its own, and on one for which they are made of Dgemm.
	mostStrips, mostStripsMade = 32, 128
	// mostGemv is the number of rows of T up to which Q - TᵀT is made row by row on a backend without
	// packed products.
	mostGemv = 8
)

// productKind returns how P = Ax Q is made for q rows of Ax.
func productKind(b blskernel.Backend, q int) kind {
	most := mostStripsMade
	if hasPacked(b) {
		most = mostStrips
	}
	switch {
	case q == 1:
		return spmv
	case q <= most:
		return spmmStrips
	default:
		return spmmR
	}
}

// rankKind returns how Q - TᵀT is made for q rows of T.
func rankKind(b blskernel.Backend, q int) kind {
	switch {
	case q == 1:
		return spr
	case q <= mostGemv && !hasPacked(b):
		return sprkRows
	default:
		return sprk
	}
}

// hasPacked tells whether a backend has packed products of its own.
func hasPacked(b blskernel.Backend) bool {
	_, ok := backend.Or(b).(blskernel.PackedProducts)
	return ok
}

// timesPacked computes P = alpha X S for the packed symmetric S of order k; X and P are q×k.
func timesPacked(b *common, q int, alpha float64, s, x []float64, ldx int, p []float64) {
	switch how := productKind(b.opt.Backend, q); how {
	case spmv:
		bk := backend.Begin(b.counter, backend.Routine{Name: string(how), M: q, N: b.k})
		bk.Dspmv(blas.Upper, b.k, alpha, s, x, 1, 0, p, 1)
	case spmmStrips:
		bk := backend.Begin(b.counter, backend.Routine{Name: string(how), M: q, N: b.k})
		timesStrips(bk, b.k, q, alpha, s, x, ldx, p)
	default:
		b.counter.Dspmm(blas.Right, q, b.k, alpha, s, x, ldx, 0, p, b.k)
	}
}

// timesStrips computes P = alpha X S by strips of rows of S, each of them unpacked with its part of the
// diagonal as a dense matrix [S11 S12]: P1 += X1 S11 + X2 S12ᵀ, P2 += X1 S12.
func timesStrips(bk blskernel.Backend, k, q int, alpha float64, s, x []float64, ldx int, p []float64) {
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
		bk.Dgemm(blas.NoTrans, blas.NoTrans, q, width, n, alpha, x[i:], ldx, strip, width, 1, p[i:], k)
		if width > n {
			bk.Dgemm(blas.NoTrans, blas.Trans, q, n, width-n, alpha, x[i+n:], ldx, strip[n:], width, 1, p[i:], k)
		}
	}
}

// addOuter computes S += alpha TᵀT for the packed symmetric S of order k; T is q×k.
func addOuter(b *common, q int, alpha float64, t, s []float64) {
	switch how := rankKind(b.opt.Backend, q); how {
	case spr:
		bk := backend.Begin(b.counter, backend.Routine{Name: string(how), M: q, N: b.k})
		bk.Dspr(blas.Upper, b.k, alpha, t, 1, s)
	case sprkRows:
		bk := backend.Begin(b.counter, backend.Routine{Name: string(how), M: q, N: b.k})
		for i := range b.k {
			row := s[block.PackedRow(b.k, i)+i:][:b.k-i]
			bk.Dgemv(blas.Trans, q, b.k-i, alpha, t[i:], b.k, t[i:], b.k, 1, row, 1)
		}
	default:
		b.counter.Dsprk(blas.Trans, b.k, q, alpha, t, b.k, 1, s)
	}
}
