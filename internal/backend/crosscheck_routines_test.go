package backend_test

import (
	"blskernel"
	"blskernel/internal/backend"
	"blskernel/internal/check"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
)

// A checked routine is one that TestCrossCheck and FuzzBackends call on every backend.
type checked struct {
	name  string
	build func(d *draw) *call
}

// checkedRoutines are all routines of the Backend interface, of PackedProducts and of FusedProducts.
func checkedRoutines() []checked {
	all := []checked{
		{"Ddot", pair(func(b blskernel.Backend, n int, x []float64, incX int, y []float64, incY int) []float64 {
			return []float64{b.Ddot(n, x, incX, y, incY)}
		}, read, read, 0)},
		{"Dnrm2", single(func(b blskernel.Backend, n int, x []float64, incX int) float64 { return b.Dnrm2(n, x, incX) })},
		{"Dasum", single(func(b blskernel.Backend, n int, x []float64, incX int) float64 { return b.Dasum(n, x, incX) })},
		{"Idamax", single(func(b blskernel.Backend, n int, x []float64, incX int) float64 { return float64(b.Idamax(n, x, incX)) })},
		{"Dswap", pair(func(b blskernel.Backend, n int, x []float64, incX int, y []float64, incY int) []float64 {
			b.Dswap(n, x, incX, y, incY)
			return nil
		}, written, written, 0)},
		{"Dcopy", pair(func(b blskernel.Backend, n int, x []float64, incX int, y []float64, incY int) []float64 {
			b.Dcopy(n, x, incX, y, incY)
			return nil
		}, read, overwritten, 0)},
		{"Daxpy", buildDaxpy},
		{"Dscal", buildDscal},
		{"Drot", buildDrot},
		{"Drotm", buildDrotm},
		{"Drotg", buildDrotg},
		{"Drotmg", buildDrotmg},
		{"Dgemv", buildDgemv},
		{"Dgbmv", buildDgbmv},
		{"Dsymv", symmetricProduct(fullStorage)},
		{"Dspmv", symmetricProduct(packedStorage)},
		{"Dsbmv", symmetricProduct(bandStorage)},
		{"Dtrmv", triangularVector(fullStorage, false)},
		{"Dtpmv", triangularVector(packedStorage, false)},
		{"Dtbmv", triangularVector(bandStorage, false)},
		{"Dtrsv", triangularVector(fullStorage, true)},
		{"Dtpsv", triangularVector(packedStorage, true)},
		{"Dtbsv", triangularVector(bandStorage, true)},
		{"Dger", buildDger},
		{"Dsyr", rankUpdate(fullStorage, 1)},
		{"Dspr", rankUpdate(packedStorage, 1)},
		{"Dsyr2", rankUpdate(fullStorage, 2)},
		{"Dspr2", rankUpdate(packedStorage, 2)},
		{"Dgemm", buildDgemm},
		{"Dsymm", buildDsymm},
		{"Dsyrk", buildDsyrk},
		{"Dsyr2k", buildDsyr2k},
		{"Dtrmm", triangularMatrix(false)},
		{"Dtrsm", triangularMatrix(true)},
	}
	return append(all, []checked{
		{"Dgemmt", buildDgemmt},
		{"Dgemmtp", buildDgemmtp},
		{"Dsprk", buildDsprk},
		{"Dspmm", buildDspmm},
		{"DgemmDiag", buildDgemmDiag},
		{"DsprkDiag", buildDsprkDiag},
		{"DgemmTanh", buildDgemmTanh},
	}...)
}

// single is a routine that returns what it finds in a vector. A sum, or a norm, which takes three
// roundings for a square and some for the root and the scale, of n terms that are not negative, has the
// relative error of one term.
func single(f func(b blskernel.Backend, n int, x []float64, incX int) float64) func(d *draw) *call {
	return func(d *draw) *call {
		n, inc := d.size(), d.inc()
		return &call{
			text:      fmt.Sprintf("n=%d incX=%d", n, inc),
			operands:  []*operand{d.vector(n, inc, read)},
			roundings: n + 10,
			do: func(b blskernel.Backend, x [][]float64, _ func(float64) float64) []float64 {
				return []float64{f(b, n, x[0], inc)}
			},
			relative: true,
		}
	}
}

