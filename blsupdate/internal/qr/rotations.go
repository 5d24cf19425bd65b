package qr

import (
	"math"

	"blskernel"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/linalg/detmath"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// downdate turns [N; P] into [I; 0], and applies the same transformation to [0 Zeta; R z]. N is q×q
// upper triangular, P is k×q, and [N; P] has orthonormal columns. downdate overwrites all matrices.
// All but R and z must be contiguous.
//
// Every element of P is eliminated by a rotation of its row with a row of N, from the last row of P up.
// So a row of R is combined only with rows to the right of N that begin with at least as many zeros,
// and R remains triangular. A block combines some rows of N with some rows of P; the rest of [N; P] is
// carried along like the other columns. So one pass over R serves several rows of N. The product of the
// rotations of a block is an orthogonal matrix. The other columns are multiplied by it if there are
// enough rows for Dgemm to be faster.
func downdate(b blskernel.Backend, n, p, zeta, r, z *mat.Dense) {
	q, k, c := dense.Rows(n), dense.Rows(p), dense.Cols(z)
	rr, rz := r.RawMatrix(), z.RawMatrix()
	d := rotations{b: b, q: q, k: k, n: n.RawMatrix().Data, p: p.RawMatrix().Data, others: []carried{
		{low: make([]float64, q*k), ldl: k, high: rr.Data, ldh: rr.Stride, width: k, triangle: true},
		{low: zeta.RawMatrix().Data, ldl: c, high: rz.Data, ldh: rz.Stride, width: c},
	}}
	d.run()
}

type rotations struct {
	b      blskernel.Backend
	q, k   int
	n, p   []float64 // both with rows of q elements
	others []carried

	cos, sin []float64 // of the rotations of a block, by rows of P
	omega    []float64 // their product
	work     []float64
}

// carried has columns to the right of N (low) and of P (high), to which the rotations are also applied.
type carried struct {
	low, high []float64
	ldl, ldh  int
	width     int
	triangle  bool // row j of high begins with j zeros, and low is zero at first
}

// block returns the columns that change, in the rows of N from i on and of P from j on.
func (c carried) block(i, j int) carried {
	from := 0
	if c.triangle {
		from = j
	}
	c.low, c.high, c.width = c.low[i*c.ldl+from:], c.high[j*c.ldh+from:], c.width-from
	return c
}

// Sizes of a block: rows of N, rows of P, columns that are multiplied at a time, and the fewest rows of
// N for which multiplying is faster than rotating. The speeds are the best of seven runs on one core of
// Zen 4, in GFLOP/s of 3qk² flops, for k = 1000 and 2000 and q = 64: 22 with blocks of 24×24, 20 with
// 16×16 and 32×32, 16 to 19 with 16×48 and 16×64, and 9 with rotations in pairs, for any q.
const (
	lowRows       = 24
	highRows      = 24
	omegaWidth    = 512
	minMultiplied = 8
)

func (d *rotations) run() {
	d.cos, d.sin = make([]float64, lowRows*highRows), make([]float64, lowRows*highRows)
	for i0 := 0; i0 < d.q; i0 += lowRows {
		i1 := min(i0+lowRows, d.q)
		right := carried{low: d.n[i1:], high: d.p[i1:], ldl: d.q, ldh: d.q, width: d.q - i1}
		for j1 := d.k; j1 > 0; j1 -= min(highRows, j1) {
			j0 := max(0, j1-highRows)
			low, high := i1-i0, j1-j0
			d.eliminate(i0, i1, j0, j1)
			if low >= minMultiplied {
				d.multiplyOut(low, high)
			}
			for _, c := range append(d.others, right) {
				if c = c.block(i0, j0); low >= minMultiplied {
					d.multiply(c, low, high)
				} else {
					d.rotate(c, low, high)
				}
			}
		}
	}
}

// eliminate computes the rotations for rows [i0, i1) of N and [j0, j1) of P, and applies them there.
func (d *rotations) eliminate(i0, i1, j0, j1 int) {
	at := (j1 - j0) * (i1 - i0)
	for j := j1 - 1; j >= j0; j-- {
		at -= i1 - i0
		for i := i0; i < i1; i++ {
			low, high := d.n[i*d.q+i:i*d.q+i1], d.p[j*d.q+i:j*d.q+i1]
			// Neither element is above 1, and the element of N only grows and is not small.
			length := math.Sqrt(float64(low[0]*low[0]) + float64(high[0]*high[0]))
			cos, sin := low[0]/length, high[0]/length
			low[0], high[0] = length, 0
			rotate(cos, sin, low[1:], high[1:])
			d.cos[at+i-i0], d.sin[at+i-i0] = cos, sin
		}
	}
}

// rotate applies the rotations of a block to c one after another, two in each pass.
func (d *rotations) rotate(c carried, low, high int) {
	for j := high - 1; j >= 0; j-- {
		from := 0
		if c.triangle {
			from = j
		}
		y := c.high[j*c.ldh+from : j*c.ldh+c.width]
		cos, sin := d.cos[j*low:(j+1)*low], d.sin[j*low:(j+1)*low]
		i := 0
		for ; i+1 < low; i += 2 {
			x0, x1 := c.low[i*c.ldl+from:i*c.ldl+c.width], c.low[(i+1)*c.ldl+from:(i+1)*c.ldl+c.width]
			rotateTwice(cos[i], sin[i], cos[i+1], sin[i+1], x0, x1, y)
		}
		if i < low {
			rotate(cos[i], sin[i], c.low[i*c.ldl+from:i*c.ldl+c.width], y)
		}
	}
}

// multiplyOut computes Omega, the product of the rotations of a block, by applying them to the identity
// with its rows in the order [P; N]. Its leading block, which maps P to P, is upper triangular, so
// zeros in a triangular R stay exactly zero.
func (d *rotations) multiplyOut(low, high int) {
	m := low + high
	if d.omega == nil {
		d.omega, d.work = make([]float64, (lowRows+highRows)*(lowRows+highRows)), make([]float64, (lowRows+highRows)*omegaWidth)
	}
	clear(d.omega)
	for i := range m {
		d.omega[i*m+i] = 1
	}
	d.rotate(carried{low: d.omega[high*m:], high: d.omega, ldl: m, ldh: m, width: m, triangle: true}, low, high)
}

// multiply multiplies the columns of c by Omega.
func (d *rotations) multiply(c carried, low, high int) {
	m := low + high
	for at := 0; at < c.width; at += omegaWidth {
		w := min(omegaWidth, c.width-at)
		for j := range high {
			copy(d.work[j*w:(j+1)*w], c.high[j*c.ldh+at:])
		}
		for i := range low {
			copy(d.work[(high+i)*w:(high+i+1)*w], c.low[i*c.ldl+at:])
		}
		d.b.Dgemm(blas.NoTrans, blas.NoTrans, high, w, m, 1, d.omega, m, d.work, w, 0, c.high[at:], c.ldh)
		d.b.Dgemm(blas.NoTrans, blas.NoTrans, low, w, m, 1, d.omega[high*m:], m, d.work, w, 0, c.low[at:], c.ldl)
	}
}

func rotate(cos, sin float64, x, y []float64) {
	y = y[:len(x)]
	for i, a := range x {
		b := y[i]
		x[i] = float64(cos*a) + float64(sin*b)
		y[i] = float64(cos*b) - float64(sin*a)
	}
}

func rotateTwice(cos0, sin0, cos1, sin1 float64, x0, x1, y []float64) {
	x0, x1 = x0[:len(y)], x1[:len(y)]
	for i, b := range y {
		a0, a1 := x0[i], x1[i]
		x0[i] = float64(cos0*a0) + float64(sin0*b)
		b = float64(cos0*b) - float64(sin0*a0)
		x1[i] = float64(cos1*a1) + float64(sin1*b)
		y[i] = float64(cos1*b) - float64(sin1*a1)
	}
}

// RotateIn adds the rows of Ax and Ya to R in triangle and z in right, and overwrites Ax and Ya. Each
// row j of R, from the first one down, is rotated with every row of Ax, whose element j becomes zero.
// No column of [R z; Ax Ya] changes its norm. LINPACK's dchud does the same for one row.
func RotateIn(triangle, right, ax, ya *mat.Dense) {
	q := dense.Rows(ax)
	for j := range dense.Rows(triangle) {
		r, z := triangle.RawRowView(j)[j:], right.RawRowView(j)
		i := 0
		for ; i+1 < q; i += 2 {
			x0, x1 := ax.RawRowView(i)[j:], ax.RawRowView(i + 1)[j:]
			cos0, sin0 := zeroing(&r[0], x0[0])
			cos1, sin1 := zeroing(&r[0], x1[0])
			rotateTwice(cos0, sin0, cos1, sin1, x0[1:], x1[1:], r[1:])
			rotateTwice(cos0, sin0, cos1, sin1, ya.RawRowView(i), ya.RawRowView(i+1), z)
		}
		if i < q {
			x := ax.RawRowView(i)[j:]
			cos, sin := zeroing(&r[0], x[0])
			rotate(cos, sin, x[1:], r[1:])
			rotate(cos, sin, ya.RawRowView(i), z)
		}
	}
}

// zeroing returns the rotation that makes x zero. If x is not zero, y becomes the length of (x, y).
func zeroing(y *float64, x float64) (cos, sin float64) {
	if x == 0 {
		return 1, 0
	}
	length := detmath.Hypot(x, *y)
	cos, sin = *y/length, -x/length
	*y = length
	return cos, sin
}
