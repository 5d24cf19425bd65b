package eigen

import (
	"math"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/detmath"
	"blskernel/internal/linalg/factor"
)

const ulp = 2 * factor.Roundoff

// A reflection is I - (t0, t1, t2)ᵀ(1, v1, v2), on three adjacent rows or columns; on two, v2 = t2 = 0.
type reflection struct{ v1, v2, t0, t1, t2 float64 }

// reflect returns the reflection of (x, y, z) to (beta, 0, 0). It is I if y = z = 0. (LAPACK: dlarfg.)
func reflect(x, y, z float64) (r reflection, beta float64) {
	size := max(math.Abs(y), math.Abs(z))
	if size == 0 {
		return r, x
	}
	scale := 1.0
	if size = max(size, math.Abs(x)); !(0x1p-400 < size && size < 0x1p400) {
		_, e := math.Frexp(size)
		scale = math.Ldexp(1, min(max(e, -1020), 1020))
		x, y, z = x/scale, y/scale, z/scale
	}
	beta = -math.Copysign(math.Sqrt(float64(x*x)+float64(y*y)+float64(z*z)), x)
	r.v1, r.v2 = y/(x-beta), z/(x-beta)
	r.t0 = (beta - x) / beta
	r.t1, r.t2 = r.t0*r.v1, r.t0*r.v2
	return r, beta * scale
}

// rows applies the reflection to rows x, y, z of the same length.
func (r *reflection) rows(x, y, z []float64) {
	y, z = y[:len(x)], z[:len(x)]
	v1, v2, t0, t1, t2 := r.v1, r.v2, r.t0, r.t1, r.t2
	for j, a := range x {
		b, c := y[j], z[j]
		s := a + float64(v1*b) + float64(v2*c)
		x[j] = a - float64(s*t0)
		y[j] = b - float64(s*t1)
		z[j] = c - float64(s*t2)
	}
}

// left applies the reflection to the rows [at, at+order) of a, in the columns [from, end).
func (r *reflection) left(a block.Matrix, order, at, from, end int) {
	if r.t0 == 0 || from >= end {
		return
	}
	at = at*a.Ld + from
	x, y := a.X[at:][:end-from], a.X[at+a.Ld:][:end-from]
	if order == 3 {
		r.rows(x, y, a.X[at+2*a.Ld:][:end-from])
		return
	}
	for j, p := range x {
		q := y[j]
		s := p + float64(r.v1*q)
		x[j] = p - float64(s*r.t0)
		y[j] = q - float64(s*r.t1)
	}
}

// right applies the reflection to the columns [at, at+order) of a, in the rows [from, end).
func (r *reflection) right(a block.Matrix, order, at, from, end int) {
	if r.t0 == 0 || from >= end {
		return
	}
	v1, v2, t0, t1, t2 := r.v1, r.v2, r.t0, r.t1, r.t2
	if order == 2 {
		for i := from; i < end; i++ {
			p := (*[2]float64)(a.X[i*a.Ld+at:])
			s := p[0] + float64(v1*p[1])
			p[0] -= float64(s * t0)
			p[1] -= float64(s * t1)
		}
		return
	}
	for i := from; i < end; i++ {
		p := (*[3]float64)(a.X[i*a.Ld+at:])
		s := p[0] + float64(v1*p[1]) + float64(v2*p[2])
		p[0] -= float64(s * t0)
		p[1] -= float64(s * t1)
		p[2] -= float64(s * t2)
	}
}

// A rotation takes (x, y) to (c x + s y, c y - s x).
type rotation struct{ c, s float64 }

func (r rotation) left(a block.Matrix, at, from, end int) {
	for j := from; j < end; j++ {
		x, y := &a.X[at*a.Ld+j], &a.X[(at+1)*a.Ld+j]
		*x, *y = float64(r.c**x)+float64(r.s**y), float64(r.c**y)-float64(r.s**x)
	}
}

func (r rotation) right(a block.Matrix, at, from, end int) {
	for i := from; i < end; i++ {
		p := (*[2]float64)(a.X[i*a.Ld+at:])
		p[0], p[1] = float64(r.c*p[0])+float64(r.s*p[1]), float64(r.c*p[1])-float64(r.s*p[0])
	}
}

// A square is the 2×2 matrix (a b; c d).
type square struct{ a, b, c, d float64 }