// pair is a routine of two vectors.
func pair(f func(b blskernel.Backend, n int, x []float64, incX int, y []float64, incY int) []float64, useX, useY usage, roundings int) func(d *draw) *call {
	return func(d *draw) *call {
		n, incX, incY := d.size(), d.inc(), d.inc()
		c := &call{
			text:      fmt.Sprintf("n=%d incX=%d incY=%d", n, incX, incY),
			operands:  []*operand{d.vector(n, incX, useX), d.vector(n, incY, useY)},
			roundings: roundings,
			do: func(b blskernel.Backend, x [][]float64, _ func(float64) float64) []float64 {
				return f(b, n, x[0], incX, x[1], incY)
			},
		}
		if useY == read {
			c.roundings += n
		}
		return c
	}
}

func buildDaxpy(d *draw) *call {
	n, incX, incY, alpha := d.size(), d.inc(), d.inc(), d.scalar()
	return &call{
		text:      fmt.Sprintf("n=%d alpha=%v incX=%d incY=%d", n, alpha, incX, incY),
		operands:  []*operand{d.vector(n, incX, unless(alpha == 0)), d.vector(n, incY, written)},
		roundings: 2,
		do: func(b blskernel.Backend, x [][]float64, s func(float64) float64) []float64 {
			b.Daxpy(n, s(alpha), x[0], incX, x[1], incY)
			return nil
		},
	}
}

func buildDscal(d *draw) *call {
	n, inc, alpha := d.size(), d.inc(), d.scalar()
	u := written
	if inc < 0 {
		u = untouched // which is what the documentation says
	}
	return &call{
		text:      fmt.Sprintf("n=%d alpha=%v incX=%d", n, alpha, inc),
		operands:  []*operand{d.vector(n, inc, u)},
		roundings: 1,
		do: func(b blskernel.Backend, x [][]float64, s func(float64) float64) []float64 {
			b.Dscal(n, s(alpha), x[0], inc)
			return nil
		},
	}
}

func buildDrot(d *draw) *call {
	n, incX, incY, sin, cos := d.size(), d.inc(), d.inc(), d.scalar(), d.scalar()
	return &call{
		text:      fmt.Sprintf("n=%d incX=%d incY=%d c=%v s=%v", n, incX, incY, cos, sin),
		operands:  []*operand{d.vector(n, incX, written), d.vector(n, incY, written)},
		roundings: 3,
		do: func(b blskernel.Backend, x [][]float64, _ func(float64) float64) []float64 {
			b.Drot(n, x[0], incX, x[1], incY, cos, sin)
			return nil
		},
		magnitude: func(x [][]float64) {
			for i := range n {
				u, v := &x[0][element(n, incX, i)], &x[1][element(n, incY, i)]
				*u, *v = math.Abs(cos)**u+math.Abs(sin)**v, math.Abs(cos)**v+math.Abs(sin)**u
			}
		},
	}
}

func buildDrotm(d *draw) *call {
	n, incX, incY := d.size(), d.inc(), d.inc()
	p := blas.DrotmParams{
		Flag: []blas.Flag{blas.Identity, blas.Rescaling, blas.OffDiagonal, blas.Diagonal}[d.intN(4)],
		H:    [4]float64{0.5, -0.25, 2, -1.5},
	}
	return &call{
		text:      fmt.Sprintf("n=%d incX=%d incY=%d p=%v", n, incX, incY, p),
		operands:  []*operand{d.vector(n, incX, written), d.vector(n, incY, written)},
		roundings: 3,
		do: func(b blskernel.Backend, x [][]float64, _ func(float64) float64) []float64 {
			b.Drotm(n, x[0], incX, x[1], incY, p)
			return nil
		},
		magnitude: func(x [][]float64) {
			for i := range n {
				u, v := &x[0][element(n, incX, i)], &x[1][element(n, incY, i)]
				*u, *v = 2*(*u+*v), 2*(*u+*v) // no element of H is larger
			}
		},
	}
}

// A rotation is made by some ten operations without cancellation.
func buildDrotg(d *draw) *call {
	x, y := d.element(), d.element()
	return &call{
		text:      fmt.Sprintf("a=%v b=%v", x, y),
		roundings: 12,
		relative:  true,
		do: func(b blskernel.Backend, _ [][]float64, _ func(float64) float64) []float64 {
			c, s, r, z := b.Drotg(x, y)
			return []float64{c, s, r, z}
		},
	}
}

