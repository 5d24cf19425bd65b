package qr

import (
	"math"

	"blskernel"

	"gonum.org/v1/gonum/blas"
)

// rotations turn the matrix [N; P] with orthonormal columns, N upper triangular (q×q) and P k×q, into
// [I; 0] and do the same to the rows of other columns.
//
// Every element of P is eliminated by a rotation of its row and a row of N, in P from the last row up.
// So a row of a triangle R beside P meets only rows beside N that begin with as many zeros, and R
// remains a triangle. Some rows of N are brought to the identity at a time, the rest of [N; P] being
// other columns to them, and some rows of P for each of them; then there is one pass over R for some
// rows of N. The rotations of such a block make an orthogonal matrix of the order of the rows in it, by
// which the other columns are multiplied where there are enough rows for Dgemm to be the faster way.
type Rotations struct {
	Bk     blskernel.Backend
	Q, K   int
	N, P   []float64 // both with rows of q elements; overwritten
	Others []Carried

	cos, sin []float64 // of the rotations of a block, row of P after row of P
	omega    []float64 // their product
	work     []float64
}

// carried are columns beside N (low) and P (high), which are carried along.
type Carried struct {
	Low, High []float64
	Ldl, Ldh  int
	Width     int
	Triangle  bool // row j of high begins with j zeros, and low is zero at first
}

// block returns what the columns have beside rows of N from i on and rows of P from j on, without those
// in which nothing happens.
func (c Carried) block(i, j int) Carried {
	from := 0
	if c.Triangle {
		from = j
	}
	c.Low, c.High, c.Width = c.Low[i*c.Ldl+from:], c.High[j*c.Ldh+from:], c.Width-from
	return c
}

// Sizes of a block: rows of N and of P, and columns that are multiplied together; and the number of
// rows of N from which on they are multiplied and not rotated one by one. On one core of Zen 4, with k
// = 1000 and 2000 and q = 64, the best of seven times is 22 GFLOP/s for 24 rows of each, 3qk² flops
// being counted, 20 for 16 and 32 of each, and 16 to 19 for 16 with 48 or 64; by twos they are rotated
// at 9, whatever q is.
const (
	LowRows         = 24
	HighRows        = 24
	OmegaWidth      = 512
	LeastMultiplied = 8
)

// run does all rotations.
func (d *Rotations) Run() {
	d.cos, d.sin = make([]float64, LowRows*HighRows), make([]float64, LowRows*HighRows)
	for i0 := 0; i0 < d.Q; i0 += LowRows {
		i1 := min(i0+LowRows, d.Q)
		right := Carried{Low: d.N[i1:], High: d.P[i1:], Ldl: d.Q, Ldh: d.Q, Width: d.Q - i1}
		for j1 := d.K; j1 > 0; j1 -= min(HighRows, j1) {
			j0 := max(0, j1-HighRows)
			low, high := i1-i0, j1-j0
			d.eliminate(i0, i1, j0, j1)
			if low >= LeastMultiplied {
				d.multiplyOut(low, high)
			}
			for _, c := range append(d.Others, right) {
				if c = c.block(i0, j0); low >= LeastMultiplied {
					d.multiply(c, low, high)
				} else {
					d.rotate(c, low, high)
				}
			}
		}
	}
}

// eliminate makes the rotations for rows i0 to i1 of N and j0 to j1 of P.
func (d *Rotations) eliminate(i0, i1, j0, j1 int) {
	at := (j1 - j0) * (i1 - i0)
	for j := j1 - 1; j >= j0; j-- {
		at -= i1 - i0
		for i := i0; i < i1; i++ {
			low, high := d.N[i*d.Q+i:i*d.Q+i1], d.P[j*d.Q+i:j*d.Q+i1]
			// Neither is above 1, and the element of N, which only grows, is not small.
			length := math.Sqrt(low[0]*low[0] + high[0]*high[0])
			cos, sin := low[0]/length, high[0]/length
			low[0], high[0] = length, 0
			rotate(cos, sin, low[1:], high[1:])
			d.cos[at+i-i0], d.sin[at+i-i0] = cos, sin
		}
	}
}

// rotate applies the rotations of a block one by one, two in one pass.
func (d *Rotations) rotate(c Carried, low, high int) {
	for j := high - 1; j >= 0; j-- {
		from := 0
		if c.Triangle {
			from = j
		}
		y := c.High[j*c.Ldh+from : j*c.Ldh+c.Width]
		cos, sin := d.cos[j*low:(j+1)*low], d.sin[j*low:(j+1)*low]
		i := 0
		for ; i+1 < low; i += 2 {
			x0, x1 := c.Low[i*c.Ldl+from:i*c.Ldl+c.Width], c.Low[(i+1)*c.Ldl+from:(i+1)*c.Ldl+c.Width]
			rotateTwice(cos[i], sin[i], cos[i+1], sin[i+1], x0, x1, y)
		}
		if i < low {
			rotate(cos[i], sin[i], c.Low[i*c.Ldl+from:i*c.Ldl+c.Width], y)
		}
	}
}

// multiplyOut makes Omega, the product of the rotations of a block: they are applied to the identity,
// its rows in the order [P; N]. So the part for P of its rows for P is an upper triangle, and zeros in
// a triangle R stay zeros exactly.
func (d *Rotations) multiplyOut(low, high int) {
	m := low + high
	if d.omega == nil {
		d.omega, d.work = make([]float64, (LowRows+HighRows)*(LowRows+HighRows)), make([]float64, (LowRows+HighRows)*OmegaWidth)
	}
	clear(d.omega)
	for i := range m {
		d.omega[i*m+i] = 1
	}
	d.rotate(Carried{Low: d.omega[high*m:], High: d.omega, Ldl: m, Ldh: m, Width: m, Triangle: true}, low, high)
}

// multiply multiplies the columns beside a block by Omega.
func (d *Rotations) multiply(c Carried, low, high int) {
	m := low + high
	for at := 0; at < c.Width; at += OmegaWidth {
		w := min(OmegaWidth, c.Width-at)
		for j := range high {
			copy(d.work[j*w:(j+1)*w], c.High[j*c.Ldh+at:])
		}
		for i := range low {
			copy(d.work[(high+i)*w:(high+i+1)*w], c.Low[i*c.Ldl+at:])
		}
		d.Bk.Dgemm(blas.NoTrans, blas.NoTrans, high, w, m, 1, d.omega, m, d.work, w, 0, c.High[at:], c.Ldh)
		d.Bk.Dgemm(blas.NoTrans, blas.NoTrans, low, w, m, 1, d.omega[high*m:], m, d.work, w, 0, c.Low[at:], c.Ldl)
	}
}

// rotate computes x = cos x + sin y and y = cos y - sin x.
func rotate(cos, sin float64, x, y []float64) {
	y = y[:len(x)]
	for i, a := range x {
		b := y[i]
		x[i] = cos*a + sin*b
		y[i] = cos*b - sin*a
	}
}

// rotateTwice rotates y with x0 and then with x1.
func rotateTwice(cos0, sin0, cos1, sin1 float64, x0, x1, y []float64) {
	x0, x1 = x0[:len(y)], x1[:len(y)]
	for i, b := range y {
		a0, a1 := x0[i], x1[i]
		x0[i] = cos0*a0 + sin0*b
		b = cos0*b - sin0*a0
		x1[i] = cos1*a1 + sin1*b
		y[i] = cos1*b - sin1*a1
	}
}
