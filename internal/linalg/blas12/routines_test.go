package blas12

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/internal/testutil/kernels"

	"gonum.org/v1/gonum/blas"
)

// A vectorBLAS is a BLAS without Level 3.
type vectorBLAS interface {
	blas.Float64Level1
	blas.Float64Level2
}

// A shape holds the arguments of a call that are not operands.
type shape struct {
	ul           blas.Uplo
	tA           blas.Transpose
	d            blas.Diag
	m, n, kL, kU int
	ld           int
	incX, incY   int
	alpha, beta  float64
	p            blas.DrotmParams
	returned     float64 // by the routine
}

// A routine describes a routine of Level 1 or 2.
type routine struct {
	name    string
	storage string // of A: matrix, band, or one triangle of a square matrix: full, packed, diagonals
	writes  bool   // writes A
	call    func(f vectorBLAS, s *shape, a, x, y []float64)
}

var routines = []routine{
	{"Ddot", "", false, func(f vectorBLAS, s *shape, _, x, y []float64) { s.returned = f.Ddot(s.n, x, s.incX, y, s.incY) }},
	{"Dnrm2", "", false, func(f vectorBLAS, s *shape, _, x, _ []float64) { s.returned = f.Dnrm2(s.n, x, s.incX) }},
	{"Dasum", "", false, func(f vectorBLAS, s *shape, _, x, _ []float64) { s.returned = f.Dasum(s.n, x, s.incX) }},
	{"Daxpy", "", false, func(f vectorBLAS, s *shape, _, x, y []float64) { f.Daxpy(s.n, s.alpha, x, s.incX, y, s.incY) }},
	{"Dscal", "", false, func(f vectorBLAS, s *shape, _, x, _ []float64) { f.Dscal(s.n, s.alpha, x, s.incX) }},
	{"Drot", "", false, func(f vectorBLAS, s *shape, _, x, y []float64) { f.Drot(s.n, x, s.incX, y, s.incY, 3, -2) }},
	{"Drotm", "", false, func(f vectorBLAS, s *shape, _, x, y []float64) { f.Drotm(s.n, x, s.incX, y, s.incY, s.p) }},
	{"Dgemv", "matrix", false, func(f vectorBLAS, s *shape, a, x, y []float64) {
		f.Dgemv(s.tA, s.m, s.n, s.alpha, a, s.ld, x, s.incX, s.beta, y, s.incY)
	}},
	{"Dgbmv", "band", false, func(f vectorBLAS, s *shape, a, x, y []float64) {
		f.Dgbmv(s.tA, s.m, s.n, s.kL, s.kU, s.alpha, a, s.ld, x, s.incX, s.beta, y, s.incY)
	}},
	{"Dsymv", "full", false, func(f vectorBLAS, s *shape, a, x, y []float64) {
		f.Dsymv(s.ul, s.n, s.alpha, a, s.ld, x, s.incX, s.beta, y, s.incY)
	}},
	{"Dspmv", "packed", false, func(f vectorBLAS, s *shape, a, x, y []float64) {
		f.Dspmv(s.ul, s.n, s.alpha, a, x, s.incX, s.beta, y, s.incY)
	}},
	{"Dsbmv", "diagonals", false, func(f vectorBLAS, s *shape, a, x, y []float64) {
		f.Dsbmv(s.ul, s.n, s.kL, s.alpha, a, s.ld, x, s.incX, s.beta, y, s.incY)
	}},
	{"Dger", "matrix", true, func(f vectorBLAS, s *shape, a, x, y []float64) {
		f.Dger(s.m, s.n, s.alpha, x, s.incX, y, s.incY, a, s.ld)
	}},
	{"Dsyr", "full", true, func(f vectorBLAS, s *shape, a, x, _ []float64) { f.Dsyr(s.ul, s.n, s.alpha, x, s.incX, a, s.ld) }},
	{"Dspr", "packed", true, func(f vectorBLAS, s *shape, a, x, _ []float64) { f.Dspr(s.ul, s.n, s.alpha, x, s.incX, a) }},
	{"Dsyr2", "full", true, func(f vectorBLAS, s *shape, a, x, y []float64) {
		f.Dsyr2(s.ul, s.n, s.alpha, x, s.incX, y, s.incY, a, s.ld)
	}},
	{"Dspr2", "packed", true, func(f vectorBLAS, s *shape, a, x, y []float64) {
		f.Dspr2(s.ul, s.n, s.alpha, x, s.incX, y, s.incY, a)
	}},
	{"Dtrmv", "full", false, func(f vectorBLAS, s *shape, a, x, _ []float64) { f.Dtrmv(s.ul, s.tA, s.d, s.n, a, s.ld, x, s.incX) }},
	{"Dtpmv", "packed", false, func(f vectorBLAS, s *shape, a, x, _ []float64) { f.Dtpmv(s.ul, s.tA, s.d, s.n, a, x, s.incX) }},
	{"Dtbmv", "diagonals", false, func(f vectorBLAS, s *shape, a, x, _ []float64) {
		f.Dtbmv(s.ul, s.tA, s.d, s.n, s.kL, a, s.ld, x, s.incX)
	}},
	{"Dtrsv", "full", false, func(f vectorBLAS, s *shape, a, x, _ []float64) { f.Dtrsv(s.ul, s.tA, s.d, s.n, a, s.ld, x, s.incX) }},
	{"Dtpsv", "packed", false, func(f vectorBLAS, s *shape, a, x, _ []float64) { f.Dtpsv(s.ul, s.tA, s.d, s.n, a, x, s.incX) }},
	{"Dtbsv", "diagonals", false, func(f vectorBLAS, s *shape, a, x, _ []float64) {
		f.Dtbsv(s.ul, s.tA, s.d, s.n, s.kL, a, s.ld, x, s.incX)
	}},
}

// triangular reports whether the routine multiplies by a triangle or solves with one.
func (r routine) triangular() bool { return r.name[:2] == "Dt" }

// oneVector reports whether the routine does nothing if the increment is negative.
func (r routine) oneVector() bool { return r.name == "Dnrm2" || r.name == "Dasum" || r.name == "Dscal" }

// random returns n numbers, so small that triangles with a unit diagonal are well conditioned.
func random(rnd *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rnd.NormFloat64() / 64
	}
	return x
}

// spread returns the elements of x at an increment, with NaN between them.
func spread(x []float64, inc int) []float64 {
	y := slices.Repeat([]float64{math.NaN()}, max(0, (len(x)-1)*max(inc, -inc)+1))
	for i, v := range x {
		y[first(len(x), inc)+i*inc] = v
	}
	return y
}

// TestNoAllocations is skipped under the race detector, where a sync.Pool drops items at random.
func TestNoAllocations(t *testing.T) {
	testutil.NotUnderRace(t, "it counts allocations")
	k := kernels.All(t)[0]
	unshared := func(int, int, func(from, to int)) { t.Error("a small matrix is shared") }
	f := New(k, unshared)
	for _, n := range []int{50, 170} {
		a, x, y := make([]float64, n*n), make([]float64, n), make([]float64, n)
		for _, r := range routines {
			for _, tA := range []blas.Transpose{blas.NoTrans, blas.Trans} {
				s := &shape{ul: blas.Upper, tA: tA, d: blas.Unit, m: n, n: n, kL: n / 4, kU: n / 4, ld: n, incX: 1, incY: -1, alpha: 1, beta: 2}
				if allocs := testing.AllocsPerRun(20, func() { r.call(f, s, a, x, y) }); allocs != 0 {
					t.Errorf("%s %c, n=%d: %v allocations", r.name, tA, n, allocs)
				}
			}
		}
	}
}