func buildDrotmg(d *draw) *call {
	d1, d2, x, y := 0.1+d.rnd.Float64(), 0.1+d.rnd.Float64(), d.element(), d.element()
	return &call{
		text:      fmt.Sprintf("d1=%v d2=%v x=%v y=%v", d1, d2, x, y),
		roundings: 16,
		relative:  true,
		do: func(b blskernel.Backend, _ [][]float64, _ func(float64) float64) []float64 {
			p, rd1, rd2, rx := b.Drotmg(d1, d2, x, y)
			returned := []float64{float64(p.Flag), rd1, rd2, rx}
			switch p.Flag { // the other elements of H mean nothing
			case blas.Rescaling:
				returned = append(returned, p.H[:]...)
			case blas.OffDiagonal:
				returned = append(returned, p.H[1], p.H[2])
			case blas.Diagonal:
				returned = append(returned, p.H[0], p.H[3])
			}
			return returned
		},
	}
}

func buildDgemv(d *draw) *call {
	t, m, n, incX, incY, alpha, beta := d.transpose(), d.size(), d.size(), d.inc(), d.inc(), d.scalar(), d.scalar()
	lenY, lenX := check.Stored(t, m, n)
	lda, in := d.ld(n), unless(alpha == 0)
	y := resultUse(beta)
	if m == 0 || n == 0 {
		y = untouched
	}
	return &call{
		text: fmt.Sprintf("tA=%c m=%d n=%d alpha=%v lda=%d incX=%d beta=%v incY=%d", t, m, n, alpha, lda, incX, beta, incY),
		operands: []*operand{
			d.matrix(m, n, lda, whole, in),
			d.vector(lenX, incX, in),
			d.vector(lenY, incY, y),
		},
		roundings: lenX + 4,
		do: func(b blskernel.Backend, x [][]float64, s func(float64) float64) []float64 {
			b.Dgemv(t, m, n, s(alpha), x[0], lda, x[1], incX, s(beta), x[2], incY)
			return nil
		},
	}
}

func buildDgbmv(d *draw) *call {
	t, m, n, kL, kU, incX, incY, alpha, beta := d.transpose(), d.size(), d.size(), d.intN(8), d.intN(8), d.inc(), d.inc(), d.scalar(), d.scalar()
	lenY, lenX := check.Stored(t, m, n)
	lda, in := d.ld(kL+kU+1), unless(alpha == 0)
	y := resultUse(beta)
	if m == 0 || n == 0 {
		y = untouched
	}
	rows := min(m, n+kL)
	a := d.layOutOperand((rows-1)*lda+kL+kU+1, m, n, band(kL, kU), bandAt(kL, lda), in)
	return &call{
		text:      fmt.Sprintf("tA=%c m=%d n=%d kL=%d kU=%d alpha=%v lda=%d incX=%d beta=%v incY=%d", t, m, n, kL, kU, alpha, lda, incX, beta, incY),
		operands:  []*operand{a, d.vector(lenX, incX, in), d.vector(lenY, incY, y)},
		roundings: lenX + 4,
		do: func(b blskernel.Backend, x [][]float64, s func(float64) float64) []float64 {
			b.Dgbmv(t, m, n, kL, kU, s(alpha), x[0], lda, x[1], incX, s(beta), x[2], incY)
			return nil
		},
	}
}

// A storage is a way to store a triangle.
type storage int

const (
	fullStorage storage = iota
	packedStorage
	bandStorage
)

// A stored is a triangle of order n in one of the storages, with the arguments that belong to it.
type stored struct {
	*operand
	ul     blas.Uplo
	n      int
	k, lda int // diagonals beside the main one of band storage
	at     func(i, j int) int
}

func (d *draw) triangle(s storage, ul blas.Uplo, n int, u usage) stored {
	x := stored{ul: ul, n: n}
	switch s {
	case fullStorage:
		x.lda = d.ld(n)
		x.operand, x.at = d.matrix(n, n, x.lda, inTriangle(ul), u), func(i, j int) int { return i*x.lda + j }
	case packedStorage:
		x.operand, x.at = d.packedTriangle(ul, n, u), packedAt(ul, n)
	default:
		x.k = d.intN(9)
		x.lda = d.ld(x.k + 1)
		kL := x.k
		if ul == blas.Upper {
			kL = 0
		}
		x.operand, x.at = d.bandTriangle(ul, n, x.k, x.lda, u), bandAt(kL, x.lda)
	}
	return x
}

func (x stored) String() string { return fmt.Sprintf("ul=%c n=%d k=%d lda=%d", x.ul, x.n, x.k, x.lda) }