func squareAt(m block.Matrix, i int) square {
	x, y := (*[2]float64)(m.X[i*m.Ld+i:]), (*[2]float64)(m.X[(i+1)*m.Ld+i:])
	return square{x[0], x[1], y[0], y[1]}
}

func (q square) store(m block.Matrix, i int) {
	*(*[2]float64)(m.X[i*m.Ld+i:]) = [2]float64{q.a, q.b}
	*(*[2]float64)(m.X[(i+1)*m.Ld+i:]) = [2]float64{q.c, q.d}
}

// eigenvalues returns the eigenvalues of a standard block, with the positive imaginary part first.
func (q square) eigenvalues() (first, second complex128) {
	if q.c == 0 {
		return complex(q.a, 0), complex(q.d, 0)
	}
	return complex(q.a, q.imaginary()), complex(q.d, -q.imaginary())
}

// imaginary returns the positive imaginary part of the eigenvalues of a standard block.
func (q square) imaginary() float64 {
	return float64(math.Sqrt(math.Abs(q.b)) * math.Sqrt(math.Abs(q.c)))
}

// times returns q times the matrix with the columns (c, s) and (-s, c) of r.
func (q square) times(r rotation) square {
	return square{
		float64(q.a*r.c) + float64(q.b*r.s), float64(q.b*r.c) - float64(q.a*r.s),
		float64(q.c*r.c) + float64(q.d*r.s), float64(q.d*r.c) - float64(q.c*r.s),
	}
}

func (q square) transposed() square { return square{q.a, q.c, q.b, q.d} }

// standard returns the standard form of q and the rotation of rows and columns that leads to it. In
// standard form c = 0 or, for complex eigenvalues, a = d and b c < 0. (LAPACK: dlanv2.)
func (q square) standard() (square, rotation) {
	switch {
	case q.c == 0, q.a == q.d && math.Signbit(q.b) != math.Signbit(q.c) && q.b != 0:
		return q, rotation{1, 0}
	case q.b == 0:
		return square{q.d, -q.c, 0, q.a}, rotation{0, 1}
	}
	p := float64((q.a - q.d) / 2)
	large := max(math.Abs(q.b), math.Abs(q.c))
	small := min(math.Abs(q.b), math.Abs(q.c))
	if math.Signbit(q.b) != math.Signbit(q.c) {
		small = -small
	}
	scale := max(math.Abs(p), large)
	if z := float64(p/scale*p) + float64(large/scale*small); z >= 4*ulp { // real, and well apart
		z = p + math.Copysign(float64(math.Sqrt(scale)*math.Sqrt(z)), p)
		length := detmath.Hypot(q.c, z)
		return square{q.d + z, q.b - q.c, 0, q.d - float64(large/z*small)}, rotation{z / length, q.c / length}
	}
	// Complex, or real and nearly equal: make the diagonal equal.
	sigma, difference := q.b+q.c, q.a-q.d
	for range 20 {
		if size := max(math.Abs(sigma), math.Abs(difference)); size >= 0x1p500 {
			sigma, difference = sigma*0x1p-500, difference*0x1p-500
		} else if size <= 0x1p-500 {
			sigma, difference = sigma*0x1p500, difference*0x1p500
		} else {
			break
		}
	}
	length := detmath.Hypot(sigma, difference)
	r := rotation{c: math.Sqrt((1 + math.Abs(sigma)/length) / 2)}
	r.s = -math.Copysign(1, sigma) * (difference / 2 / (length * r.c))
	q = q.times(r).transposed().times(r).transposed()
	q.a = float64((q.a + q.d) / 2)
	q.d = q.a
	switch {
	case q.c == 0:
	case q.b == 0:
		q.b, q.c = -q.c, 0
		r = rotation{-r.s, r.c}
	case math.Signbit(q.b) == math.Signbit(q.c): // real: make it triangular
		rootB, rootC := math.Sqrt(math.Abs(q.b)), math.Sqrt(math.Abs(q.c))
		p := math.Copysign(float64(rootB*rootC), q.c)
		tau := 1 / math.Sqrt(math.Abs(q.b+q.c))
		second := rotation{rootB * tau, rootC * tau}
		q = square{q.a + p, q.b - q.c, 0, q.a - p}
		r = rotation{float64(r.c*second.c) - float64(r.s*second.s), float64(r.c*second.s) + float64(r.s*second.c)}
	}
	return q, r
}
