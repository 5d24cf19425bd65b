package backend_test

import (
	"blskernel"
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