// symmetricProduct is Dsymv, Dspmv or Dsbmv.
func symmetricProduct(s storage) func(d *draw) *call {
	return func(d *draw) *call {
		ul, n, incX, incY, alpha, beta := d.uplo(), d.size(), d.inc(), d.inc(), d.scalar(), d.scalar()
		in := unless(alpha == 0)
		a := d.triangle(s, ul, n, in)
		return &call{
			text:      fmt.Sprintf("%v alpha=%v incX=%d beta=%v incY=%d", a, alpha, incX, beta, incY),
			operands:  []*operand{a.operand, d.vector(n, incX, in), d.vector(n, incY, resultUse(beta))},
			roundings: n + 4,
			do: func(b blskernel.Backend, x [][]float64, f func(float64) float64) []float64 {
				switch s {
				case fullStorage:
					b.Dsymv(ul, n, f(alpha), x[0], a.lda, x[1], incX, f(beta), x[2], incY)
				case packedStorage:
					b.Dspmv(ul, n, f(alpha), x[0], x[1], incX, f(beta), x[2], incY)
				default:
					b.Dsbmv(ul, n, a.k, f(alpha), x[0], a.lda, x[1], incX, f(beta), x[2], incY)
				}
				return nil
			},
		}
	}
}

// triangularVector is Dtrmv, Dtpmv, Dtbmv, or Dtrsv, Dtpsv, Dtbsv.
//
// The solution x that a backend finds is that of (T + E)x = b with |E| <= gamma_{n+2}·|T| (Higham, Accuracy
// and Stability of Numerical Algorithms, theorem 8.5, and a rounding more for a reciprocal and for alpha),
// so that it is within gamma·|T⁻¹||T||x| of the exact one, and |T⁻¹| <= M(T)⁻¹ (theorem 8.12).
func triangularVector(s storage, solves bool) func(d *draw) *call {
	return func(d *draw) *call {
		ul, t, diag, n, inc := d.uplo(), d.transpose(), d.diag(), d.size(), d.inc()
		a := d.triangle(s, ul, n, read)
		a.triangular(d, diag, n, func(i int) int { return a.at(i, i) })
		multiply := func(b blskernel.Backend, x [][]float64) {
			switch s {
			case fullStorage:
				b.Dtrmv(ul, t, diag, n, x[0], a.lda, x[1], inc)
			case packedStorage:
				b.Dtpmv(ul, t, diag, n, x[0], x[1], inc)
			default:
				b.Dtbmv(ul, t, diag, n, a.k, x[0], a.lda, x[1], inc)
			}
		}
		solve := func(b blskernel.Backend, x [][]float64) {
			switch s {
			case fullStorage:
				b.Dtrsv(ul, t, diag, n, x[0], a.lda, x[1], inc)
			case packedStorage:
				b.Dtpsv(ul, t, diag, n, x[0], x[1], inc)
			default:
				b.Dtbsv(ul, t, diag, n, a.k, x[0], a.lda, x[1], inc)
			}
		}
		c := &call{
			text:      fmt.Sprintf("%v tA=%c d=%c incX=%d", a, t, diag, inc),
			operands:  []*operand{a.operand, d.vector(n, inc, written)},
			roundings: n + 4,
		}
		if solves {
			c.twin, multiply = multiply, solve
		}
		c.do = func(b blskernel.Backend, x [][]float64, _ func(float64) float64) []float64 {
			multiply(b, x)
			return nil
		}
		return c
	}
}

func buildDger(d *draw) *call {
	m, n, incX, incY, alpha := d.size(), d.size(), d.inc(), d.inc(), d.scalar()
	lda, in := d.ld(n), unless(alpha == 0)
	return &call{
		text:      fmt.Sprintf("m=%d n=%d alpha=%v incX=%d incY=%d lda=%d", m, n, alpha, incX, incY, lda),
		operands:  []*operand{d.matrix(m, n, lda, whole, written), d.vector(m, incX, in), d.vector(n, incY, in)},
		roundings: 4,
		do: func(b blskernel.Backend, x [][]float64, s func(float64) float64) []float64 {
			if b.Name() == "gonum" {
				// Its assembly takes negative increments from the wrong end (gonum v0.17.0).
				b.Dger(m, n, s(alpha), straight(x[1], m, incX), 1, straight(x[2], n, incY), 1, x[0], lda)
				return nil
			}
			b.Dger(m, n, s(alpha), x[1], incX, x[2], incY, x[0], lda)
			return nil
		},
	}
}

