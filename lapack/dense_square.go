package lapack

import (
	"sync"

	"gonum.org/v1/gonum/blas"
)

// denseBase is the order up to which a triangle is copied to a workspace and done there by block rows
// of tileOrder. There is no other triangle there that must be spared, so that one product does a
// whole block row, and a lower triangle becomes an upper one. Above it the halves are large enough
// for the backend's triangular routines. Measured on an EPYC of 2022 (Zen 4, AVX-512): at order 128
// that is 1.1 times as fast as by halves down to 64, and from 200 on a larger base gains less than
// the threads that it keeps from helping.
const denseBase = 128

// A square is the workspace of a base case, two n×n matrices of which the rows are squareStride(n)
// apart.
type square struct {
	u, x [denseBase * (denseBase + tileOrder)]float64
}

var squares = sync.Pool{New: func() any { return new(square) }}

// squareStride returns an odd number of cache lines that hold n elements: rows whose distance is a
// high power of two would compete for the same places of the cache.
func squareStride(n int) int { return (n+tileOrder-1)/tileOrder*tileOrder | tileOrder }

// loadTriangle copies the triangle ul of the n×n a to the upper triangle of w; a lower one is
// transposed.
func loadTriangle(w []float64, ldw int, ul blas.Uplo, n int, a []float64, lda int) {
	if ul == blas.Lower {
		transposeTriangle(ul, n, a, lda, w, ldw)
		return
	}
	for i := range n {
		copy(w[i*ldw+i:i*ldw+n], a[i*lda+i:i*lda+n])
	}
}

// storeTriangle copies the triangle back to where loadTriangle found it.
func storeTriangle(w []float64, ldw int, ul blas.Uplo, n int, a []float64, lda int) {
	if ul == blas.Lower {
		transposeTriangle(blas.Upper, n, w, ldw, a, lda)
		return
	}
	for i := range n {
		copy(a[i*lda+i:i*lda+n], w[i*ldw+i:i*ldw+n])
	}
}

// transposeTriangle copies the transpose of the triangle ul of the n×n src to the other triangle of
// dst.
func transposeTriangle(ul blas.Uplo, n int, src []float64, lds int, dst []float64, ldd int) {
	for i := 0; i < n; i += tileOrder {
		rows := min(tileOrder, n-i)
		for r := i; r < i+rows; r++ {
			from, to := r, i+rows
			if ul == blas.Lower {
				from, to = i, r+1
			}
			for c, v := range src[r*lds+from : r*lds+to] {
				dst[(from+c)*ldd+r] = v
			}
		}
		if ul == blas.Lower {
			transpose(rows, i, src[i*lds:], lds, dst[i:], ldd)
		} else if end := i + rows; end < n {
			transpose(rows, n-end, src[i*lds+end:], lds, dst[end*ldd+i:], ldd)
		}
	}
}

// transpose copies the transpose of the m×n src, m <= tileOrder, to dst: in whole tiles as far as
// there are any.
func transpose(m, n int, src []float64, lds int, dst []float64, ldd int) {
	j := 0
	if m == tileOrder {
		for ; j+tileOrder <= n; j += tileOrder {
			transposeTile(src[j:], lds, dst[j*ldd:], ldd)
		}
	}
	for r := range m {
		for c := j; c < n; c++ {
			dst[c*ldd+r] = src[r*lds+c]
		}
	}
}

// transposeTile is transpose for a whole tile.
func transposeTile(src []float64, lds int, dst []float64, ldd int) {
	r0, r1, r2, r3 := tileRow(src, 0), tileRow(src, lds), tileRow(src, 2*lds), tileRow(src, 3*lds)
	r4, r5, r6, r7 := tileRow(src, 4*lds), tileRow(src, 5*lds), tileRow(src, 6*lds), tileRow(src, 7*lds)
	for c := range tileOrder {
		d := tileRow(dst, c*ldd)
		d[0] = r0[c]
		d[1] = r1[c]
		d[2] = r2[c]
		d[3] = r3[c]
		d[4] = r4[c]
		d[5] = r5[c]
		d[6] = r6[c]
		d[7] = r7[c]
	}
}

// tileRow returns the elements from x[at] on as an array, the indices of which need no checks.
func tileRow(x []float64, at int) *[tileOrder]float64 { return (*[tileOrder]float64)(x[at:]) }

// half is where a triangle of order n is cut in two: the middle, at a whole number of tiles.
func half(n int) int { return (n/2 + tileOrder - 1) / tileOrder * tileOrder }