// straight returns the n elements of a vector one after the other.
func straight(x []float64, n, inc int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = x[element(n, inc, i)]
	}
	return v
}

// rankUpdate is Dsyr, Dspr, Dsyr2 or Dspr2.
func rankUpdate(s storage, rank int) func(d *draw) *call {
	return func(d *draw) *call {
		ul, n, incX, incY, alpha := d.uplo(), d.size(), d.inc(), d.inc(), d.scalar()
		in := unless(alpha == 0)
		a := d.triangle(s, ul, n, written)
		return &call{
			text:      fmt.Sprintf("%v alpha=%v incX=%d incY=%d", a, alpha, incX, incY),
			operands:  []*operand{a.operand, d.vector(n, incX, in), d.vector(n, incY, in)},
			roundings: 6,
			do: func(b blskernel.Backend, x [][]float64, f func(float64) float64) []float64 {
				switch {
				case s == fullStorage && rank == 1:
					b.Dsyr(ul, n, f(alpha), x[1], incX, x[0], a.lda)
				case s == fullStorage:
					b.Dsyr2(ul, n, f(alpha), x[1], incX, x[2], incY, x[0], a.lda)
				case rank == 1:
					b.Dspr(ul, n, f(alpha), x[1], incX, x[0])
				default:
					b.Dspr2(ul, n, f(alpha), x[1], incX, x[2], incY, x[0])
				}
				return nil
			},
		}
	}
}

// A product is what the products of two matrices have in common: op(A) is m×k, op(B) is k×n.
type product struct {
	tA, tB      blas.Transpose
	m, n, k     int
	alpha, beta float64
	a, b        *operand
	lda, ldb    int
}

// product draws the operands of a product; the result is square if square. Scaled elements have a
// rounding more.
func (d *draw) product(square bool) product {
	p := product{tA: d.transpose(), tB: d.transpose(), m: d.size(), n: d.size(), k: d.size(), alpha: d.scalar(), beta: d.scalar()}
	if square {
		p.m = p.n
	}
	p.a, p.lda = d.operandOf(p.tA, p.m, p.k)
	p.b, p.ldb = d.operandOf(p.tB, p.k, p.n)
	if p.alpha == 0 {
		p.a.hide()
		p.b.hide()
	}
	return p
}

// hide makes an operand one that is not to be read.
func (o *operand) hide() { clear(o.use) }

func (p product) String() string {
	return fmt.Sprintf("tA=%c tB=%c m=%d n=%d k=%d alpha=%v lda=%d ldb=%d beta=%v", p.tA, p.tB, p.m, p.n, p.k, p.alpha, p.lda, p.ldb, p.beta)
}

func buildDgemm(d *draw) *call {
	p := d.product(false)
	ldc := d.ld(p.n)
	return &call{
		text:      fmt.Sprintf("%v ldc=%d", p, ldc),
		operands:  []*operand{p.a, p.b, d.matrix(p.m, p.n, ldc, whole, resultUse(p.beta))},
		roundings: p.k + 4,
		do: func(b blskernel.Backend, x [][]float64, s func(float64) float64) []float64 {
			b.Dgemm(p.tA, p.tB, p.m, p.n, p.k, s(p.alpha), x[0], p.lda, x[1], p.ldb, s(p.beta), x[2], ldc)
			return nil
		},
	}
}

func buildDsymm(d *draw) *call {
	side, ul, m, n, alpha, beta := d.side(), d.uplo(), d.size(), d.size(), d.scalar(), d.scalar()
	k, in := check.Order(side, m, n), unless(alpha == 0)
	lda, ldb, ldc := d.ld(k), d.ld(n), d.ld(n)
	return &call{
		text: fmt.Sprintf("s=%c ul=%c m=%d n=%d alpha=%v lda=%d ldb=%d beta=%v ldc=%d", side, ul, m, n, alpha, lda, ldb, beta, ldc),
		operands: []*operand{
			d.matrix(k, k, lda, inTriangle(ul), in),
			d.matrix(m, n, ldb, whole, in),
			d.matrix(m, n, ldc, whole, resultUse(beta)),
		},
		roundings: k + 4,
		do: func(b blskernel.Backend, x [][]float64, s func(float64) float64) []float64 {
			b.Dsymm(side, ul, m, n, s(alpha), x[0], lda, x[1], ldb, s(beta), x[2], ldc)
			return nil
		},
	}
}

func buildDsyrk(d *draw) *call {
	p, ul := d.product(true), d.uplo()
	ldc := d.ld(p.n)
	return &call{
		text:      fmt.Sprintf("ul=%c %v ldc=%d", ul, p, ldc),
		operands:  []*operand{p.a, d.matrix(p.n, p.n, ldc, inTriangle(ul), resultUse(p.beta))},
		roundings: p.k + 4,
		do: func(b blskernel.Backend, x [][]float64, s func(float64) float64) []float64 {
			b.Dsyrk(ul, p.tA, p.n, p.k, s(p.alpha), x[0], p.lda, s(p.beta), x[1], ldc)
			return nil
		},
	}
}

func buildDsyr2k(d *draw) *call {
	p, ul := d.product(true), d.uplo()
	second, ldb := d.operandOf(p.tA, p.n, p.k)
	if p.alpha == 0 {
		second.hide()
	}
	ldc := d.ld(p.n)
	return &call{
		text:      fmt.Sprintf("ul=%c %v ldb of Dsyr2k=%d ldc=%d", ul, p, ldb, ldc),
		operands:  []*operand{p.a, second, d.matrix(p.n, p.n, ldc, inTriangle(ul), resultUse(p.beta))},
		roundings: 2*p.k + 5,
		do: func(b blskernel.Backend, x [][]float64, s func(float64) float64) []float64 {
			b.Dsyr2k(ul, p.tA, p.n, p.k, s(p.alpha), x[0], p.lda, x[1], ldb, s(p.beta), x[2], ldc)
			return nil
		},
	}
}

// triangularMatrix is Dtrmm or Dtrsm, with the errors of triangularVector for each column or row.
func triangularMatrix(solves bool) func(d *draw) *call {
	return func(d *draw) *call {
		side, ul, t, diag, m, n, alpha := d.side(), d.uplo(), d.transpose(), d.diag(), d.size(), d.size(), d.scalar()
		k := check.Order(side, m, n)
		a := d.triangle(fullStorage, ul, k, unless(alpha == 0))
		a.triangular(d, diag, k, func(i int) int { return a.at(i, i) })
		ldb, result := d.ld(n), resultUse(alpha)
		c := &call{
			text:      fmt.Sprintf("s=%c tA=%c d=%c %v m=%d n=%d alpha=%v ldb=%d", side, t, diag, a, m, n, alpha, ldb),
			operands:  []*operand{a.operand, d.matrix(m, n, ldb, whole, result)},
			roundings: k + 4,
		}
		c.do = func(b blskernel.Backend, x [][]float64, s func(float64) float64) []float64 {
			if solves {
				b.Dtrsm(side, ul, t, diag, m, n, s(alpha), x[0], a.lda, x[1], ldb)
			} else {
				b.Dtrmm(side, ul, t, diag, m, n, s(alpha), x[0], a.lda, x[1], ldb)
			}
			return nil
		}
		if solves && alpha != 0 {
			c.twin = func(b blskernel.Backend, x [][]float64) { b.Dtrmm(side, ul, t, diag, m, n, 1, x[0], a.lda, x[1], ldb) }
		}
		return c
	}
}

func buildDgemmt(d *draw) *call {
	p, ul := d.product(true), d.uplo()
	ldc := d.ld(p.n)
	return &call{
		text:      fmt.Sprintf("ul=%c %v ldc=%d", ul, p, ldc),
		operands:  []*operand{p.a, p.b, d.matrix(p.n, p.n, ldc, inTriangle(ul), resultUse(p.beta))},
		roundings: p.k + 4,
		do: func(b blskernel.Backend, x [][]float64, s func(float64) float64) []float64 {
			blskernel.Packed(b).Dgemmt(ul, p.tA, p.tB, p.n, p.k, s(p.alpha), x[0], p.lda, x[1], p.ldb, s(p.beta), x[2], ldc)
			return nil
		},
	}
}

func buildDgemmtp(d *draw) *call {
	p := d.product(true)
	return &call{
		text:      p.String(),
		operands:  []*operand{p.a, p.b, d.packedTriangle(blas.Upper, p.n, resultUse(p.beta))},
		roundings: p.k + 4,
		do: func(b blskernel.Backend, x [][]float64, s func(float64) float64) []float64 {
			blskernel.Packed(b).Dgemmtp(p.tA, p.tB, p.n, p.k, s(p.alpha), x[0], p.lda, x[1], p.ldb, s(p.beta), x[2])
			return nil
		},
	}
}

func buildDsprk(d *draw) *call {
	p := d.product(true)
	return &call{
		text:      p.String(),
		operands:  []*operand{p.a, d.packedTriangle(blas.Upper, p.n, resultUse(p.beta))},
		roundings: p.k + 4,
		do: func(b blskernel.Backend, x [][]float64, s func(float64) float64) []float64 {
			blskernel.Packed(b).Dsprk(p.tA, p.n, p.k, s(p.alpha), x[0], p.lda, s(p.beta), x[1])
			return nil
		},
	}
}

func buildDspmm(d *draw) *call {
	side, m, n, alpha, beta := d.side(), d.size(), d.size(), d.scalar(), d.scalar()
	k, in := check.Order(side, m, n), unless(alpha == 0)
	ldb, ldc := d.ld(n), d.ld(n)
	return &call{
		text: fmt.Sprintf("s=%c m=%d n=%d alpha=%v ldb=%d beta=%v ldc=%d", side, m, n, alpha, ldb, beta, ldc),
		operands: []*operand{
			d.packedTriangle(blas.Upper, k, in),
			d.matrix(m, n, ldb, whole, in),
			d.matrix(m, n, ldc, whole, resultUse(beta)),
		},
		roundings: k + 4,
		do: func(b blskernel.Backend, x [][]float64, s func(float64) float64) []float64 {
			blskernel.Packed(b).Dspmm(side, m, n, s(alpha), x[0], x[1], ldb, s(beta), x[2], ldc)
			return nil
		},
	}
}

func buildDgemmDiag(d *draw) *call {
	p := d.product(false)
	ldc := d.ld(p.n)
	return &call{
		text: fmt.Sprintf("%v ldc=%d", p, ldc),
		operands: []*operand{
			p.a, p.b, d.vector(p.k, 1, unless(p.alpha == 0)),
			d.matrix(p.m, p.n, ldc, whole, resultUse(p.beta)),
		},
		roundings: p.k + 5,
		do: func(b blskernel.Backend, x [][]float64, s func(float64) float64) []float64 {
			backend.Fused(b).DgemmDiag(p.tA, p.tB, p.m, p.n, p.k, s(p.alpha), x[0], p.lda, x[2], x[1], p.ldb, s(p.beta), x[3], ldc)
			return nil
		},
	}
}

func buildDsprkDiag(d *draw) *call {
	p := d.product(true)
	return &call{
		text: p.String(),
		operands: []*operand{
			p.a, d.vector(p.k, 1, unless(p.alpha == 0)), d.packedTriangle(blas.Upper, p.n, resultUse(p.beta)),
		},
		roundings: p.k + 5,
		do: func(b blskernel.Backend, x [][]float64, s func(float64) float64) []float64 {
			backend.Fused(b).DsprkDiag(p.tA, p.n, p.k, s(p.alpha), x[0], p.lda, x[1], s(p.beta), x[2])
			return nil
		},
	}
}

// The error of a sum is not magnified, since |tanh'| <= 1, and every tanh errs by less than 2 ulp of a
// number that is at most 1.
func buildDgemmTanh(d *draw) *call {
	p := d.product(false)
	ldc := d.ld(p.n)
	return &call{
		text: fmt.Sprintf("%v ldc=%d", p, ldc),
		operands: []*operand{
			p.a, p.b, d.vector(p.n, 1, read), d.matrix(p.m, p.n, ldc, whole, overwritten),
		},
		roundings: p.k + 5,
		absolute:  4 * 0x1p-52,
		do: func(b blskernel.Backend, x [][]float64, _ func(float64) float64) []float64 {
			backend.Fused(b).DgemmTanh(p.tA, p.tB, p.m, p.n, p.k, p.alpha, x[0], p.lda, x[1], p.ldb, x[2], x[3], ldc)
			return nil
		},
		magnitude: func(x [][]float64) {
			reference().Dgemm(p.tA, p.tB, p.m, p.n, p.k, math.Abs(p.alpha), x[0], p.lda, x[1], p.ldb, 0, x[3], ldc)
			for i := range p.m {
				for j := range p.n {
					x[3][i*ldc+j] += x[2][j]
				}
			}
		},
	}
}
